/**
 * Turns the ordered stream of item bodies into groups of variants. Memory is bounded by one part of a group: a
 * group larger than `MAX_PART` is handed over in parts, and says so.
 */
import { decodeItem } from "../../catalog/fingerprint.ts";
import type { Item } from "../../catalog/item.ts";
import type { ItemGroup } from "../../catalog/item-group.ts";

export const MAX_PART = 500;

export class GroupBuilder {
  private items: Item[] = [];
  private groupId: string | null = null;
  private isWhole = true;

  /** The groups that are complete once these bodies have been seen. */
  *add(bodies: readonly string[]): Generator<ItemGroup> {
    for (const body of bodies) {
      const item = decodeItem(body);
      const groupId = item.groupId ?? null;
      const goesOn = groupId !== null && groupId === this.groupId;
      if (!goesOn) yield* this.close(true);
      else if (this.items.length === MAX_PART) yield* this.close(false);
      this.groupId = groupId;
      this.items.push(item);
    }
  }

  *end(): Generator<ItemGroup> {
    yield* this.close(true);
  }

  private *close(isLast: boolean): Generator<ItemGroup> {
    if (this.items.length === 0) return;
    // A part is whole only if it is the first and the last.
    yield { groupId: this.groupId, items: this.items, whole: this.isWhole && isLast };
    this.items = [];
    this.isWhole = isLast;
  }
}

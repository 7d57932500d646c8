/**
 * Turns the ordered stream of item bodies into groups of variants. Memory is bounded: a group larger than `MAX_PART`
 * is split into parts.
 */
import { decodeItem } from "../../catalog/fingerprint.ts";
import type { Item } from "../../catalog/item.ts";
import type { ItemGroup } from "../../catalog/item-group.ts";

export const MAX_PART = 500;

export class GroupBuilder {
  private items: Item[] = [];
  private groupId: string | null = null;
  private isWhole = true;

  /** Yields the groups that are complete after these bodies. */
  *add(bodies: readonly string[]): Generator<ItemGroup> {
    for (const body of bodies) {
      const item = decodeItem(body);
      const groupId = item.groupId ?? null;
      const isSameGroup = groupId !== null && groupId === this.groupId;
      if (!isSameGroup) yield* this.close(true);
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
    // A part is whole only if it is the first and the last one.
    yield { groupId: this.groupId, items: this.items, whole: this.isWhole && isLast };
    this.items = [];
    this.isWhole = isLast;
  }
}

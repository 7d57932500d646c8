/**
 * Turns items, ordered by group and id, into groups of variants. Memory is bounded: a group larger than `MAX_PART` is
 * split into parts.
 */
import { decodeItem, type Item, type ItemGroup } from "../../catalog/item.ts";
import { ITEM_FIELDS } from "../../catalog/normalize.ts";
import type { Session } from "../../store/db.ts";
import { eachItemBody, type StoredBody } from "../../store/items.ts";

export const MAX_PART = 500;

export class GroupBuilder {
  private items: Item[] = [];
  private groupId: string | null = null;
  private isWhole = true;

  /** Yields the groups that are complete after these items. */
  *add(items: Iterable<Item>): Generator<ItemGroup> {
    for (const item of items) {
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
    yield { groupId: this.groupId, items: this.items, isWhole: this.isWhole && isLast };
    this.items = [];
    this.isWhole = isLast;
  }
}

/** A group of stored items, with their texts and fingerprints in the same order. */
export type StoredGroup = {
  readonly group: ItemGroup;
  /** The items as text. */
  readonly bodies: readonly string[];
  readonly fingerprints: readonly Buffer[];
  /** Of the items as their sources have them; null where nothing was done to the item. */
  readonly sources: readonly (Buffer | null)[];
};

export async function* storedGroups(
  session: Session,
  catalogId: string,
): AsyncGenerator<readonly StoredGroup[], void, void> {
  const builder = new StoredGroupBuilder();
  for await (const rows of eachItemBody(session, catalogId)) yield builder.add(rows);
  yield builder.end();
}

/**
 * A render reads every field of an item many times. Items that have the same fields, with or without a value, are read a third
 * faster than parsed ones, which have as many shapes as there are combinations of fields.
 */
const ALL_FIELDS: object = Object.fromEntries([...ITEM_FIELDS, "feed"].map((field) => [field, undefined]));

export const itemOf = (body: string): Item => ({ ...ALL_FIELDS, ...decodeItem(body) });

/** Groups of items that have just been read. */
export class StoredGroupBuilder {
  private readonly groups = new GroupBuilder();
  /** Of the items that are in no group yet. */
  private rows: StoredBody[] = [];

  add(rows: readonly StoredBody[]): readonly StoredGroup[] {
    this.rows.push(...rows);
    return this.paired(this.groups.add(rows.map(({ body }) => itemOf(body))));
  }

  end(): readonly StoredGroup[] {
    return this.paired(this.groups.end());
  }

  private paired(groups: Iterable<ItemGroup>): readonly StoredGroup[] {
    const paired: StoredGroup[] = [];
    let used = 0;
    for (const group of groups) {
      const rows = this.rows.slice(used, (used += group.items.length));
      paired.push({
        group,
        bodies: rows.map(({ body }) => body),
        fingerprints: rows.map(({ fingerprint }) => fingerprint),
        sources: rows.map(({ source }) => source),
      });
    }
    this.rows = this.rows.slice(used);
    return paired;
  }
}

/** The groups of items that are all in memory, in the order of the database. */
export function groupsOf(items: Iterable<Item>): readonly ItemGroup[] {
  const sorted = [...items].sort(
    (a, b) => compare(sortKey(a), sortKey(b)) || isAlone(a) - isAlone(b) || compare(a.id, b.id),
  );
  const groups = new GroupBuilder();
  return [...groups.add(sorted), ...groups.end()];
}

const sortKey = ({ id, groupId }: Item): string => groupId ?? id;
const isAlone = ({ groupId }: Item): number => Number(groupId === undefined);
const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** Finds the groups that are not as they were in the previous render, by comparing its index with the stored items. */
import type { Session } from "../../store/db.ts";
import { eachItemKey, type ItemKey } from "../../store/items.ts";
import { compareItems, flatten, type Flattened, type Place } from "./feed-order.ts";
import { type GroupEntry, isSameItem } from "./render-index.ts";

export type ChangedGroup = {
  readonly sortKey: Buffer;
  /** How many items it has now; none if it was removed. */
  readonly items: number;
};

export type ChangedGroups = {
  /** In feed order. */
  readonly groups: readonly ChangedGroup[];
  /** Items that are no longer where they were. */
  readonly removedIds: readonly string[];
};

/** A complete render is not much more work. */
export class TooManyChanges extends Error {}

/** A share of the items that makes it not worthwhile to keep the others. */
const MAX_SHARE = 0.25;
const ALWAYS_ALLOWED = 1_000;
/** All items of a group are in memory at once. */
const MAX_GROUP = 5_000;

/** `entries` are those of the previous render; groups that depend on the time may have to change without a new item. */
export async function findChangedGroups(
  session: Session,
  catalogId: string,
  { entries, items, now }: { entries: AsyncIterable<readonly GroupEntry[]>; items: number; now: string },
): Promise<ChangedGroups> {
  const limit = Math.max(ALWAYS_ALLOWED, items * MAX_SHARE);
  const changes = new Changes(limit);
  const before = flatten(entries, (entry) => itemsOf(entry, now));
  const stored = flatten(eachItemKey(session, catalogId), (key) => [placeOf(key)]);
  try {
    await compare(before, stored, changes);
  } finally {
    await before.close();
    // To the end: the connection is needed for the next statement.
    await stored.skipAll();
  }
  return changes.finish();
}

async function compare(
  before: Flattened<EntryItem>,
  stored: Flattened<StoredItem>,
  changes: Changes,
): Promise<void> {
  let [was, is] = [await before.next(), await stored.next()];
  while (was !== undefined || is !== undefined) {
    const order = compareItems(was, is);
    changes.note(order <= 0 ? was : undefined, order >= 0 ? is : undefined);
    if (order <= 0) was = before.take() ?? (await before.next());
    if (order >= 0) is = stored.take() ?? (await stored.next());
  }
}

type StoredItem = Place & Pick<ItemKey, "fingerprint" | "source">;

type EntryItem = Place & {
  readonly entry: GroupEntry;
  /** The place among the items of its entry. */
  readonly at: number;
  /** Whether time alone has changed a row or a verdict. */
  readonly isDue: boolean;
};

function itemsOf(entry: GroupEntry, now: string): readonly EntryItem[] {
  const { sortKey, isGrouped, ids, staleAt, sameUntil } = entry;
  const isDue = (staleAt !== null && staleAt <= now) || (sameUntil !== null && sameUntil <= now);
  return ids.map((id, at) => ({ sortKey, isGrouped, id, entry, at, isDue }));
}

function placeOf({ groupId, id, fingerprint, source }: ItemKey): StoredItem {
  return { sortKey: groupId ?? id, isGrouped: groupId !== null, id, fingerprint, source };
}

/** Keys arrive in feed order, several times each. */
class Changes {
  private readonly limit: number;
  private readonly groups: { sortKey: Buffer; items: number }[] = [];
  private readonly removedIds: string[] = [];
  private changed = 0;
  /** The group that is being compared. */
  private current: { sortKey: Buffer; items: number; isChanged: boolean } | undefined;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** An item as it was and as it is; undefined if it did not exist, or does not. */
  note(was: EntryItem | undefined, is: StoredItem | undefined): void {
    const place = is ?? was;
    if (!place) return;
    const group = this.at(place.sortKey);
    if (is) group.items += 1;
    else if (was) this.removedIds.push(was.id.toString());
    if (was && is && !was.isDue && isSameItem(was.entry, was.at, is)) return;
    group.isChanged = true;
    this.changed += 1;
    if (this.changed > this.limit) throw new TooManyChanges("too many items have changed");
  }

  finish(): ChangedGroups {
    this.close();
    return { groups: this.groups, removedIds: this.removedIds };
  }

  private at(sortKey: Buffer) {
    if (this.current && Buffer.compare(this.current.sortKey, sortKey) === 0) return this.current;
    this.close();
    this.current = { sortKey, items: 0, isChanged: false };
    return this.current;
  }

  private close(): void {
    const { current } = this;
    this.current = undefined;
    if (!current?.isChanged) return;
    if (current.items > MAX_GROUP) throw new TooManyChanges("a very large group has changed");
    // Copied: a part of a buffer keeps all of it in memory.
    this.groups.push({ sortKey: Buffer.from(current.sortKey), items: current.items });
  }
}

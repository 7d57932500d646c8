/** Finds the groups that are not as they were in the previous render, by comparing its index with the stored items. */
import type { Session } from "../../store/db.ts";
import { eachItemKey, type ItemKey } from "../../store/items.ts";
import { flatten, type Flattened } from "./feed-order.ts";
import type { IndexEntry } from "./index-entry.ts";
import { FINGERPRINT_BYTES } from "./render-index.ts";

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

/**
 * `entries` are those of the previous render; groups that depend on the time may have to change without a new item. `now` is in
 * milliseconds.
 */
export async function findChangedGroups(
  session: Session,
  catalogId: string,
  { entries, items, now }: { entries: AsyncIterable<readonly IndexEntry[]>; items: number; now: number },
): Promise<ChangedGroups> {
  const limit = Math.max(ALWAYS_ALLOWED, items * MAX_SHARE);
  const changes = new Changes(limit);
  const before = flatten(entries, (entry) => itemsOf(entry, now));
  const stored = flatten(eachItemKey(session, catalogId), (key) => [key]);
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
  stored: Flattened<ItemKey>,
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

type EntryItem = {
  readonly entry: IndexEntry;
  /** The place among the items of its entry. */
  readonly at: number;
  /** Whether time alone has changed a row or a verdict. */
  readonly isDue: boolean;
};

function itemsOf(entry: IndexEntry, now: number): readonly EntryItem[] {
  const { staleMs, sameUntilMs, items } = entry;
  const isDue = (staleMs !== 0 && staleMs <= now) || (sameUntilMs !== 0 && sameUntilMs <= now);
  const all: EntryItem[] = [];
  while (all.length < items) all.push({ entry, at: all.length, isDue });
  return all;
}

/** Bytes in a larger buffer: a buffer for each would cost more than the comparison. */
type Bytes = { readonly data: Buffer; readonly start: number; readonly end: number };

function compareBytes(a: Bytes, b: Bytes): number {
  const length = Math.min(a.end - a.start, b.end - b.start);
  for (let at = 0; at < length; at++) {
    const difference = (a.data[a.start + at] ?? 0) - (b.data[b.start + at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.end - a.start - (b.end - b.start);
}

const entryKey = ({ data, sortKeyStart, sortKeyEnd }: IndexEntry): Bytes => ({
  data,
  start: sortKeyStart,
  end: sortKeyEnd,
});

const entryId = ({ entry: { data, idRanges }, at }: EntryItem): Bytes => ({
  data,
  start: idRanges[2 * at] ?? 0,
  end: idRanges[2 * at + 1] ?? 0,
});

const storedId = ({ data, idStart, idEnd }: ItemKey): Bytes => ({ data, start: idStart, end: idEnd });

function storedKey(key: ItemKey): Bytes {
  const { data, groupStart, groupEnd } = key;
  return groupStart < 0 ? storedId(key) : { data, start: groupStart, end: groupEnd };
}

/** Negative if the earlier item comes first, zero if both are the same item: see `feed-order.ts`. */
function compareItems(was: EntryItem | undefined, is: ItemKey | undefined): number {
  if (was === undefined) return 1;
  if (is === undefined) return -1;
  return (
    compareBytes(entryKey(was.entry), storedKey(is)) ||
    Number(is.groupStart >= 0) - Number(was.entry.isGrouped) ||
    compareBytes(entryId(was), storedId(is))
  );
}

/** Whether the item, and what its source has of it, have the same fingerprints. */
function isSameItem({ entry, at }: EntryItem, { data, fingerprintStart, sourceStart }: ItemKey): boolean {
  const place = at * FINGERPRINT_BYTES;
  const source = sourceStart < 0 ? fingerprintStart : sourceStart;
  return (
    isSameFingerprint(entry.data, entry.fingerprintsStart + place, data, fingerprintStart) &&
    isSameFingerprint(entry.data, entry.sourcesStart + place, data, source)
  );
}

function isSameFingerprint(a: Buffer, aStart: number, b: Buffer, bStart: number): boolean {
  for (let at = 0; at < FINGERPRINT_BYTES; at++) if (a[aStart + at] !== b[bStart + at]) return false;
  return true;
}

/** Keys arrive in feed order, several times each. */
class Changes {
  private readonly limit: number;
  private readonly groups: { sortKey: Buffer; items: number }[] = [];
  private readonly removedIds: string[] = [];
  private changed = 0;
  /** The group that is being compared. */
  private current: { readonly sortKey: Bytes; items: number; isChanged: boolean } | undefined;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** An item as it was and as it is; undefined if it did not exist, or does not. */
  note(was: EntryItem | undefined, is: ItemKey | undefined): void {
    if (is) this.at(storedKey(is)).items += 1;
    else if (was) this.noteRemoved(was);
    if (!this.current || (was && is && !was.isDue && isSameItem(was, is))) return;
    this.current.isChanged = true;
    this.changed += 1;
    if (this.changed > this.limit) throw new TooManyChanges("too many items have changed");
  }

  finish(): ChangedGroups {
    this.close();
    return { groups: this.groups, removedIds: this.removedIds };
  }

  private noteRemoved(was: EntryItem): void {
    this.at(entryKey(was.entry));
    const { data, start, end } = entryId(was);
    this.removedIds.push(data.toString("utf8", start, end));
  }

  private at(sortKey: Bytes) {
    if (this.current && compareBytes(this.current.sortKey, sortKey) === 0) return this.current;
    this.close();
    this.current = { sortKey, items: 0, isChanged: false };
    return this.current;
  }

  private close(): void {
    const { current } = this;
    this.current = undefined;
    if (!current?.isChanged) return;
    if (current.items > MAX_GROUP) throw new TooManyChanges("a very large group has changed");
    const { data, start, end } = current.sortKey;
    // Copied: a part of a buffer keeps all of it in memory.
    this.groups.push({ sortKey: Buffer.from(data.subarray(start, end)), items: current.items });
  }
}

/**
 * Compares the previous index with all stored items. A render knows from the log of changes which groups have changed; the comparison is
 * for what the log does not know, and once a day for all.
 */
import type { Session } from "../../store/db.ts";
import { eachItemKey, type ItemKey } from "../../store/items.ts";
import { flatten, type Flattened } from "./feed-order.ts";
import type { IndexEntry } from "./index-entry.ts";
import { FINGERPRINT_BYTES } from "./render-index.ts";

/** A complete render is not much more work. */
export class TooManyChanges extends Error {}

/** The sort keys of the groups that differ, in feed order. */
export async function findChangedGroups(
  session: Session,
  catalogId: string,
  { entries, limit }: { entries: AsyncIterable<readonly IndexEntry[]>; limit: number },
): Promise<readonly Buffer[]> {
  const changes = new Changes(limit);
  const before = flatten(entries, itemsOf);
  const stored = flatten(eachItemKey(session, catalogId), (key) => [key]);
  try {
    await compare(before, stored, changes);
  } finally {
    await before.close();
    // To the end: the connection is needed for the next statement.
    await stored.skipAll();
  }
  return changes.keys;
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
};

const itemsOf = (entry: IndexEntry): readonly EntryItem[] =>
  Array.from({ length: entry.items }, (_, at) => ({ entry, at }));

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
  readonly keys: Buffer[] = [];
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** An item as it was and as it is; undefined if it did not exist, or does not. */
  note(was: EntryItem | undefined, is: ItemKey | undefined): void {
    if (was && is && isSameItem(was, is)) return;
    if (is) this.add(storedKey(is));
    else if (was) this.add(entryKey(was.entry));
  }

  private add(key: Bytes): void {
    const { data, start, end } = key;
    const last = this.keys.at(-1);
    if (last && compareBytes({ data: last, start: 0, end: last.length }, key) === 0) return;
    // Copied: a part of a buffer keeps all of it in memory.
    this.keys.push(Buffer.from(data.subarray(start, end)));
    if (this.keys.length > this.limit) throw new TooManyChanges("too many groups have changed");
  }
}

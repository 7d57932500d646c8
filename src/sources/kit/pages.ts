/**
 * Lists that are read page by page. A page that is too much for the shop is requested again with fewer rows. What a
 * shop changes during the read must not hide rows: keyset pages begin after the last id seen, numbered pages are read
 * again if rows are missing.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import { AppError } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import { prefetch } from "../../lib/prefetch.ts";
import { RefusedStatus } from "./failure.ts";
import { RetriesEnded } from "./retry.ts";
import { idIn, listIn, toObject } from "./json.ts";

export type ListPage = {
  readonly rows: readonly unknown[];
  /** The shop's own count of the rows in this list; null if it does not state one. */
  readonly total: number | null;
  /** For shops that state it. Otherwise a list ends with its total, or with an empty page. */
  readonly isLast?: boolean;
};

/** How often a list is read before it counts as incomplete. */
export const MAX_WALKS = 2;

/** What a server looks like that ran out of memory or time. */
const HEAVY_STATUSES: ReadonlySet<number> = new Set([500, 502, 504, 524]);

/** Whether a smaller page may work. */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  const { code, cause } = error;
  if (cause instanceof RetriesEnded) return false;
  if (code === "source_timeout" || code === "source_too_large") return true;
  return cause instanceof RefusedStatus && HEAVY_STATUSES.has(cause.status);
}

type Shrinking = {
  /** What a size is divided by. */
  readonly factor: number;
  readonly least: number;
  readonly maxShrinks?: number;
  /** Waits before the smaller request. */
  readonly pause?: () => Promise<void>;
};

/** Requests a page, with fewer rows while it is too large, and returns it with the size that worked. */
export async function fetchShrinking<T>(
  size: number,
  { factor, least, maxShrinks = Number.POSITIVE_INFINITY, pause }: Shrinking,
  fetch: (size: number) => Promise<T>,
): Promise<{ readonly page: T; readonly size: number }> {
  let current = size;
  for (let shrinks = 0; ; shrinks += 1) {
    try {
      return { page: await fetch(current), size: current };
    } catch (error) {
      if (current <= least || shrinks === maxShrinks || !isTooLarge(error)) throw error;
      current = Math.max(least, Math.floor(current / factor));
      await pause?.();
    }
  }
}

export type KeysetList = {
  /** Requests rows with ids above `afterId`, by ascending id. */
  readonly fetch: (afterId: number, size: number) => Promise<ListPage>;
  /** Of the first page; of all pages, if there is no `weight`. */
  readonly size: number;
  /** Bounds the memory of a page: the next size, up to `maxSize`, is chosen so that its rows weigh about `max`. */
  readonly weight?: { readonly of: (row: unknown) => number; readonly max: number; readonly maxSize: number };
  /** If the id is not the number in the field `id`. */
  readonly idOf?: (row: JsonObject) => number | undefined;
};

/** How often a page is requested with fewer rows. */
const MAX_SHRINKS = 3;

export type KeysetPage = {
  /** In the shop's order, without those that an earlier page had. */
  readonly rows: readonly unknown[];
  /** Where the next page begins. */
  readonly lastId: number;
  /** The shop's count from this page's first row on; null if it does not state one. */
  readonly remaining: number | null;
};

/** All rows after an id. A shop that ignores `afterId` is reported as malformed. */
export async function* keysetPages(list: KeysetList, afterId = 0): AsyncGenerator<KeysetPage, void, void> {
  let lastId = afterId;
  let { size } = list;
  while (true) {
    const from = lastId;
    const shrinking = { factor: 5, least: 1, maxShrinks: MAX_SHRINKS };
    const fetched = await fetchShrinking(size, shrinking, (smaller) => list.fetch(from, smaller));
    const { rows, total, isLast = total !== null && rows.length >= total } = fetched.page;
    if (rows.length === 0) return;
    const page = withoutKnown(rows, from, list.idOf);
    yield { ...page, remaining: total };
    if (isLast) return;
    if (page.lastId === from) throw new AppError("source_malformed", SAME_PAGE);
    lastId = page.lastId;
    size = nextSize(fetched.size, page.rows, list);
  }
}

const SAME_PAGE =
  "The shop's list cannot be read to its end: the same page came twice. If the settings of the source have an address, check it; otherwise the next sync tries again.";

/** Pages overlap when the shop changes between them, and some shops repeat a row. */
function withoutKnown(
  rows: readonly unknown[],
  afterId: number,
  idOf: (row: JsonObject) => number | undefined = idIn,
): Omit<KeysetPage, "remaining"> {
  const seen = new Set<number>();
  let lastId = afterId;
  const fresh = rows.filter((row) => {
    const id = idOf(toObject(row));
    // A row without an id cannot be compared. It is kept, so that it is counted as unreadable.
    if (id === undefined) return true;
    if (id <= afterId || seen.has(id)) return false;
    seen.add(id);
    lastId = Math.max(lastId, id);
    return true;
  });
  return { rows: fresh, lastId };
}

/** The events of the first page, for a sample. */
export async function* firstPageEvents<Event>(
  list: KeysetList,
  events: (page: KeysetPage) => AsyncGenerator<Event, void, void>,
): AsyncGenerator<Event, void, void> {
  for await (const page of keysetPages(list)) {
    yield* events(page);
    return;
  }
}

/** At most twice the last size, so that one page of light rows does not lead to one that is far too heavy. */
function nextSize(size: number, rows: readonly unknown[], { weight, size: usualSize }: KeysetList): number {
  if (weight === undefined) return usualSize;
  const sum = rows.reduce<number>((total, row) => total + weight.of(row), 0);
  const fitting = sum > 0 ? Math.floor((weight.max * rows.length) / sum) : weight.maxSize;
  return Math.max(1, Math.min(fitting, size * 2, weight.maxSize));
}

export type CountedList<Event> = {
  readonly list: KeysetList;
  /** The shop's own count of the rows. */
  readonly count: () => Promise<number>;
  readonly events: (page: KeysetPage) => AsyncGenerator<Event, void, void>;
  /** What the list has, for the message if it stays short: `product`. */
  readonly noun: string;
};

/**
 * The events of a whole list, compared with the shop's count. Rows that come or go during the read explain a difference
 * to one of two counts, at the start and at the end, but never to both. If rows are missing, the end of the list is
 * read again, because new rows have the highest ids. Returns the count at the end.
 */
export async function* readCountedList<Event>({
  list,
  count,
  events,
  noun,
}: CountedList<Event>): AsyncGenerator<Event, number, void> {
  let stated = Number.POSITIVE_INFINITY;
  let lastId = 0;
  let read = 0;
  for (let walk = 1; ; walk += 1) {
    let isFirst = walk === 1;
    for await (const page of prefetch(keysetPages(list, lastId))) {
      if (isFirst) stated = page.remaining ?? stated;
      isFirst = false;
      lastId = page.lastId;
      read += page.rows.length;
      yield* events(page);
    }
    const atEnd = await count();
    if (read >= Math.min(stated, atEnd)) return atEnd;
    if (walk === MAX_WALKS) throw incomplete("The shop", Math.min(stated, atEnd), read, noun);
  }
}

function incomplete(owner: string, stated: number, read: number, noun: string): AppError {
  const message = `${owner} says it has ${counted(stated, noun)}, but only ${read} could be read. Nothing was changed; the next sync reads the shop again.`;
  return new AppError("source_incomplete", message);
}

/**
 * A short list that has page numbers only. Rows move between pages when the list changes, so a walk that ends with
 * fewer rows than the shop counts is repeated once. Returns the rows, each id once.
 */
async function readNumberedPages(
  owner: string,
  { fetch, size, noun }: SublistOptions,
  id: number,
): Promise<readonly unknown[]> {
  let stated = 0;
  let read = 0;
  for (let walk = 0; walk < MAX_WALKS; walk += 1) {
    const byId = new Map<number, unknown>();
    const withoutId: unknown[] = [];
    for (let page = 1, isLast = false; !isLast; page += 1) {
      const { rows, total } = await fetch(id, page, size);
      for (const row of rows) {
        const rowId = idIn(toObject(row));
        if (rowId === undefined) withoutId.push(row);
        else byId.set(rowId, row);
      }
      stated = total ?? 0;
      isLast = rows.length === 0 || (total !== null && page * size >= total);
    }
    read = byId.size + withoutId.length;
    if (read >= stated) return [...byId.values(), ...withoutId];
  }
  throw incomplete(owner, stated, read, noun);
}

export type SublistOptions = {
  /** The field of a row that includes the list. */
  readonly field: string;
  /** An included list of this length may have been truncated. */
  readonly suspiciousLength: number;
  /** How many entries the lists of these rows have in all. */
  readonly count: (ids: readonly number[]) => Promise<number>;
  /** A page of the list of one row. */
  readonly fetch: (id: number, page: number, size: number) => Promise<ListPage>;
  readonly size: number;
  readonly noun: string;
};

/**
 * Lists inside rows, such as the variants of products, that the platform may truncate without a sign of it. The long
 * ones of a page are counted in one request. If the shop has more, those rows' own lists are read.
 */
export async function sublistReader(
  rows: readonly JsonObject[],
  options: SublistOptions,
): Promise<(row: JsonObject) => Promise<readonly unknown[]>> {
  const { field, suspiciousLength, count } = options;
  const long = rows.filter((row) => listIn(row, field).length >= suspiciousLength);
  const ids = new Set(long.flatMap((row) => idIn(row) ?? []));
  const known = long.reduce((sum, row) => sum + listIn(row, field).length, 0);
  const isTruncated = ids.size > 0 && (await count([...ids])) > known;
  return (row) => {
    const id = idIn(row);
    return isTruncated && id !== undefined && ids.has(id)
      ? readNumberedPages(`Product ${id}`, options, id)
      : Promise.resolve(listIn(row, field));
  };
}

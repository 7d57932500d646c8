/**
 * A whole list by offset, in ascending order of id, for shops that cannot list "after this id". Each page begins with
 * the last row of the page before. If a page has no known row, rows before it were removed: the next request goes back
 * until a page has one. So every row that stays in the shop is read, whatever is added or removed during the read.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import { AppError } from "../../errors.ts";
import { idSet } from "./id-set.ts";
import { idIn, toObject } from "./json.ts";
import { fetchShrinking, MAX_WALKS, type ListPage } from "./pages.ts";

export type OffsetList = {
  readonly fetch: (offset: number, size: number) => Promise<ListPage>;
  readonly maxSize: number;
  /** Pages are made smaller down to this size if they are too much for the shop. */
  readonly minSize: number;
  /** Waits before a smaller page is requested. */
  readonly pause: () => Promise<void>;
  /**
   * For messages: whose list it is (`shop.example`), what it lists (`products`), and what to do if rows are missing.
   */
  readonly owner: string;
  readonly noun: string;
  readonly advice: string;
};

/** The shop counts more rows than it returns. */
export class IncompleteList extends AppError {
  readonly missing: number;

  constructor({ owner, noun, advice }: OffsetList, total: number, read: number) {
    const message = `${owner} says it has ${total} ${noun}, but gave ${read} of them, twice. Nothing was changed; the next sync reads it again. ${advice}`;
    super("source_incomplete", message);
    this.missing = total - read;
  }
}

/** A shop that claims more rows than this beyond those it returned is not believed. */
const MAX_UNSEEN = 1_000;

/** Each row once. A row that is not an object, or has no id, is an object without an id. */
export async function* offsetPages(list: OffsetList): AsyncGenerator<readonly JsonObject[], void, void> {
  const walk = startWalk(list);
  for (let pass = 1; pass <= MAX_WALKS; pass += 1) {
    let offset: number | null = 0;
    while (offset !== null) {
      const { fresh, next }: Step = await walk.step(offset);
      if (fresh.length > 0) yield fresh;
      offset = next;
    }
    if (walk.missing() <= 0) return;
  }
  throw new IncompleteList(list, walk.read() + walk.missing(), walk.read());
}

type Step = { readonly fresh: readonly JsonObject[]; readonly next: number | null };

function startWalk({ fetch, maxSize, minSize, pause }: OffsetList) {
  const seen = idSet();
  let size = maxSize;
  let withoutId = 0;
  let reached = 0;
  let total: number | null = null;
  let hasGoneBack = false;
  /** An offset whose page needs no known row: the page before it was requested again and had not changed. */
  let trusted = 0;

  const read = (): number => seen.size() + withoutId;

  /** A row without an id is recognized by its offset, which is right as long as no row moves. */
  function isFresh(row: JsonObject, offset: number): boolean {
    const id = idIn(row);
    if (id !== undefined) return seen.add(id);
    if (offset < reached) return false;
    withoutId += 1;
    return true;
  }

  function nextOffset(offset: number, count: number, hasFresh: boolean): number | null {
    const end = offset + count;
    if (total === null ? !hasFresh : end >= total) return null;
    if (count === 0 || end > read() + MAX_UNSEEN) return null;
    // A page of one row cannot repeat one.
    trusted = count === 1 || (hasGoneBack && !hasFresh) ? end : 0;
    hasGoneBack = false;
    return trusted > 0 ? trusted : end - 1;
  }

  return {
    step: async (offset: number): Promise<Step> => {
      const shrinking = { factor: 2, least: minSize, pause };
      const fetched = await fetchShrinking(size, shrinking, (smaller) => fetch(offset, smaller));
      size = fetched.size;
      const rows = fetched.page.rows.map(toObject);
      // Beyond the end of a list, WordPress and others state a total of 0.
      if (rows.length > 0 || offset === 0) total = fetched.page.total;
      if (offset > 0 && offset !== trusted && !rows.some((row) => seen.has(idIn(row) ?? 0))) {
        hasGoneBack = true;
        return { fresh: [], next: Math.max(0, offset - size + 1) };
      }
      const fresh = rows.filter((row, index) => isFresh(row, offset + index));
      reached = Math.max(reached, offset + rows.length);
      return { fresh, next: nextOffset(offset, rows.length, fresh.length > 0) };
    },
    read,
    missing: () => (total ?? 0) - read(),
  };
}

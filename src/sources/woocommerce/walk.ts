/**
 * A whole list, page by page, with nothing lost when it changes under us. Pages are asked for by offset, in order of
 * id, each beginning with the last row of the one before: a page that holds nothing we know means that rows before
 * it have gone, and we step back until it does. So a row that stays in the shop is always met, whatever comes and
 * goes around it. What was met is compared with the shop's own total; a list that stays short is no list.
 */
import { AppError } from "../../errors.ts";
import { sleep } from "../../lib/async.ts";
import type { List, Page, WooApi } from "./api.ts";
import { HeavyAnswer } from "./failures.ts";
import { idSet } from "../kit/id-set.ts";
import type { WooLimits } from "./limits.ts";
import { idIn, isRow, type Row } from "./wire.ts";

export type Listed =
  | { readonly kind: "row"; readonly id: number; readonly row: Row }
  /** No object, or one without an id. */
  | { readonly kind: "broken" };

export const BY_ID = { orderby: "id", order: "asc" } as const;

export type Walker = {
  readonly api: WooApi;
  readonly limits: WooLimits;
  readonly signal: AbortSignal;
};

/** The shop counts more than it gives. */
export class Shortfall extends AppError {
  readonly missing: number;

  constructor(message: string, missing: number) {
    super("source_incomplete", message);
    this.missing = missing;
  }
}

const PASSES = 2;
/** How much further than the rows it gave a shop may claim its list to go on before it is not believed. */
const MOST_UNSEEN = 1_000;

export async function* walkList(walker: Walker, list: List): AsyncGenerator<readonly Listed[], void, void> {
  const walk = newWalk(walker, list);
  for (let pass = 1; pass <= PASSES; pass += 1) {
    let offset: number | null = 0;
    while (offset !== null) {
      const { fresh, next }: Step = await walk.step(offset);
      if (fresh.length > 0) yield fresh;
      offset = next;
    }
    if (walk.isComplete()) return;
  }
  throw walk.shortfall();
}

type Step = { readonly fresh: readonly Listed[]; readonly next: number | null };

function newWalk(walker: Walker, list: List) {
  const fetchPage = shrinkingPages(walker, list);
  const seen = idSet();
  let broken = 0;
  let reached = 0;
  let total: number | null = null;
  let hasSteppedBack = false;
  /** A place that needs no known row: it follows a page that was looked at again and had not changed. */
  let trusted = 0;

  /** Rows without an id cannot be recognized, only their place: as long as nothing moves, that tells them apart. */
  function isFresh(entry: Listed, place: number): boolean {
    if (entry.kind === "row") return seen.add(entry.id);
    if (place < reached) return false;
    broken += 1;
    return true;
  }

  function isJoined(offset: number, rows: readonly Listed[]): boolean {
    return offset === trusted || rows.some((entry) => entry.kind === "row" && seen.has(entry.id));
  }

  function nextOffset(offset: number, count: number, hasFresh: boolean): number | null {
    const end = offset + count;
    if (total === null ? !hasFresh : end >= total) return null;
    if (count === 0 || end > seen.size() + broken + MOST_UNSEEN) return null;
    // A page of one row has none to spare.
    trusted = count === 1 || (hasSteppedBack && !hasFresh) ? end : 0;
    hasSteppedBack = false;
    return trusted > 0 ? trusted : end - 1;
  }

  return {
    step: async (offset: number): Promise<Step> => {
      const page = await fetchPage(offset);
      const rows = page.rows.map(listedIn);
      // WordPress counts nothing where it finds nothing: past the end of a list its total is 0.
      if (rows.length > 0 || offset === 0) total = page.total;
      if (offset > 0 && !isJoined(offset, rows)) {
        hasSteppedBack = true;
        return { fresh: [], next: Math.max(0, offset - page.size + 1) };
      }
      const fresh = rows.filter((entry, index) => isFresh(entry, offset + index));
      reached = Math.max(reached, offset + rows.length);
      return { fresh, next: nextOffset(offset, rows.length, fresh.length > 0) };
    },
    isComplete: () => total === null || seen.size() + broken >= total,
    shortfall: () => {
      const given = seen.size() + broken;
      return new Shortfall(
        `${walker.api.host} says it has ${total} ${list.what}, but gave ${given} of them, twice. Nothing was changed; the next sync reads it again. If this stays so, a plugin of the shop hides ${list.what} from its REST API.`,
        (total ?? given) - given,
      );
    },
  };
}

export function listedIn(value: unknown): Listed {
  const id = isRow(value) ? idIn(value) : null;
  return isRow(value) && id !== null ? { kind: "row", id, row: value } : { kind: "broken" };
}

/** Pages that get smaller when the host cannot manage them, and stay so for the rest of the list. */
function shrinkingPages({ api, limits, signal }: Walker, list: List) {
  let size = limits.pageSize;
  return async (offset: number): Promise<Page & { readonly size: number }> => {
    while (true) {
      const isLeast = size <= limits.leastPageSize;
      try {
        return { ...(await api.page(list, { offset, size, isLeast })), size };
      } catch (error) {
        if (isLeast || !isTooMuch(error)) throw error;
        size = Math.max(limits.leastPageSize, Math.floor(size / 2));
        await sleep(limits.retries.waitsMs[0] ?? 0, signal);
      }
    }
  };
}

const TOO_MUCH: ReadonlySet<string> = new Set(["source_timeout", "source_too_large"]);

function isTooMuch(error: unknown): boolean {
  return error instanceof HeavyAnswer || (error instanceof AppError && TOO_MUCH.has(error.code));
}

/**
 * Removes pushed items that match a filter. The removal is a push like any other: its body deletes each item that the
 * search finds, so that it has a run with counts, a render and an audit. Items of sources are not touched, because the
 * next sync would bring them back.
 */
import { Readable } from "node:stream";
import { AppError, invalidRequest } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import type { Db } from "../../store/db.ts";
import { findItems } from "../../store/items.ts";
import type { Notices } from "../../store/notices.ts";
import { type ItemFilter, searchItems } from "../items/item-search.ts";
import { searchTerms } from "../render/search-list.ts";
import { type PushRequest, requestPush } from "./request.ts";

export type RemovalDeps = { readonly db: Db; readonly notices: Notices; readonly folders: FeedFolders };

/** Which of the pushed items: exactly one of `ids`, `all` and filters. */
export type RemovedItems = Omit<ItemFilter, "sourceId"> & {
  readonly ids?: readonly string[] | undefined;
  /** Every pushed item. */
  readonly all?: boolean | undefined;
};

export type FoundForRemoval = { readonly matched: number; readonly examples: readonly string[] };

const EXAMPLES = 10;
const PAGE = 500;

/** A removal without a filter is refused unless `all` says that every item is meant. */
export function checkRemoval({ all = false, ids, ...filter }: RemovedItems): void {
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const ways = [all, ids !== undefined, isFiltered].filter(Boolean).length;
  if (ways === 0)
    throw invalidRequest("Say which items: a filter, ids, or all to remove every pushed item.", "/all");
  if (ways > 1) throw invalidRequest("Send only one of ids, all and filters.", "/all");
  // A search for accents alone would find every item.
  if (filter.q !== undefined && searchTerms(filter.q).length === 0)
    throw invalidRequest("The search text has no letters, digits or signs to search for.", "/q");
}

/** The number of items that a removal would remove now. */
export async function findForRemoval(
  deps: RemovalDeps,
  catalogId: string,
  items: RemovedItems,
  onPage?: (ids: readonly string[]) => void,
): Promise<FoundForRemoval> {
  let matched = 0;
  const examples: string[] = [];
  for await (const ids of pushedIds(deps, catalogId, items)) {
    matched += ids.length;
    if (ids.length > 0) onPage?.(ids);
    examples.push(...ids.slice(0, EXAMPLES - examples.length));
  }
  return { matched, examples };
}

export type RemovalRequest = Pick<PushRequest, "catalogId" | "guard" | "onOpen" | "signal"> & {
  readonly items: RemovedItems;
  /** How many the caller expects; null: any number. */
  readonly expected: number | null;
};

/** Queues the removal; returns its run and what it removes. */
export async function requestRemoval(
  deps: RemovalDeps,
  { items, expected, ...request }: RemovalRequest,
): Promise<FoundForRemoval & { readonly runId: string }> {
  // The body is made once: what is removed is exactly what was counted.
  const body: Uint8Array[] = [];
  const found = await findForRemoval(deps, request.catalogId, items, (ids) => body.push(deletions(ids)));
  if (found.matched === 0)
    throw new AppError(
      "not_found",
      "No pushed item matches, so nothing was removed. Items of a source are removed in the source.",
    );
  if (expected !== null && expected !== found.matched)
    throw new AppError(
      "conflict",
      `${counted(found.matched, "item matches", "items match")} now, not ${expected}. Nothing was removed; look at them again.`,
    );
  const { runId } = await requestPush(deps, {
    ...request,
    key: null,
    mode: "update",
    format: "json_lines",
    file: null,
    coding: "identity",
    // The person who asks for it has decided how many items are removed.
    maxRemovedRatio: 1,
    bytes: Readable.from(body),
  });
  return { ...found, runId };
}

const deletions = (ids: readonly string[]): Uint8Array =>
  Buffer.from(ids.map((id) => `${JSON.stringify({ id, delete: true })}\n`).join(""));

/** In pages. A text is looked for in the items of the last render, as in every search. */
async function* pushedIds(
  { db, folders }: RemovalDeps,
  catalogId: string,
  { ids, all: _all, ...filter }: RemovedItems,
): AsyncGenerator<readonly string[]> {
  if (ids) {
    const rows = await findItems(db, catalogId, ids);
    yield rows.filter(({ sourceId }) => sourceId === null).map(({ id }) => id);
    return;
  }
  let cursor: string | undefined;
  do {
    const place = cursor === undefined ? {} : { cursor };
    const search = { ...filter, sourceId: null, ...place, limit: PAGE };
    const { lines, nextCursor } = await searchItems({ db, folders }, catalogId, search);
    yield lines.map(({ item }) => item.id);
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/**
 * Finds items by text, source, group, audit rule, and by the file whose destination refuses them. One filter gives the
 * candidates, in its own order; the others are checked on the items as they are now. A search that takes long ends
 * early, with a cursor: no request scans a whole catalog.
 */
import { ALL_RULES } from "../../audit/ruleset.ts";
import { ruleNumbersOf } from "../../audit/verdict.ts";
import { decodeItem, type Item } from "../../catalog/item.ts";
import type { FeedFile } from "../../channels/registry.ts";
import { AppError } from "../../errors.ts";
import { badCursor, decodeCursor, encodeCursor } from "../../lib/cursor.ts";
import { isUuid } from "../../lib/id.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import { findCatalog, type Catalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { listFeedFiles } from "../../store/feed-files.ts";
import {
  findItems,
  listGroupIds,
  listItemIds,
  listSourceIds,
  type IdPage,
  type IdWindow,
  type ItemRow,
} from "../../store/items.ts";
import { findVerdicts, listFindings } from "../../store/verdicts.ts";
import { openLines } from "../render/refusal-pages.ts";
import { openSearch, searchTerms, searchText } from "../render/search-list.ts";
import { itemLineOf, type ItemLine } from "./item-view.ts";

export type ItemFilter = {
  readonly q?: string;
  /** Null: pushed items. */
  readonly sourceId?: string | null;
  readonly groupId?: string;
  /** A rule's id: items on which the newest audit found something by it. */
  readonly finding?: string;
  readonly refusedIn?: FeedFile;
};

export type ItemSearch = ItemFilter & { readonly cursor?: string; readonly limit: number };

export type FoundItems = { readonly lines: readonly ItemLine[]; readonly nextCursor: string | null };

type SearchDeps = { readonly db: Queries; readonly folders: FeedFolders };

/** A candidate, or null for a stretch without one; the search can go on after it at `cursor`. */
type SearchCandidate = { readonly itemId: string | null; readonly cursor: string };

/** After this time a page ends with what was found. */
const MAX_MS = 150;
const BATCH = 200;

export async function searchItems(
  deps: SearchDeps,
  catalogId: string,
  search: ItemSearch,
): Promise<FoundItems> {
  const catalog = await findCatalog(deps.db, catalogId);
  if (!catalog) return { lines: [], nextCursor: null };
  const rule = ruleNumber(search.finding);
  const isWanted = checksOf(search);
  const until = performance.now() + MAX_MS;
  const lines: ItemLine[] = [];
  let batch: SearchCandidate[] = [];
  let last: string | null = null;

  /** Adds the items of the batch that pass every check; true when the page is full. */
  const check = async (): Promise<boolean> => {
    if (batch.length === 0) return false;
    const ids = batch.flatMap(({ itemId }) => itemId ?? []);
    const rows = new Map((await findItems(deps.db, catalogId, ids)).map((row) => [row.id, row]));
    const verdicts = await findVerdicts(deps.db, catalogId, ids);
    for (const { itemId, cursor } of batch) {
      const row = itemId === null ? undefined : rows.get(itemId);
      if (row) {
        const item = decodeItem(row.body);
        const verdict = verdicts.get(row.id);
        if (hasFinding(verdict, rule) && isWanted(item, row)) {
          if (lines.length === search.limit) return true;
          lines.push(itemLineOf(item, row.sourceId, verdict));
        }
      }
      last = cursor;
    }
    batch = [];
    return false;
  };

  for await (const candidate of await candidatesOf(deps, catalog, { ...search, rule })) {
    if (candidate.itemId === null && batch.length === 0) last = candidate.cursor;
    else batch.push(candidate);
    const isSlow = performance.now() > until;
    if (batch.length < BATCH && !isSlow) continue;
    if ((await check()) || isSlow) return { lines, nextCursor: last };
  }
  const hasMore = await check();
  return { lines, nextCursor: hasMore ? last : null };
}

function ruleNumber(id: string | undefined): number | undefined {
  if (id === undefined) return undefined;
  const rule = ALL_RULES.find((known) => known.id === id);
  if (rule) return rule.number;
  throw new AppError("invalid_request", `There is no audit rule "${id}"; docs/audit-rules.md lists them.`, {
    fields: [{ pointer: "/finding", detail: "is not the id of an audit rule" }],
  });
}

function hasFinding(verdict: Buffer | null | undefined, rule: number | undefined): boolean {
  return rule === undefined || (verdict ? ruleNumbersOf(verdict).includes(rule) : false);
}

function checksOf({ q, sourceId, groupId }: ItemFilter): (item: Item, row: ItemRow) => boolean {
  const terms = searchTerms(q ?? "");
  return (item, row) => {
    if (sourceId !== undefined && row.sourceId !== sourceId) return false;
    if (groupId !== undefined && item.groupId !== groupId) return false;
    if (terms.length === 0) return true;
    const text = searchText(item);
    return terms.every((term) => text.includes(term));
  };
}

type Wanted = ItemSearch & { readonly rule: number | undefined };

/** From the filter that leaves the fewest, as far as that can be known beforehand. */
async function candidatesOf(
  deps: SearchDeps,
  catalog: Catalog,
  wanted: Wanted,
): Promise<AsyncIterable<SearchCandidate>> {
  const { q, groupId, refusedIn, rule, cursor } = wanted;
  const { db } = deps;
  if (refusedIn !== undefined) return refusedItems(deps, catalog, { file: refusedIn, cursor });
  if (groupId !== undefined)
    return byId(cursor, async (page) =>
      windowOf(page, await listGroupIds(db, catalog.id, { groupId, ...page })),
    );
  const terms = searchTerms(q ?? "");
  const found = terms.length === 0 ? undefined : await textMatches(deps, catalog, { terms, cursor });
  if (found) return found;
  if (rule !== undefined)
    return byId(cursor, async (page) => windowOf(page, await findingIds(db, catalog, rule, page)));
  const { sourceId } = wanted;
  if (sourceId !== undefined)
    return byId(cursor, async (page) => listSourceIds(db, catalog.id, { sourceId, ...page }));
  return byId(cursor, async (page) => windowOf(page, await listItemIds(db, catalog.id, page)));
}

async function findingIds(db: Queries, catalog: Catalog, rule: number, { after, limit }: IdPage) {
  const rows = await listFindings(db, catalog, { rules: [rule], from: after, limit: limit + 1 });
  const ids = rows.map(({ itemId }) => itemId).filter((id) => id > after);
  return ids.slice(0, limit);
}

/** A page with fewer ids than it may have is the last. */
const windowOf = ({ limit }: IdPage, ids: readonly string[]): IdWindow => ({
  ids,
  last: ids.length < limit ? null : (ids.at(-1) ?? null),
});

/** Pages of ids, each beginning after the last id that the one before looked at. */
async function* byId(
  cursor: string | undefined,
  list: (page: IdPage) => Promise<IdWindow>,
): AsyncGenerator<SearchCandidate> {
  const [from = ""] = cursor === undefined ? [] : decodeCursor(cursor, ["string"]).map(String);
  for (let after: string | null = from; after !== null; ) {
    const { ids, last }: IdWindow = await list({ after, limit: BATCH });
    for (const id of ids) yield { itemId: id, cursor: encodeCursor([id]) };
    if (last !== null) yield { itemId: null, cursor: encodeCursor([last]) };
    after = last;
  }
}

type SearchPosition = { readonly folder: string; readonly from: number };

/** Where to read: from the cursor's byte of the render that the first page was read from, or from the newest one. */
async function placeOf(
  db: Queries,
  { publishedRunId }: Catalog,
  cursor: string | undefined,
): Promise<SearchPosition | undefined> {
  if (cursor !== undefined) {
    const [folder, from] = decodeCursor(cursor, ["string", "number"]);
    if (!isUuid(String(folder)) || !Number.isSafeInteger(from) || Number(from) < 0) throw badCursor();
    return { folder: String(folder), from: Number(from) };
  }
  const [file] = publishedRunId === null ? [] : await listFeedFiles(db, publishedRunId);
  return file && { folder: file.folder, from: 0 };
}

/** Undefined if there is no list to search: before the first render, or after one of an older version. */
async function textMatches(
  { db, folders }: SearchDeps,
  catalog: Catalog,
  { terms, cursor }: { readonly terms: readonly string[]; readonly cursor: string | undefined },
): Promise<AsyncIterable<SearchCandidate> | undefined> {
  if (cursor !== undefined && isIdCursor(cursor)) return undefined;
  const place = await placeOf(db, catalog, cursor);
  const hits =
    place &&
    (await openSearch(folders, { catalogId: catalog.id, folder: place.folder }, { ...place, terms }));
  if (place === undefined || hits === undefined) {
    if (cursor === undefined) return undefined;
    throw outdated();
  }
  const { folder } = place;
  return mapped(hits, ({ itemId, next }) => ({ itemId, cursor: encodeCursor([folder, next]) }));
}

/** A search that began without a list goes on without one. */
function isIdCursor(cursor: string): boolean {
  try {
    decodeCursor(cursor, ["string"]);
    return true;
  } catch {
    return false;
  }
}

async function refusedItems(
  { db, folders }: SearchDeps,
  catalog: Catalog,
  { file, cursor }: { readonly file: FeedFile; readonly cursor: string | undefined },
): Promise<AsyncIterable<SearchCandidate>> {
  const place = await placeOf(db, catalog, cursor);
  const lines =
    place && (await openLines(folders, { catalogId: catalog.id, folder: place.folder }, place.from));
  if (place === undefined || lines === undefined) {
    if (cursor === undefined) return mapped(none(), (candidate) => candidate);
    throw outdated();
  }
  const { folder } = place;
  return mapped(lines, ({ line, next }) => ({
    itemId: line.file === file ? line.item_id : null,
    cursor: encodeCursor([folder, next]),
  }));
}

// oxlint-disable-next-line require-yield -- there is nothing to yield
async function* none(): AsyncGenerator<SearchCandidate> {
  await Promise.resolve();
}

async function* mapped<From>(
  all: AsyncIterable<From>,
  change: (one: From) => SearchCandidate,
): AsyncGenerator<SearchCandidate> {
  for await (const one of all) yield change(one);
}

const outdated = (): AppError =>
  new AppError(
    "invalid_request",
    "The cursor is too old: the feeds were rendered anew since. Search again.",
    {
      fields: [{ pointer: "/cursor", detail: "is of a render that is no longer kept" }],
    },
  );

/** One item: its stored data, its audit, and its form in each feed. */
import { auditItem, type ItemReport } from "../../audit/audit-item.ts";
import { decodeVerdict, ruleNumbersOf, scoreOf } from "../../audit/verdict.ts";
import { decodeItem, type Item, type ItemGroup } from "../../catalog/item.ts";
import type { PublishedItem } from "../../contract/items.ts";
import { AppError } from "../../errors.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { findItem, listGroups, listItems } from "../../store/items.ts";
import { findSource, type SourceRow } from "../../store/sources.ts";
import { findVerdicts } from "../../store/verdicts.ts";
import { auditContext } from "../audit/pass.ts";
import { publishedItem, type ServedDeps } from "../publication/comparison/served-item.ts";
import { MAX_PART } from "../render/item-groups.ts";
import { feedContext, feedViews, type FeedView } from "../render/item-in-feeds.ts";

export type ItemView = {
  readonly item: Item;
  readonly sourceId: string | null;
  readonly source: SourceRow | undefined;
  /** Null until an audit included the item. */
  readonly score: number | null;
  readonly report: ItemReport;
  /** What the served files have of it; null before the first publication. */
  readonly published: PublishedItem | null;
  readonly feeds: readonly FeedView[];
};

/** Ids are stored in NFC, in which the same letters have the same code points. */
export const storedForm = (id: string): string => id.normalize("NFC");

export async function viewItem(deps: ServedDeps, catalogId: string, writtenId: string): Promise<ItemView> {
  const { db } = deps;
  const id = storedForm(writtenId);
  const catalog = await findCatalog(db, catalogId);
  const row = await findItem(db, catalogId, id);
  if (!catalog || !row) throw new AppError("not_found", `This catalog has no item "${id}".`);
  const item = decodeItem(row.body);
  const group = await loadGroup(db, catalogId, item);
  const verdict = (await findVerdicts(db, catalogId, [id])).get(id);
  const context = await auditContext(db, catalog, new Date());
  // For a group that is too large to load, the stored verdict has the comparisons with siblings.
  const options = {
    ...(group.isWhole && { siblings: group.items }),
    ...(verdict !== undefined && { verdict }),
  };
  const placed = { group, at: group.items.findIndex((one) => one.id === id) };
  return {
    item,
    sourceId: row.sourceId,
    source: row.sourceId === null ? undefined : await findSource(db, row.sourceId),
    score: verdict === undefined ? null : shownScore(verdict),
    report: auditItem(item, context, options),
    published: await publishedItem(deps, catalog, placed),
    feeds: feedViews(placed, feedContext(catalog)),
  };
}

/** The stored group of an item; the first part of one that is too large to load, with the item. */
export async function loadGroup(db: Queries, catalogId: string, item: Item): Promise<ItemGroup> {
  const { groupId } = item;
  if (groupId === undefined) return { groupId: null, items: [item], isWhole: true };
  const rows = await listGroups(db, catalogId, { groupIds: [groupId], limit: MAX_PART + 1 });
  const items = rows.slice(0, MAX_PART).map(({ body }) => decodeItem(body));
  const isIncluded = items.some(({ id }) => id === item.id);
  return { groupId, items: isIncluded ? items : [...items, item], isWhole: rows.length <= MAX_PART };
}

export type ItemLine = {
  readonly item: Item;
  readonly sourceId: string | null;
  readonly score: number | null;
  readonly findings: number | null;
};

export async function pageItems(
  db: Queries,
  catalogId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<{ readonly lines: readonly ItemLine[]; readonly hasMore: boolean }> {
  const rows = await listItems(db, catalogId, { after, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const ids = shown.map(({ id }) => id);
  const verdicts = await findVerdicts(db, catalogId, ids);
  const lines = shown.map(({ id, sourceId, body }): ItemLine => {
    return itemLineOf(decodeItem(body), sourceId, verdicts.get(id));
  });
  return { lines, hasMore: rows.length > limit };
}

/** `verdict` is undefined for an item that no audit has included yet. */
export function itemLineOf(
  item: Item,
  sourceId: string | null,
  verdict: Buffer | null | undefined,
): ItemLine {
  if (verdict === undefined) return { item, sourceId, score: null, findings: null };
  const findings = verdict === null ? 0 : ruleNumbersOf(verdict).length;
  return { item, sourceId, score: shownScore(verdict), findings };
}

const shownScore = (verdict: Buffer | null): number =>
  verdict === null ? 100 : scoreOf(decodeVerdict(verdict));

/** One item: its stored data, its audit, and its form in each feed. */
import { auditItem } from "../../audit/audit-item.ts";
import type { ItemReport } from "../../audit/audit-item.ts";
import { ruleNumbersOf, scoreOf } from "../../audit/verdict.ts";
import { decodeItem } from "../../catalog/fingerprint.ts";
import type { Item } from "../../catalog/item.ts";
import type { ItemGroup } from "../../catalog/item-group.ts";
import { AppError } from "../../errors.ts";
import { CHANNELS, FEED_FILES, type FeedFile } from "../../channels/registry.ts";
import type { Exclusion, FeedContext } from "../../channels/channel.ts";
import { delimitedReader } from "../../lib/formats/delimited.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { findItem, listGroups, listItems } from "../../store/items.ts";
import { findSource } from "../../store/sources.ts";
import type { SourceRow } from "../../store/sources.ts";
import { findVerdict, findVerdicts } from "../../store/verdicts.ts";
import { auditContext } from "./pass.ts";
import { MAX_PART } from "../render/item-groups.ts";

export type FeedView = {
  readonly file: FeedFile;
  /** Null when the item is in the file. */
  readonly exclusion: Exclusion | null;
  /** The item as the file has it; for tables, with the line of column names. */
  readonly text: string | null;
  /** The filled columns of a table, in its order; null for files that are no table. */
  readonly columns: readonly Column[] | null;
};

export type Column = { readonly name: string; readonly value: string };

export type ItemView = {
  readonly item: Item;
  readonly sourceId: string | null;
  readonly source: SourceRow | undefined;
  /** Null until an audit included the item. */
  readonly score: number | null;
  readonly report: ItemReport;
  readonly feeds: readonly FeedView[];
};

export async function viewItem(db: Queries, catalogId: string, id: string): Promise<ItemView> {
  const catalog = await findCatalog(db, catalogId);
  const row = await findItem(db, catalogId, id);
  if (!catalog || !row) throw new AppError("not_found", `This catalog has no item "${id}".`);
  const item = decodeItem(row.body);
  const group = await loadGroup(db, catalogId, item);
  const stored = await findVerdict(db, catalogId, id);
  const context = await auditContext(db, catalog, new Date());
  // For a group that is too large to load, the stored verdict has the comparisons with siblings.
  const options = {
    ...(group.whole && { siblings: group.items }),
    ...(stored && { verdict: stored.verdict }),
  };
  return {
    item,
    sourceId: row.sourceId,
    source: row.sourceId === null ? undefined : await findSource(db, row.sourceId),
    score: stored ? shownScore(stored.verdict) : null,
    report: auditItem(item, context, options),
    feeds: feedViews(catalog, item, group),
  };
}

/** The first part of its group, and the item itself. */
async function loadGroup(db: Queries, catalogId: string, item: Item): Promise<ItemGroup> {
  const { groupId } = item;
  if (groupId === undefined) return { groupId: null, items: [item], whole: true };
  const rows = await listGroups(db, catalogId, { groupIds: [groupId], limit: MAX_PART + 1 });
  const items = rows.slice(0, MAX_PART).map(({ body }) => decodeItem(body));
  const isIncluded = items.some(({ id }) => id === item.id);
  return { groupId, items: isIncluded ? items : [...items, item], whole: rows.length <= MAX_PART };
}

function feedViews({ slug, name, settings, snapshotAt }: Catalog, item: Item, group: ItemGroup): FeedView[] {
  const context: FeedContext = { catalog: { slug, name }, settings, asOf: new Date(), snapshotAt };
  return FEED_FILES.map((file) => {
    const { open, itemView } = CHANNELS[file];
    const writer = open(context);
    const head = writer.head();
    const { text, excluded } = writer.group(group);
    const exclusion = excluded.find(({ itemId }) => itemId === item.id) ?? null;
    if (exclusion) return { file, exclusion, text: null, columns: null };
    if (itemView === "group") return { file, exclusion, text: withoutComma(text), columns: null };
    const excludedIds = new Set(excluded.map(({ itemId }) => itemId));
    const position = group.items
      .filter(({ id }) => !excludedIds.has(id))
      .findIndex(({ id }) => id === item.id);
    const line = lineAt(text, position);
    if (itemView === "line") return { file, exclusion, text: withoutComma(line), columns: null };
    const header = lineAt(head, 0);
    return { file, exclusion, text: `${header}\n${line}`, columns: columnsOf(header, line) };
  });
}

/** Cells of a tab-separated file have no tabs; those of a comma-separated one may be quoted. */
function columnsOf(header: string, line: string): readonly Column[] {
  const cellsOf = (text: string) => (header.includes("\t") ? text.split("\t") : csvCells(text));
  const values = cellsOf(line);
  return cellsOf(header)
    .map((name, at) => ({ name, value: values[at] ?? "" }))
    .filter(({ value }) => value !== "");
}

function csvCells(line: string): readonly string[] {
  const limits = { maxFieldChars: line.length + 1, maxRowChars: line.length + 1 };
  const reader = delimitedReader({ delimiter: ",", ...limits });
  return [...reader.push(line), ...reader.end()][0]?.cells ?? [];
}

/** An item is one line: values have no line breaks. */
function lineAt(text: string, index: number): string {
  return text.split("\n").filter((line) => line !== "" && line !== ",")[index] ?? "";
}

const withoutComma = (json: string): string => json.trim().replace(/^,\s*|,$/g, "");

export type ItemLine = {
  readonly item: Item;
  readonly sourceId: string | null;
  readonly score: number | null;
  readonly findings: number | null;
};

/** A page of the catalog by item id, with the score of each item in the newest audit. */
export async function pageItems(
  db: Queries,
  catalogId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<{ readonly lines: readonly ItemLine[]; readonly hasMore: boolean }> {
  const rows = await listItems(db, catalogId, { after, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const verdicts = await findVerdicts(
    db,
    catalogId,
    shown.map(({ id }) => id),
  );
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
  const isAudited = verdict !== undefined;
  return {
    item,
    sourceId,
    score: isAudited ? shownScore(verdict) : null,
    findings: isAudited ? findingCount(verdict) : null,
  };
}

const shownScore = (verdict: Buffer | null): number => (verdict === null ? 100 : scoreOf(verdict));
const findingCount = (verdict: Buffer | null): number =>
  verdict === null ? 0 : ruleNumbersOf(verdict).length;

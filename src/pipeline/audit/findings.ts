/**
 * Pages of the findings of the newest audit. Verdicts are stored; the message is computed from the item as it is now.
 */
import { auditItem, type ItemRuleReport } from "../../audit/audit-item.ts";
import { readReport } from "../../audit/report.ts";
import { type Severity, severityOf } from "../../audit/rule.ts";
import { ALL_RULES, REJECTED_RULE, ruleByNumber } from "../../audit/ruleset.ts";
import type { AuditContext } from "../../audit/audit-context.ts";
import { TWELFTHS } from "../../audit/outcome.ts";
import { decodeVerdict, lossesOf, MAX_NUMBER } from "../../audit/verdict.ts";
import { decodeItem, type Item } from "../../catalog/item.ts";
import { AppError } from "../../errors.ts";
import { decodeCursor, encodeCursor } from "../../lib/cursor.ts";
import { findNewestAudit } from "../../store/audits.ts";
import { type Catalog, findCatalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { findItems, listGroups } from "../../store/items.ts";
import { findVerdicts, listFindings } from "../../store/verdicts.ts";
import { auditContext } from "./pass.ts";

export type FindingsQuery = {
  readonly rule?: string;
  readonly severity?: Severity;
  readonly itemId?: string;
  readonly cursor?: string;
  readonly limit: number;
};

export type ItemFinding = Pick<
  ItemRuleReport,
  "id" | "title" | "dimension" | "severity" | "field" | "points" | "earned" | "lost" | "message" | "advice"
> & { readonly itemId: string; readonly itemTitle: string };

export type FindingsPage = {
  /** The audit that found them; null if there has been none. */
  readonly runId: string | null;
  readonly findings: readonly ItemFinding[];
  readonly nextCursor: string | null;
};

/** A page that needs more queries ends early, with a cursor: no request scans a whole catalog. */
const MAX_QUERIES = 20;

export async function pageFindings(
  db: Queries,
  catalogId: string,
  query: FindingsQuery,
): Promise<FindingsPage> {
  const filter = filterOf(query);
  const catalog = await findCatalog(db, catalogId);
  const audit = catalog && (await findNewestAudit(db, catalogId));
  if (!audit) return { runId: null, findings: [], nextCursor: null };
  const { found, next } = await search(db, catalog, filter);
  const context = await auditContext(db, catalog, new Date(readReport(audit.report).as_of));
  return {
    runId: audit.runId,
    findings: await describe(db, catalogId, context, found),
    nextCursor: next && encodeCursor([next.itemId, next.number]),
  };
}

/** All findings that match, page by page. */
export async function* allFindings(
  db: Queries,
  catalogId: string,
  filter: Omit<FindingsQuery, "cursor" | "limit">,
): AsyncGenerator<readonly ItemFinding[]> {
  for (let cursor: string | null = ""; cursor !== null; ) {
    const place: { cursor?: string } = cursor === "" ? {} : { cursor };
    const page = await pageFindings(db, catalogId, { ...filter, ...place, limit: 500 });
    yield page.findings;
    cursor = page.nextCursor;
  }
}

type Position = { readonly itemId: string; readonly number: number };
type ItemWithVerdict = Position & { readonly verdict: Buffer };
type Filter = Omit<FindingsQuery, "rule" | "cursor"> & {
  readonly rules: readonly number[] | null;
  readonly after: Position;
};

function filterOf({ rule, cursor, ...filter }: FindingsQuery): Filter {
  const [from = "", number = -1] = cursor === undefined ? [] : decodeCursor(cursor, ["string", "number"]);
  const after = { itemId: String(from), number: Number(number) };
  return { ...filter, rules: rulesFor(rule, filter.severity), after };
}

/** A critical rule with some points earned is a major finding, so `major` includes critical rules. */
function rulesFor(id: string | undefined, severity: Severity | undefined): readonly number[] | null {
  if (id === undefined && severity === undefined) return null;
  // Rejected rows are not items, so this rule has no findings on items.
  if (id === REJECTED_RULE.id) return [REJECTED_RULE.number];
  const named = ALL_RULES.filter((rule) => id === undefined || rule.id === id);
  if (named.length === 0) {
    throw new AppError("invalid_request", `There is no audit rule "${id}"; docs/audit-rules.md lists them.`, {
      fields: [{ pointer: "/rule", detail: "is not the id of an audit rule" }],
    });
  }
  const isWanted = (rule: (typeof named)[number]) =>
    severity === undefined || severityOf(rule, 0) === severity || severityOf(rule, 1) === severity;
  return named.filter(isWanted).map(({ number }) => number);
}

async function search(
  db: Queries,
  catalog: Catalog,
  filter: Filter,
): Promise<{ found: readonly ItemWithVerdict[]; next: Position | null }> {
  if (filter.itemId !== undefined) {
    const verdict = (await findVerdicts(db, catalog.id, [filter.itemId])).get(filter.itemId);
    return page(verdict ? findingsIn(filter.itemId, verdict, filter) : [], filter.limit);
  }
  const found: ItemWithVerdict[] = [];
  const limit = filter.limit + 1;
  let from = filter.after.itemId;
  for (let queries = 0; queries < MAX_QUERIES; queries += 1) {
    const rows = await listFindings(db, catalog, { rules: filter.rules, from, limit });
    // The last item of one query is the first of the next.
    const fresh = queries === 0 ? rows : rows.slice(1);
    found.push(...fresh.flatMap(({ itemId, verdict }) => findingsIn(itemId, verdict, filter)));
    const last = rows.at(-1);
    if (found.length > filter.limit || rows.length < limit || !last) return page(found, filter.limit);
    from = last.itemId;
  }
  return { found, next: { itemId: from, number: MAX_NUMBER } };
}

function page(
  all: readonly ItemWithVerdict[],
  limit: number,
): { found: readonly ItemWithVerdict[]; next: Position | null } {
  const found = all.slice(0, limit);
  return { found, next: all.length > limit ? (found.at(-1) ?? null) : null };
}

function findingsIn(itemId: string, verdict: Buffer, { rules, severity, after }: Filter): ItemWithVerdict[] {
  return decodeVerdict(verdict)
    .findings.filter(({ number, earned }) => {
      if (itemId === after.itemId && number <= after.number) return false;
      if (rules !== null && !rules.includes(number)) return false;
      const rule = ruleByNumber(number);
      return severity === undefined || (rule !== undefined && severityOf(rule, earned) === severity);
    })
    .map(({ number }) => ({ itemId, number, verdict }));
}

async function describe(
  db: Queries,
  catalogId: string,
  context: AuditContext,
  found: readonly ItemWithVerdict[],
): Promise<ItemFinding[]> {
  const verdicts = new Map(found.map(({ itemId, verdict }) => [itemId, verdict]));
  const rows = await findItems(db, catalogId, [...verdicts.keys()]);
  const items = rows.map(({ body }) => decodeItem(body));
  const groups = await groupsOf(db, catalogId, items, found);
  const reports = new Map(
    items.map((item) => {
      const siblings = item.groupId === undefined ? undefined : groups.get(item.groupId);
      const verdict = verdicts.get(item.id) ?? null;
      const { rules } = auditItem(item, context, { verdict, ...(siblings && { siblings }) });
      const byNumber = new Map(rules.map((rule) => [rule.number, rule]));
      return [item.id, { itemTitle: item.title, byNumber }] as const;
    }),
  );
  return found.flatMap(({ itemId, number, verdict }) => {
    const report = reports.get(itemId);
    const now = report?.byNumber.get(number);
    return now ? [{ itemId, itemTitle: report?.itemTitle ?? "", ...findingOf(now, verdict) }] : [];
  });
}

/** Larger groups are not loaded; messages then lack what depends on siblings. */
const MAX_SIBLINGS = 100;

async function groupsOf(
  db: Queries,
  catalogId: string,
  items: readonly Item[],
  found: readonly ItemWithVerdict[],
): Promise<ReadonlyMap<string, readonly Item[]>> {
  const groupFindings = new Set(
    found.filter(({ number }) => ruleByNumber(number)?.scope === "group").map(({ itemId }) => itemId),
  );
  const ids = new Set(
    items.flatMap(({ id, groupId }) => (groupFindings.has(id) && groupId !== undefined ? [groupId] : [])),
  );
  const rows = await listGroups(db, catalogId, { groupIds: [...ids], limit: MAX_SIBLINGS + 1 });
  const groups = Map.groupBy(
    rows.map(({ body }) => decodeItem(body)),
    ({ groupId = "" }) => groupId,
  );
  return new Map([...groups].filter(([, members]) => members.length <= MAX_SIBLINGS));
}

/** With the points of the audit; the message is current, and null when the item was fixed since. */
function findingOf(now: ItemRuleReport, verdict: Buffer): Omit<ItemFinding, "itemId" | "itemTitle"> {
  const { id, title, dimension, field, points, advice } = now;
  const stored = decodeVerdict(verdict);
  const earned = stored.findings.find(({ number }) => number === now.number)?.earned ?? 0;
  const rule = ruleByNumber(now.number);
  return {
    id,
    title,
    dimension,
    field,
    points,
    advice,
    message: now.message === "" ? `${title}.` : now.message,
    severity: rule ? severityOf(rule, earned) : now.severity,
    earned: `${earned}/${TWELFTHS}`,
    lost: Math.round(100 * (lossesOf(stored).get(now.number) ?? 0)) / 100,
  };
}

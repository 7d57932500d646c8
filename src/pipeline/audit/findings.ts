/**
 * What the newest audit found, item by item: pages of findings for a rule, a severity or an item. Which items have a
 * finding is read from the stored verdicts; what is wrong is said anew, from the item as it is now.
 */
import { auditItem } from "../../audit/audit-item.ts";
import type { ItemRuleReport } from "../../audit/audit-item.ts";
import { readReport } from "../../audit/report.ts";
import { severityOf } from "../../audit/rule.ts";
import type { Severity } from "../../audit/rule.ts";
import { ALL_RULES, REJECTED_RULE, ruleByNumber } from "../../audit/ruleset.ts";
import type { AuditContext } from "../../audit/audit-context.ts";
import { TWELFTHS } from "../../audit/outcome.ts";
import { decodeVerdict, MAX_NUMBER } from "../../audit/verdict.ts";
import { decodeItem } from "../../catalog/fingerprint.ts";
import type { Item } from "../../catalog/item.ts";
import { AppError } from "../../errors.ts";
import { decodeCursor, encodeCursor } from "../../lib/cursor.ts";
import { findNewestAudit } from "../../store/audits.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { findItems, listGroups } from "../../store/items.ts";
import { findVerdict, listFindings } from "../../store/verdicts.ts";
import { auditContext } from "./pass.ts";

export type FindingsQuery = {
  /** A rule's id. */
  readonly rule?: string;
  readonly severity?: Severity;
  readonly itemId?: string;
  readonly cursor?: string;
  readonly limit: number;
};

export type ItemFinding = Pick<
  ItemRuleReport,
  "id" | "title" | "dimension" | "severity" | "field" | "points" | "earned" | "lost" | "message" | "advice"
> & { readonly itemId: string };

export type FindingsPage = {
  /** The audit that found them; null if there has been none. */
  readonly runId: string | null;
  readonly findings: readonly ItemFinding[];
  readonly nextCursor: string | null;
};

/** A page that would have to look further than this ends early, with a cursor: no call scans a whole catalog. */
const MOST_LOOKS = 20;

export async function pageFindings(
  db: Queries,
  catalogId: string,
  query: FindingsQuery,
): Promise<FindingsPage> {
  const wanted = wantedBy(query);
  const catalog = await findCatalog(db, catalogId);
  const audit = catalog && (await findNewestAudit(db, catalogId));
  if (!audit) return { runId: null, findings: [], nextCursor: null };
  const { found, next } = await look(db, catalog, wanted);
  const context = await auditContext(db, catalog, new Date(readReport(audit.report).as_of));
  return {
    runId: audit.runId,
    findings: await describe(db, { catalogId, context, found }),
    nextCursor: next && encodeCursor([next.itemId, next.number]),
  };
}

type Place = { readonly itemId: string; readonly number: number };
type Found = Place & { readonly verdict: Buffer };
type Wanted = {
  readonly rules: readonly number[] | null;
  readonly severity: Severity | undefined;
  readonly itemId: string | undefined;
  readonly after: Place;
  readonly limit: number;
};

function wantedBy({ rule, severity, itemId, cursor, limit }: FindingsQuery): Wanted {
  const [from = "", number = -1] = cursor === undefined ? [] : decodeCursor(cursor, ["string", "number"]);
  return {
    rules: rulesFor(rule, severity),
    severity,
    itemId,
    after: { itemId: String(from), number: Number(number) },
    limit,
  };
}

/** A critical rule that is met in part is a major finding, so both are looked at for major ones. */
function rulesFor(id: string | undefined, severity: Severity | undefined): readonly number[] | null {
  if (id === undefined && severity === undefined) return null;
  // Rejected rows are no items, so nothing is found on items for them.
  if (id === REJECTED_RULE.id) return [REJECTED_RULE.number];
  const named = ALL_RULES.filter((rule) => id === undefined || rule.id === id);
  if (named.length === 0) {
    throw new AppError("invalid_request", `There is no audit rule "${id}"; docs/audit-rules.md lists them.`, {
      fields: [{ pointer: "/rule", detail: "is not the id of an audit rule" }],
    });
  }
  return named
    .filter(
      (rule) =>
        severity === undefined || severityOf(rule, 0) === severity || severityOf(rule, 1) === severity,
    )
    .map(({ number }) => number);
}

/** Looks at items with findings until a page is full; every look begins where the last one ended. */
async function look(
  db: Queries,
  catalog: Catalog,
  wanted: Wanted,
): Promise<{ found: readonly Found[]; next: Place | null }> {
  if (wanted.itemId !== undefined) return page(await lookAt(db, catalog.id, wanted), wanted.limit);
  const found: Found[] = [];
  const limit = wanted.limit + 1;
  let from = wanted.after.itemId;
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const rows = await listFindings(db, catalog, { rules: wanted.rules, from, limit });
    // The last item of one look is the first of the next.
    const fresh = looks === 0 ? rows : rows.slice(1);
    found.push(...fresh.flatMap(({ itemId, verdict }) => findingsIn(itemId, verdict, wanted)));
    const last = rows.at(-1);
    if (found.length > wanted.limit || rows.length < limit || !last) return page(found, wanted.limit);
    from = last.itemId;
  }
  return { found, next: { itemId: from, number: MAX_NUMBER } };
}

function page(all: readonly Found[], limit: number): { found: readonly Found[]; next: Place | null } {
  const found = all.slice(0, limit);
  return { found, next: all.length > limit ? (found.at(-1) ?? null) : null };
}

async function lookAt(db: Queries, catalogId: string, wanted: Wanted): Promise<readonly Found[]> {
  const { itemId = "" } = wanted;
  const stored = await findVerdict(db, catalogId, itemId);
  return stored?.verdict ? findingsIn(itemId, stored.verdict, wanted) : [];
}

function findingsIn(itemId: string, verdict: Buffer, { rules, severity, after }: Wanted): Found[] {
  return decodeVerdict(verdict)
    .findings.filter(({ number, earned }) => {
      if (itemId === after.itemId && number <= after.number) return false;
      if (rules !== null && !rules.includes(number)) return false;
      const rule = ruleByNumber(number);
      return severity === undefined || (rule !== undefined && severityOf(rule, earned) === severity);
    })
    .map(({ number }) => ({ itemId, number, verdict }));
}

type Scene = { readonly catalogId: string; readonly context: AuditContext; readonly found: readonly Found[] };

async function describe(db: Queries, { catalogId, context, found }: Scene): Promise<ItemFinding[]> {
  const verdicts = new Map(found.map(({ itemId, verdict }) => [itemId, verdict]));
  const rows = await findItems(db, catalogId, [...verdicts.keys()]);
  const items = rows.map(({ body }) => decodeItem(body));
  const groups = await groupsOf(db, catalogId, items, found);
  const reports = new Map(
    items.map((item) => {
      const siblings = item.groupId === undefined ? undefined : groups.get(item.groupId);
      const verdict = verdicts.get(item.id) ?? null;
      const { rules } = auditItem(item, context, { verdict, ...(siblings && { siblings }) });
      return [item.id, new Map(rules.map((rule) => [rule.number, rule]))];
    }),
  );
  return found.flatMap(({ itemId, number, verdict }) => {
    const now = reports.get(itemId)?.get(number);
    return now ? [findingOf(itemId, now, verdict)] : [];
  });
}

/** A page must not pull in half a catalog for its sentences: larger groups do without the siblings' part of them. */
const MOST_SIBLINGS = 100;

/** The groups of items that were found wanting among their siblings, where a sentence needs those. */
async function groupsOf(
  db: Queries,
  catalogId: string,
  items: readonly Item[],
  found: readonly Found[],
): Promise<ReadonlyMap<string, readonly Item[]>> {
  const wanting = new Set(
    found.filter(({ number }) => ruleByNumber(number)?.scope === "group").map(({ itemId }) => itemId),
  );
  const ids = new Set(
    items.flatMap(({ id, groupId }) => (wanting.has(id) && groupId !== undefined ? [groupId] : [])),
  );
  const rows = await listGroups(db, catalogId, { groupIds: [...ids], limit: MOST_SIBLINGS + 1 });
  const groups = Map.groupBy(
    rows.map(({ body }) => decodeItem(body)),
    ({ groupId = "" }) => groupId,
  );
  return new Map([...groups].filter(([, members]) => members.length <= MOST_SIBLINGS));
}

/** As the audit graded it; the sentence is from now, and missing where the item has changed for the better since. */
function findingOf(itemId: string, now: ItemRuleReport, verdict: Buffer): ItemFinding {
  const { id, title, dimension, field, points, advice } = now;
  const { stake, findings } = decodeVerdict(verdict);
  const earned = findings.find(({ number }) => number === now.number)?.earned ?? 0;
  const rule = ruleByNumber(now.number);
  return {
    itemId,
    id,
    title,
    dimension,
    field,
    points,
    advice,
    message: now.message === "" ? `${title}.` : now.message,
    severity: rule ? severityOf(rule, earned) : now.severity,
    earned: `${earned}/${TWELFTHS}`,
    lost: Math.round((10_000 * points * (TWELFTHS - earned)) / (TWELFTHS * stake)) / 100,
  };
}

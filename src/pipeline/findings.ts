/**
 * What the newest audit found, item by item: pages of findings for a rule, a severity or an item. Which items have a
 * finding is read from the stored verdicts; what is wrong is said anew, from the item as it is now.
 */
import { auditItem } from "../audit/audit-item.ts";
import type { ItemRuleReport } from "../audit/audit-item.ts";
import type { AuditReport } from "../audit/report.ts";
import { severityOf } from "../audit/rule.ts";
import type { Severity } from "../audit/rule.ts";
import { ALL_RULES, ruleNumbered } from "../audit/ruleset.ts";
import type { AuditContext } from "../audit/shop.ts";
import { STEPS } from "../audit/outcome.ts";
import { decodeVerdict, HIGHEST_NUMBER } from "../audit/verdict.ts";
import { decodeItem } from "../catalog/fingerprint.ts";
import { AppError } from "../errors.ts";
import { decodeCursor, encodeCursor } from "../lib/cursor.ts";
import { findNewestAudit } from "../store/audits.ts";
import { findCatalog } from "../store/catalogs.ts";
import type { Catalog } from "../store/catalogs.ts";
import type { Queries } from "../store/db.ts";
import { findItems } from "../store/items.ts";
import { listFindings } from "../store/verdicts.ts";
import { auditContext } from "./audit-pass.ts";

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
  const context = await auditContext(db, catalog, new Date((JSON.parse(audit.report) as AuditReport).as_of));
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

async function look(
  db: Queries,
  catalog: Catalog,
  wanted: Wanted,
): Promise<{ found: Found[]; next: Place | null }> {
  const found: Found[] = [];
  let from = wanted.itemId ?? wanted.after.itemId;
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const limit = wanted.itemId === undefined ? wanted.limit + 1 : 1;
    const rows = await listFindings(db, catalog, { rules: wanted.rules, from, limit });
    const matching = rows.filter(({ itemId }) => wanted.itemId === undefined || itemId === wanted.itemId);
    for (const { itemId, verdict } of matching) {
      // The last item of one look is the first of the next.
      if (looks > 0 && itemId === from) continue;
      found.push(...findingsIn(itemId, verdict, wanted));
    }
    if (found.length > wanted.limit)
      return { found: found.slice(0, wanted.limit), next: found[wanted.limit - 1] ?? null };
    const last = rows.at(-1);
    if (rows.length < limit || wanted.itemId !== undefined || !last) return { found, next: null };
    from = last.itemId;
  }
  return { found, next: { itemId: from, number: HIGHEST_NUMBER } };
}

function findingsIn(itemId: string, verdict: Buffer, { rules, severity, after }: Wanted): Found[] {
  return decodeVerdict(verdict)
    .findings.filter(({ number, grade }) => {
      if (itemId === after.itemId && number <= after.number) return false;
      if (rules !== null && !rules.includes(number)) return false;
      const rule = ruleNumbered(number);
      return severity === undefined || (rule !== undefined && severityOf(rule, grade) === severity);
    })
    .map(({ number }) => ({ itemId, number, verdict }));
}

type Scene = { readonly catalogId: string; readonly context: AuditContext; readonly found: readonly Found[] };

async function describe(db: Queries, { catalogId, context, found }: Scene): Promise<ItemFinding[]> {
  const verdicts = new Map(found.map(({ itemId, verdict }) => [itemId, verdict]));
  const items = await findItems(db, catalogId, [...verdicts.keys()]);
  const reports = new Map(
    items.map(({ id, body }) => {
      const { rules } = auditItem(decodeItem(body), context, { verdict: verdicts.get(id) ?? null });
      return [id, new Map(rules.map((rule) => [rule.number, rule]))];
    }),
  );
  return found.flatMap(({ itemId, number, verdict }) => {
    const now = reports.get(itemId)?.get(number);
    return now ? [findingOf(itemId, now, verdict)] : [];
  });
}

/** As the audit graded it; the sentence is from now, and missing where the item has changed for the better since. */
function findingOf(itemId: string, now: ItemRuleReport, verdict: Buffer): ItemFinding {
  const { id, title, dimension, field, points, advice, message } = now;
  const { stake, findings } = decodeVerdict(verdict);
  const grade = findings.find(({ number }) => number === now.number)?.grade ?? 0;
  const rule = ruleNumbered(now.number);
  return {
    itemId,
    ...{ id, title, dimension, field, points, advice, message },
    severity: rule ? severityOf(rule, grade) : now.severity,
    earned: `${grade}/${STEPS}`,
    lost: Math.round((10_000 * points * (STEPS - grade)) / (STEPS * stake)) / 100,
  };
}

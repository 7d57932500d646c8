/** Audits. The newest audit has its full report; earlier audits have numbers only. Each audit is a row. */
import type { Grade } from "../contract/audits.ts";
import type { Queries } from "./db.ts";
import { storableJson } from "./json.ts";
import { type AuditRun, insertAuditRun } from "./runs.ts";
import { sql } from "./sql.ts";

/** The input of an audit. Before `sameUntil`, another audit of the same input has the same result. */
export type AuditBasis = {
  readonly base: string;
  readonly freshness: string;
  readonly ruleset: string;
  readonly sameUntil: Date | null;
  /** The render whose index (`pipeline/render/render-index.ts`) matches the stored verdicts; null in older audits. */
  readonly folder: string | null;
};

export type AuditRow = AuditBasis & {
  readonly runId: string;
  readonly score: number;
  readonly grade: Grade;
  readonly items: number;
  readonly previousScore: number | null;
  readonly createdAt: Date;
};

/** What an overview shows of a report, so that the overview need not read the whole report. */
export type AuditHighlights = {
  /** The highest possible score while channels refuse so many items, and the reason. */
  readonly ceiling: { readonly limit: number; readonly reason: string } | null;
  /** The score before it is cut to a whole number. */
  readonly raw: number;
  readonly refused: number | null;
  /**
   * The rule that refuses most items, the rule to fix first, and the one that lost the most points when the score last
   * fell.
   */
  readonly refusing_rule: string | null;
  readonly first_rule: string | null;
  readonly falling_rule: string | null;
};

export type NewestAudit = AuditRow & {
  readonly report: string;
  readonly change: string | null;
  /** Null in audits of earlier versions. */
  readonly highlights: AuditHighlights | null;
};

const COLUMNS = sql`
  a.run_id, a.base, a.freshness, a.ruleset, a.same_until, a.folder, a.score, a.grade, a.items,
  a.previous_score, a.created_at`;

/** Finds the audit whose verdicts are stored. */
export async function findNewestAudit(db: Queries, catalogId: string): Promise<NewestAudit | undefined> {
  return db.first<NewestAudit>(sql`
    select ${COLUMNS}, a.report, a.change, a.highlights
      from catalogs c join audits a on a.run_id = c.audit_run_id
     where c.id = ${catalogId}`);
}

/**
 * Finds an audit of the catalog, with the reason why its score differs from the previous audit. Only the newest audit
 * has a report.
 */
export async function findAudit(
  db: Queries,
  catalogId: string,
  runId: string,
): Promise<(AuditRow & Pick<NewestAudit, "change">) | undefined> {
  return db.first(sql`
    select ${COLUMNS}, a.change from audits a where a.catalog_id = ${catalogId} and a.run_id = ${runId}`);
}

/** The cursor of a page: the last audit of the page before, newest first. */
export type AuditCursor = { readonly createdAt: Date; readonly runId: string };

export async function listAudits(
  db: Queries,
  catalogId: string,
  { after, limit }: { readonly after: AuditCursor | null; readonly limit: number },
): Promise<readonly AuditRow[]> {
  // JavaScript times have milliseconds; the id breaks ties.
  const place = sql`(date_trunc('milliseconds', a.created_at), a.run_id)`;
  const isAfter = after ? sql`${place} < (${after.createdAt}::timestamptz, ${after.runId}::uuid)` : sql`true`;
  return db.query<AuditRow>(sql`
    select ${COLUMNS} from audits a
     where a.catalog_id = ${catalogId} and ${isAfter}
     order by date_trunc('milliseconds', a.created_at) desc, a.run_id desc
     limit ${limit}`);
}

export type NewAudit = Omit<NewestAudit, "createdAt"> & { readonly catalogId: string };

/** Inserts an audit and links it with its run. */
export async function insertAudit(tx: Queries, audit: NewAudit, run: AuditRun): Promise<void> {
  await tx.execute(sql`
    with run as (${insertAuditRun(run)}),
    previous as (
      update audits set report = null where catalog_id = ${audit.catalogId} and report is not null),
    newest as (
      insert into audits (run_id, catalog_id, base, freshness, ruleset, same_until, folder, score, grade, items, previous_score,
                          report, change, highlights)
      values (${audit.runId}, ${audit.catalogId}, ${audit.base}, ${audit.freshness}, ${audit.ruleset},
              ${audit.sameUntil}, ${audit.folder}, ${audit.score}, ${audit.grade}, ${audit.items}, ${audit.previousScore},
              ${audit.report}, ${audit.change}, ${storableJson(audit.highlights)}))
    update catalogs set audit_run_id = ${audit.runId} where id = ${audit.catalogId}`);
}

export type ScorePoint = { readonly at: Date; readonly score: number };

/** The newest scores, oldest first. */
export async function listScores(
  db: Queries,
  catalogId: string,
  limit: number,
): Promise<readonly ScorePoint[]> {
  const newestFirst = await db.query<ScorePoint>(sql`
    select created_at as at, score from audits where catalog_id = ${catalogId}
     order by created_at desc, run_id desc limit ${limit}`);
  return newestFirst.toReversed();
}

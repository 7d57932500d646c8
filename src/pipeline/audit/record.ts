/**
 * Stores an audit in the transaction that publishes the files. It runs under a savepoint: a failure leaves a failed
 * audit run and the previous verdicts, and the feeds are still published.
 */
import { type ScoreChange, countChange } from "../../audit/change.ts";
import { type AuditReport, completedData, readReport } from "../../audit/report.ts";
import { RULESET } from "../../audit/ruleset.ts";
import { type AuditContext, syncStateOf } from "../../audit/audit-context.ts";
import { toAppError } from "../../errors.ts";
import { newId } from "../../lib/id.ts";
import type { Log } from "../../lib/log.ts";
import { type AuditBasis, type AuditHighlights, insertAudit, type NewestAudit } from "../../store/audits.ts";
import { type Queries, underSavepoint } from "../../store/db.ts";
import { insertAuditRun } from "../../store/runs.ts";
import { eachVerdictChange, replaceVerdicts } from "../../store/verdicts.ts";
import type { AuditCompleted } from "../../contract/events.ts";
import type { AuditOutcome, JudgedAudit } from "./pass.ts";

export type AuditedRender = {
  readonly catalogId: string;
  readonly renderRunId: string;
  readonly startedAt: Date;
  /** The version of the catalog that was rendered and audited. */
  readonly base: string;
  readonly folder: string;
};

export type AuditToRecord = {
  readonly render: AuditedRender;
  readonly outcome: AuditOutcome;
  /** The newest audit. A catalog has one render at a time, so it is the one that the render began with. */
  readonly previous: NewestAudit | undefined;
  readonly log: Log;
};

/** Undefined if the audit failed; its run has the error. */
export async function recordAudit(
  tx: Queries,
  { render, outcome, previous, log }: AuditToRecord,
): Promise<AuditCompleted | undefined> {
  const runId = newId();
  try {
    if (outcome.kind === "failed") throw outcome.error;
    return await underSavepoint(tx, async () => recordJudged(tx, runId, { ...outcome, render, previous }));
  } catch (error) {
    const { code, message } = toAppError(error);
    log.error({ err: error, run_id: runId, catalog_id: render.catalogId }, "audit failed");
    await tx.execute(
      insertAuditRun({ ...render, id: runId, end: { state: "failed", error: { code, message } } }),
    );
    return undefined;
  }
}

async function recordJudged(
  tx: Queries,
  runId: string,
  {
    context,
    report,
    sameUntil,
    kept,
    render,
    previous,
  }: JudgedAudit & Pick<AuditToRecord, "render" | "previous">,
): Promise<AuditCompleted> {
  const change = previous ? await changeSince(tx, render.catalogId, previous, { report, kept }) : null;
  await replaceVerdicts(tx, render.catalogId, kept === null ? "all" : "some");
  const basis = {
    base: render.base,
    freshness: syncStateOf(context),
    ruleset: report.ruleset.hash,
    sameUntil: sameUntil === null ? null : new Date(sameUntil),
    folder: render.folder,
  };
  return storeAudit(tx, { runId, render, report, basis, change, previous });
}

async function changeSince(
  tx: Queries,
  catalogId: string,
  previous: NewestAudit,
  { report, kept }: Pick<JudgedAudit, "report" | "kept">,
): Promise<ScoreChange> {
  const count = countChange(readReport(previous.report), report);
  // Verdicts under other rules are not compared; `finish` then returns `not_comparable`.
  if (previous.ruleset === report.ruleset.hash) {
    const staged = kept === null ? "all" : "some";
    const most = previous.items + report.items;
    for await (const { was, is, count: times } of eachVerdictChange(tx, catalogId, staged, most)) {
      count.items(was, is, times);
    }
    if (kept) count.same(kept.items, kept.missed);
  }
  return count.finish();
}

export function isStillGood(
  { base, freshness, ruleset, sameUntil }: NewestAudit,
  now: { readonly base: string; readonly context: AuditContext },
): boolean {
  return (
    base === now.base &&
    ruleset === RULESET.hash &&
    freshness === syncStateOf(now.context) &&
    (sameUntil === null || sameUntil > now.context.asOf)
  );
}

export async function repeatAudit(
  tx: Queries,
  render: AuditedRender,
  newest: NewestAudit,
  asOf: Date,
): Promise<AuditCompleted> {
  const report: AuditReport = { ...readReport(newest.report), as_of: asOf.toISOString() };
  const change: ScoreChange = {
    kind: "explained",
    before: report.score,
    after: report.score,
    difference: 0,
    kept: report.items,
    parts: [],
    denominator: "1",
  };
  return storeAudit(tx, { runId: newId(), render, report, basis: newest, change, previous: newest });
}

type RecordedAudit = {
  readonly runId: string;
  readonly render: AuditedRender;
  readonly report: AuditReport;
  readonly basis: AuditBasis;
  readonly change: ScoreChange | null;
  readonly previous: NewestAudit | undefined;
};

async function storeAudit(
  tx: Queries,
  { runId, render, report, basis, change, previous }: RecordedAudit,
): Promise<AuditCompleted> {
  const { score, grade, items } = report;
  const previousScore = previous?.score ?? null;
  const run = { ...render, id: runId, end: { state: "succeeded", stats: { score, grade, items } } } as const;
  const audit = {
    ...basis,
    runId,
    catalogId: render.catalogId,
    score,
    grade,
    items,
    previousScore,
    report: JSON.stringify(report),
    change: change && JSON.stringify(change),
    highlights: highlightsOf(report, previous),
  };
  await insertAudit(tx, audit, run);
  return { run_id: runId, ...completedData(report, previousScore) };
}

function highlightsOf(report: AuditReport, previous: NewestAudit | undefined): AuditHighlights {
  const { ceiling, raw, refusals, rules } = report;
  return {
    ceiling,
    raw,
    refused: refusals?.items ?? null,
    refusing_rule: refusals?.rules[0] ?? null,
    first_rule: rules[0]?.id ?? null,
    falling_rule: fallingRule(report, previous),
  };
}

/** By the whole catalog, not by `Change`: that counts a rule's points on the items that stayed only. */
function fallingRule(report: AuditReport, previous: NewestAudit | undefined): string | null {
  if (previous?.ruleset !== report.ruleset.hash) return null;
  if (report.score >= previous.score) return previous.highlights?.falling_rule ?? null;
  const before = new Map(readReport(previous.report).rules.map(({ id, lost }) => [id, lost]));
  const [worst] = report.rules
    .map(({ id, lost }) => ({ id, more: lost - (before.get(id) ?? 0) }))
    .toSorted((a, b) => b.more - a.more);
  return worst !== undefined && worst.more > 0 ? worst.id : null;
}

/**
 * /api/v1/runs and /api/v1/syncs/{id}: the history, one run, what a sync rejected or warned about, and canceling a
 * sync.
 */
import {
  IssuesAnswer,
  IssuesCsv,
  IssuesQuery,
  IssuesFilter,
  RunAnswer,
  RunParams,
  RunsAnswer,
  RunsQuery,
  SyncAnswer,
} from "../../contract/runs.ts";
import type { ProposalCounts } from "../../contract/proposal-counts.ts";
import type { ListedRun, SyncIssue } from "../../contract/runs.ts";
import { DEFAULT_LIMIT } from "../../contract/shapes.ts";
import { AppError } from "../../errors.ts";
import { decodeOffset, decodeTimeAndId, encodeCursor, pageOf } from "../../lib/cursor.ts";
import type { ProposalStats } from "../../pipeline/enrich/propose.ts";
import { cancelSync, findRunOf, pageRuns } from "../../store/run-history.ts";
import type { RunDetail } from "../../store/run-history.ts";
import { findIssues } from "../../store/run-issues.ts";
import { findRenderOutcomes } from "../../pipeline/publication/outcome.ts";
import { findRunCausedBy } from "../../store/runs.ts";
import type { RunKind, RunState } from "../../store/runs.ts";
import type { Queries } from "../../store/db.ts";
import type { Api, ApiDeps } from "../api.ts";
import { csvHeaders, csvLine } from "../csv.ts";
import { byWhom } from "../operations.ts";
import { statsBody, statusBody, syncPlanBody } from "../run-answer.ts";
import { phaseOf, runBody } from "../run-view.ts";
import { syncRun } from "./syncs.ts";

export function runRoutes(api: Api, deps: ApiDeps): void {
  listOfRuns(api, deps);
  oneRun(api, deps);
  oneSync(api, deps);
  issues(api, deps);
  issuesCsv(api, deps);
  cancel(api, deps);
}

const STATES: readonly RunState[] = ["queued", "running", "succeeded", "failed"];

function listOfRuns(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/runs",
    scope: "read",
    operationId: "listRuns",
    summary: "List runs",
    description:
      "Runs of every kind, newest first, with their cause and, for syncs, their counts. The newest 1,000 runs are kept.",
    query: RunsQuery,
    answers: { 200: RunsAnswer },
    handler: async ({ caller: { catalogId }, query }) => {
      const { kind, status, source_id: source, cursor, limit = DEFAULT_LIMIT } = query;
      const states = STATES.filter((state) => status === undefined || statusBody(state) === status);
      const sourceId = source === "pushed" ? null : source;
      const before = cursor === undefined ? null : decodeTimeAndId(cursor);
      const rows = await pageRuns(db, catalogId, { kind, states, sourceId }, { before, limit: limit + 1 });
      const { page, nextCursor } = pageOf(rows, limit, (last) => [last.createdAt.toISOString(), last.id]);
      return { body: { data: { runs: page.map(listedRun), next_cursor: nextCursor } } };
    },
  });
}

function listedRun(run: RunDetail): ListedRun {
  const { seen, upserted, unchanged, rejected, removed, warnings } = statsBody(run.stats);
  const counts = { seen, upserted, unchanged, rejected, removed, warnings };
  return { ...runBody(run), counts: run.kind === "sync" ? counts : null };
}

function oneRun(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/runs/:id",
    scope: "read",
    operationId: "getRun",
    summary: "Get a run",
    description:
      "How a run of any kind stands: what a 202 answer's `Location` points to where there is no call for its kind. The newest 1,000 runs are kept.",
    params: RunParams,
    answers: { 200: RunAnswer },
    handler: async ({ caller: { catalogId }, params: { id } }) => {
      const run = await requireRun(db, catalogId, id);
      const isOf = (kind: RunKind): boolean => run.kind === kind && run.state === "succeeded";
      const report = {
        proposals: isOf("proposals") ? proposalCounts(run.stats) : null,
        dry_run: isOf("sync_plan") ? syncPlanBody(run.stats) : null,
      };
      return { body: { data: { ...runBody(run), ...report } } };
    },
  });
}

/** Runs of earlier versions have fewer numbers. */
function proposalCounts(stats: Partial<ProposalStats>): ProposalCounts {
  const { items = 0, skipped = 0, proposed = 0, stale = 0, changed = 0, categoryNote, model } = stats;
  const counts = { items, skipped, proposed, stale, changed, category_note: categoryNote ?? null };
  return { ...counts, model: model ? { ...model, failure: model.failure ?? null } : null };
}

function oneSync(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/syncs/:id",
    scope: "read",
    operationId: "getSync",
    summary: "Get a sync run",
    description:
      "One run with its complete ledger: `seen` is `upserted` + `unchanged` + `rejected`. While it runs, `phase` and the numbers show how far it is.",
    params: RunParams,
    answers: { 200: SyncAnswer },
    handler: async ({ caller: { catalogId }, params: { id } }) => ({
      body: { data: await syncDetail(db, catalogId, id) },
    }),
  });
}

function issues(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/syncs/:id/issues",
    scope: "read",
    heavy: "page",
    operationId: "listSyncIssues",
    summary: "List a run's rejections and warnings",
    description:
      "What the run rejected or warned about, by kind, code and text. All are counted in the run's `rejection_codes` and `warning_codes`; of the newest three runs of a source up to 10,000 of each kind are kept with their message, of older ones up to 100.",
    params: RunParams,
    query: IssuesQuery,
    answers: { 200: IssuesAnswer },
    handler: async ({ caller: { catalogId }, params: { id }, query }) => {
      const { cursor, limit = DEFAULT_LIMIT, ...filter } = query;
      const run = await requireRun(db, catalogId, id, "sync");
      const from = cursor === undefined ? 0 : decodeOffset(cursor);
      const stored = await issuesOf(db, run);
      const matching = stored.filter(isWanted(filter)).slice(from);
      const { rejected, warnings } = statsBody(run.stats);
      const counts = { run_id: id, raised: rejected + warnings, stored: stored.length };
      const next_cursor = matching.length > limit ? encodeCursor([from + limit]) : null;
      return { body: { data: { ...counts, issues: matching.slice(0, limit), next_cursor } } };
    },
  });
}

function issuesCsv(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/syncs/:id/issues.csv",
    scope: "read",
    heavy: "stream",
    operationId: "downloadSyncIssues",
    summary: "Download a run's rejections and warnings",
    description: "The same list as a table for spreadsheets, not paged.",
    params: RunParams,
    query: IssuesFilter,
    answers: { 200: IssuesCsv },
    handler: async ({ caller: { catalogId }, params: { id }, query }) => {
      const run = await requireRun(db, catalogId, id, "sync");
      const lines = (await issuesOf(db, run))
        .filter(isWanted(query))
        .map(({ kind, item_id, position, field, code, message }) =>
          csvLine([kind, item_id, position, field, code, message]),
        );
      const header = csvLine(["kind", "item_id", "position", "field", "code", "message"]);
      return { headers: csvHeaders(`sync-${id}-issues.csv`), body: header + lines.join("") };
    },
  });
}

function cancel(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "POST",
    url: "/syncs/:id/cancel",
    scope: "write",
    operationId: "cancelSync",
    summary: "Cancel a sync",
    description:
      "Ends a queued or running sync, or a push, as failed with the code `canceled`. The catalog and the feeds stay as they are; the source is synced again when it is due. A run that has ended answers 409.",
    params: RunParams,
    answers: { 200: SyncAnswer },
    problems: [409],
    handler: async ({ caller, params: { id }, changeLog }) => {
      const { catalogId } = caller;
      const { sourceId } = await requireRun(db, catalogId, id, "sync");
      await db.tx(async (tx) => {
        const message = `The sync was canceled ${byWhom(caller)}. Nothing was changed.`;
        if (!(await cancelSync(tx, { catalogId, id, error: { code: "canceled", message } })))
          throw new AppError("conflict", "The run has already ended, so it cannot be canceled.");
        const target =
          sourceId === null ? { type: "items" as const } : { type: "source" as const, id: sourceId };
        await changeLog.record(tx, catalogId, { ...target, fields: ["cancel"], runId: id });
      });
      return { body: { data: await syncDetail(db, catalogId, id) } };
    },
  });
}

async function syncDetail(db: Queries, catalogId: string, id: string) {
  const run = await requireRun(db, catalogId, id, "sync");
  const render = await findRunCausedBy(db, id);
  const outcomes = await findRenderOutcomes(db, [id]);
  return {
    ...syncRun(run, outcomes.get(id)),
    error: run.error,
    phase: phaseOf(run),
    cause: run.cause,
    queued_at: run.createdAt.toISOString(),
    render_run_id: render?.id ?? null,
  };
}

export async function requireRun(
  db: Queries,
  catalogId: string,
  id: string,
  kind?: RunKind,
): Promise<RunDetail> {
  const run = await findRunOf(db, { catalogId, id, kind: kind ?? null });
  if (run) return run;
  throw new AppError(
    "not_found",
    `This catalog has no ${kind ?? "run"} ${id}; the newest 1,000 runs are kept.`,
  );
}

async function issuesOf(db: Queries, { id, stats }: RunDetail): Promise<readonly SyncIssue[]> {
  const stored = await findIssues(db, id);
  if (stored) return stored;
  const { rejections, warning_examples: warnings } = statsBody(stats);
  return [
    ...rejections.map((entry) => ({ kind: "rejection" as const, ...entry })),
    ...warnings.map((entry) => ({ kind: "warning" as const, ...entry })),
  ];
}

function isWanted({ kind, code, q }: IssuesFilter): (issue: SyncIssue) => boolean {
  const hasText = textFilter(q);
  return (issue) =>
    (kind === undefined || issue.kind === kind) &&
    (code === undefined || issue.code === code) &&
    hasText([issue.item_id, issue.field, issue.code, issue.message]);
}

/** Makes a condition that finds texts that contain `q`, in any case. */
export function textFilter(q: string | undefined): (texts: readonly (string | null)[]) => boolean {
  if (q === undefined) return () => true;
  const wanted = q.toLowerCase();
  return (texts) => texts.some((text) => text?.toLowerCase().includes(wanted));
}

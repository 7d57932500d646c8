/**
 * The response of a call that starts a sync: 202 at once if the caller prefers it, else 200 after the sync and the
 * render.
 */
import type { AcceptedAnswer, RunStatus, SyncedAnswer, SyncStats } from "../contract/syncs.ts";
import type { Plan } from "../contract/plans.ts";
import type { Applied } from "../contract/rule-sets.ts";
import { newId } from "../lib/id.ts";
import type { EffectStats } from "../pipeline/enrich/rules.ts";
import type { PlanRequest } from "../pipeline/plan/plan.ts";
import type { SyncPlanStats } from "../pipeline/plan/sync-plan.ts";
import { findRenderOutcomes, type RenderOutcome } from "../pipeline/publication/outcome.ts";
import { EMPTY_STATS } from "../pipeline/sync/ledger.ts";
import { failureOf, waitForRun, waitForSync } from "../pipeline/requests.ts";
import type { WaitContext } from "../pipeline/requests.ts";
import { enqueuePlan } from "../store/plans.ts";
import { findCatalog } from "../store/catalogs.ts";
import type { Queries } from "../store/db.ts";
import type { RunGuard, RunState } from "../store/runs.ts";
import type { Answer } from "./api.ts";

export type SyncAnswer = Answer<{ 200: typeof SyncedAnswer; 202: typeof AcceptedAnswer }>;

export async function answerSync(
  waiting: WaitContext,
  { prefer }: { readonly prefer?: string },
  runId: string,
): Promise<SyncAnswer> {
  return prefersAsync(prefer) ? accepted(runId) : answerWhenDone(waiting, runId);
}

/** 202 for a run, which can be read at its place. */
export const accepted = (runId: string, place: "syncs" | "runs" = "syncs") =>
  ({
    status: 202,
    headers: { "preference-applied": "respond-async", location: `/api/v1/${place}/${runId}` },
    body: { data: { run_id: runId, status: "running" } },
  }) as const;

/** Waits for the run that applies rules and approved values. Throws its failure. */
export async function waitForEffects(waiting: WaitContext, runId: string): Promise<Applied> {
  const run = await waitForRun(waiting, runId);
  if (run.state === "failed") throw failureOf(run);
  const { items, changed, refused, refusals } = run.stats as EffectStats;
  return { run_id: runId, items, changed_items: changed, refused_values: refused, refusals };
}

/** Queues a dry run and waits for its result. Throws its failure. */
export async function waitForPlan(
  waiting: WaitContext,
  catalogId: string,
  request: PlanRequest,
): Promise<Plan> {
  const id = newId();
  await waiting.db.tx(async (tx) =>
    enqueuePlan(tx, { id, catalogId, cause: "request" }, JSON.stringify(request)),
  );
  const run = await waitForRun(waiting, id);
  if (run.state === "failed") throw failureOf(run);
  return run.stats as Plan;
}

/** Waits for the dry run of a sync. Throws its failure. */
export async function answerSyncPlan(
  waiting: WaitContext,
  { prefer }: { readonly prefer?: string },
  runId: string,
): Promise<SyncAnswer> {
  if (prefersAsync(prefer)) return accepted(runId, "runs");
  const run = await waitForRun(waiting, runId);
  if (run.state === "failed") throw failureOf(run);
  return { body: { data: { run_id: run.id, ...syncPlanBody(run.stats) } } };
}

/** The stored result of the dry run of a sync. */
export function syncPlanBody(stored: object): Pick<SyncPlanStats, "plan"> & { stats: SyncStats } {
  const { plan, ...stats } = stored as SyncPlanStats;
  return { stats: statsBody(stats), plan };
}

/** Waits for the sync and the render after it. Throws the failure of a failed sync. */
export async function answerWhenDone(waiting: WaitContext, runId: string): Promise<SyncAnswer> {
  const run = await waitForSync(waiting, runId);
  if (run.state === "failed") throw failureOf(run);
  const outcome = (await findRenderOutcomes(waiting.db, [runId])).get(runId);
  return synced(run.id, { ...run.stats, ...renderStats(outcome) });
}

/** Returns the outcome of the render after a sync, unless the render was published inside the limits. */
export function renderStats(outcome: RenderOutcome | undefined): Pick<SyncStats, "guard" | "render_error"> {
  if (!outcome) return {};
  const { error, exceeded } = outcome;
  if (error) return { render_error: error };
  return exceeded.length === 0 ? {} : { guard: { exceeded } };
}

export const synced = (runId: string, stats: object): SyncAnswer => ({
  body: { data: { run_id: runId, stats: statsBody(stats) } },
});

/**
 * Without `guard`, the catalog's setting `plain_calls` decides. Its default is `publish`, because the caller decided to
 * call.
 */
export async function guardOf(
  db: Queries,
  catalogId: string,
  requested: RunGuard | undefined,
): Promise<RunGuard> {
  return requested ?? (await findCatalog(db, catalogId))?.publishGuard.plain_calls ?? "publish";
}

/** Complete statistics: a run that has just started, or an old one, may lack fields. */
export const statsBody = (stats: object): SyncStats => ({ ...EMPTY_STATS, ...stats });

/** A queued run counts as running for its caller. */
export function statusBody(state: RunState): RunStatus {
  return state === "queued" ? "running" : state;
}

/** RFC 7240: preferences are a comma-separated list, and may come in several headers. */
export function prefersAsync(header: string | string[] | undefined): boolean {
  return [header ?? []]
    .flat()
    .some((line) => line.split(",").some((part) => part.trim().toLowerCase() === "respond-async"));
}

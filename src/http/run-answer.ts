/**
 * The response of a call that starts a sync: 202 at once if the caller prefers it, else 200 after the sync and the
 * render.
 */
import type { AcceptedAnswer, RunStatus, SyncedAnswer, SyncStats } from "../contract/syncs.ts";
import { EMPTY_STATS } from "../pipeline/sync/ledger.ts";
import { failureOf, waitForSync } from "../pipeline/requests.ts";
import type { WaitContext } from "../pipeline/requests.ts";
import type { RunState } from "../store/runs.ts";
import type { Answer } from "./api.ts";

export type SyncAnswer = Answer<{ 200: typeof SyncedAnswer; 202: typeof AcceptedAnswer }>;

export async function answerSync(
  waiting: WaitContext,
  { prefer }: { readonly prefer?: string },
  runId: string,
): Promise<SyncAnswer> {
  return prefersAsync(prefer) ? accepted(runId) : answerWhenDone(waiting, runId);
}

const accepted = (runId: string): SyncAnswer => ({
  status: 202,
  headers: { "preference-applied": "respond-async", location: `/api/v1/syncs/${runId}` },
  body: { data: { run_id: runId, status: "running" } },
});

/** Waits for the sync and the render after it. Throws the failure of a failed sync. */
export async function answerWhenDone(waiting: WaitContext, runId: string): Promise<SyncAnswer> {
  const run = await waitForSync(waiting, runId);
  if (run.state === "failed") throw failureOf(run);
  return synced(run.id, run.stats);
}

export const synced = (runId: string, stats: object): SyncAnswer => ({
  body: { data: { run_id: runId, stats: statsBody(stats) } },
});

/** Complete statistics: a run that has just started, or an old one, may lack fields. */
export const statsBody = (stats: object): SyncStats => ({ ...EMPTY_STATS, ...stats });

/** A queued run counts as running for its caller. */
export function statusBody(state: RunState): RunStatus {
  return state === "queued" ? "running" : state;
}

/** RFC 7240: preferences are a comma-separated list, and may come in several headers. */
function prefersAsync(header: string | string[] | undefined): boolean {
  return [header ?? []]
    .flat()
    .some((line) => line.split(",").some((part) => part.trim().toLowerCase() === "respond-async"));
}

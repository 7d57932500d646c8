/** What a call that asks for a sync answers: 202 at once where the caller prefers it, else 200 when all is done. */
import type { AcceptedAnswer, RunStatus, SyncedAnswer, SyncStats } from "../contract/syncs.ts";
import { EMPTY_STATS } from "../pipeline/sync/ledger.ts";
import { failureOf, waitForSync } from "../pipeline/requests.ts";
import type { Waiting } from "../pipeline/requests.ts";
import type { RunState } from "../store/runs.ts";
import type { Answer } from "./api.ts";

export type SyncAnswer = Answer<{ 200: typeof SyncedAnswer; 202: typeof AcceptedAnswer }>;

export async function answerSync(
  waiting: Waiting,
  { prefer }: { readonly prefer?: string },
  runId: string,
): Promise<SyncAnswer> {
  return prefersAsync(prefer) ? accepted(runId) : answerWhenDone(waiting, runId);
}

const accepted = (runId: string): SyncAnswer => ({
  status: 202,
  headers: { "preference-applied": "respond-async" },
  body: { data: { run_id: runId, status: "running" } },
});

/** Waits for the sync and for the render after it. A sync that failed is thrown as its failure. */
export async function answerWhenDone(waiting: Waiting, runId: string): Promise<SyncAnswer> {
  const run = await waitForSync(waiting, runId);
  if (run.state === "failed") throw failureOf(run);
  return synced(run.id, run.stats);
}

export const synced = (runId: string, stats: object): SyncAnswer => ({
  body: { data: { run_id: runId, stats: statsBody(stats) } },
});

/** The numbers of a sync, whole: a run that has only begun, or an older one, may lack some. */
export const statsBody = (stats: object): SyncStats => ({ ...EMPTY_STATS, ...stats });

/** A run that waits for a worker is under way as far as its caller is concerned. */
export function statusBody(state: RunState): RunStatus {
  return state === "queued" ? "running" : state;
}

/** RFC 7240: preferences are a comma-separated list, and may come in several headers. */
function prefersAsync(header: string | string[] | undefined): boolean {
  return [header ?? []]
    .flat()
    .some((line) => line.split(",").some((part) => part.trim().toLowerCase() === "respond-async"));
}

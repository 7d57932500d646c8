/** What a call that asks for a sync answers: 202 at once where the caller prefers it, else 200 when all is done. */
import type { SyncRun } from "../contract/syncs.ts";
import { EMPTY_STATS } from "../pipeline/sync/ledger.ts";
import type { SyncStats } from "../pipeline/sync/ledger.ts";
import { failureOf, waitForSync } from "../pipeline/requests.ts";
import type { RunState } from "../store/runs.ts";
import type { Answer, ApiDeps, Call } from "./api.ts";

export async function answerSync(deps: ApiDeps, { signal, request }: Call, runId: string): Promise<Answer> {
  return prefersAsync(request.headers["prefer"]) ? accepted(runId) : answerWhenDone(deps, signal, runId);
}

const accepted = (runId: string): Answer => ({
  status: 202,
  headers: { "preference-applied": "respond-async" },
  body: { data: { run_id: runId, status: "running" } },
});

/** Waits for the sync and for the render after it. A sync that failed is thrown as its failure. */
export async function answerWhenDone(deps: ApiDeps, signal: AbortSignal, runId: string): Promise<Answer> {
  const run = await waitForSync({ ...deps, signal }, runId);
  if (run.state === "failed") throw failureOf(run);
  return synced(run.id, run.stats);
}

export const synced = (runId: string, stats: object): Answer => ({
  body: { data: { run_id: runId, stats: statsBody(stats) } },
});

/** The numbers of a sync, whole: a run that has only begun, or an older one, may lack some. */
export function statsBody(stats: object): SyncRun["stats"] {
  const known: SyncStats = { ...EMPTY_STATS, ...stats };
  return {
    ...known,
    rejection_codes: { ...known.rejection_codes },
    rejections: [...known.rejections],
    warning_codes: { ...known.warning_codes },
    warning_examples: [...known.warning_examples],
  };
}

/** A run that waits for a worker is under way as far as its caller is concerned. */
export function statusBody(state: RunState): SyncRun["status"] {
  return state === "queued" ? "running" : state;
}

/** RFC 7240: preferences are a comma-separated list, and may come in several headers. */
function prefersAsync(header: string | string[] | undefined): boolean {
  return [header ?? []]
    .flat()
    .some((line) => line.split(",").some((part) => part.trim().toLowerCase() === "respond-async"));
}

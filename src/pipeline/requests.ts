/** Queues syncs and renders for a worker, and waits for their result. */
import { AppError, isErrorCode } from "../errors.ts";
import { wakeSignal } from "../lib/async.ts";
import { batchLoader } from "../lib/batch-loader.ts";
import { newId } from "../lib/id.ts";
import { lockReference } from "../store/catalogs.ts";
import type { Db, Queries } from "../store/db.ts";
import { publishedEverywhere } from "../store/feed-files.ts";
import type { Notices } from "../store/notices.ts";
import { enqueueRun, findRuns, findRunsCausedBy } from "../store/runs.ts";
import type { Run, RunCause, RunGuard } from "../store/runs.ts";
import { findSource } from "../store/sources.ts";

export type SyncRequest = {
  readonly catalogId: string;
  readonly sourceId: string;
  readonly cause: Extract<RunCause, "request" | "command">;
  /** Reads only what changed since the last sync, if the source can tell. */
  readonly changesOnly?: boolean | undefined;
  /** The share of its items that this sync may remove, in place of the limit of the source. */
  readonly maxRemovedRatio?: number | undefined;
  /** `hold` by default. */
  readonly guard?: RunGuard;
  /** Called in the transaction that queues the run, or joins one. */
  readonly onQueued?: (tx: Queries, runId: string) => Promise<void>;
};

/**
 * Queues a sync of one source of this catalog and returns its run; a source of another catalog is reported as unknown.
 * While another sync of the source runs, the new one waits for it; requests that wait at the same time share one run.
 */
export async function requestSync(
  db: Db,
  { catalogId, sourceId, cause, changesOnly = false, maxRemovedRatio, guard = "hold", onQueued }: SyncRequest,
): Promise<string> {
  return db.tx(async (tx) => {
    await requireSource(tx, { catalogId, sourceId });
    await lockReference(tx, catalogId);
    const reads = changesOnly ? "changes" : "all";
    const run = { catalogId, sourceId, kind: "sync", cause, reads, guard } as const;
    const id = newId();
    const queued = await enqueueRun(tx, { id, ...run, maxRemovedRatio: maxRemovedRatio ?? null });
    const runId = queued ?? id;
    await onQueued?.(tx, runId);
    return runId;
  });
}

/** Queues the dry run of a sync. It changes nothing, so it may run beside a sync of the source. */
export async function requestSyncPlan(
  db: Db,
  { catalogId, sourceId, cause, maxRemovedRatio }: Omit<SyncRequest, "changesOnly" | "guard" | "onQueued">,
): Promise<string> {
  return db.tx(async (tx) => {
    await requireSource(tx, { catalogId, sourceId });
    const id = newId();
    await enqueueRun(tx, {
      id,
      catalogId,
      sourceId,
      kind: "sync_plan",
      cause,
      maxRemovedRatio: maxRemovedRatio ?? null,
    });
    return id;
  });
}

async function requireSource(
  db: Queries,
  { catalogId, sourceId }: Pick<SyncRequest, "catalogId" | "sourceId">,
): Promise<void> {
  const source = await findSource(db, sourceId);
  if (source?.catalogId !== catalogId)
    throw new AppError("unknown_source", `This catalog has no source ${sourceId}.`);
}

export type WaitContext = { readonly db: Db; readonly notices: Notices; readonly signal: AbortSignal };

/** The poll interval, in case a notice is lost. */
const POLL_MS = 1_000;

/** Many callers may wait, for one run or for many that end at the same time: they share statements. */
const loaders = new WeakMap<Db, ReturnType<typeof runLoaders>>();

const runLoaders = (db: Db) => ({
  run: batchLoader<string, Run>(async (ids) => findRuns(db, ids)),
  causedBy: batchLoader<string, Run>(async (ids) => findRunsCausedBy(db, ids)),
});

function loadersOf(db: Db): ReturnType<typeof runLoaders> {
  const known = loaders.get(db) ?? runLoaders(db);
  loaders.set(db, known);
  return known;
}

export async function waitForRun(waiting: WaitContext, runId: string): Promise<Run> {
  const run = await waitFor(waiting, async () => loadersOf(waiting.db).run(runId));
  if (!run) throw wasDeleted();
  return run;
}

/** Waits until a run has ended; at once if there is no such run. */
export async function waitForEnd(waiting: WaitContext, runId: string): Promise<void> {
  await waitFor(waiting, async () => loadersOf(waiting.db).run(runId));
}

const wasDeleted = (): AppError => new AppError("not_found", "The run was deleted with its catalog.");

/** Undefined if there is no such run. */
async function waitFor(
  { notices, signal }: WaitContext,
  find: () => Promise<Run | undefined>,
): Promise<Run | undefined> {
  const call = wakeSignal();
  let run: Run | undefined;
  const stopListening = notices.on((notice) => {
    if (notice.about === "finished" && notice.id === (run?.id ?? notice.id)) call.notify();
  });
  try {
    while (true) {
      signal.throwIfAborted();
      const found = await find();
      if (run && !found) throw wasDeleted();
      run = found;
      if (!run) return undefined;
      if (run.state === "succeeded" && run.kind === "render") await publishedEverywhere();
      if (run.state === "succeeded" || run.state === "failed") return run;
      await call.wait(POLL_MS, signal);
    }
  } finally {
    stopListening();
  }
}

/** Waits for a sync and, if it succeeded, for the render after it; returns the sync. */
export async function waitForSync(waiting: WaitContext, runId: string): Promise<Run> {
  const sync = await waitForRun(waiting, runId);
  if (sync.state === "failed") return sync;
  await waitFor(waiting, async () => loadersOf(waiting.db).causedBy(runId));
  return sync;
}

/** The failure of a failed run as an error. */
export function failureOf(run: Run): AppError {
  const code = run.error?.code;
  const known = isErrorCode(code) ? code : "internal";
  return new AppError(known, run.error?.message ?? "The run failed.", { runId: run.id });
}

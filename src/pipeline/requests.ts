/** Queues syncs and renders for a worker, and waits for their result. */
import { AppError, isErrorCode } from "../errors.ts";
import { wakeSignal } from "../lib/async.ts";
import { newId } from "../lib/id.ts";
import type { Db, Queries } from "../store/db.ts";
import { publishedEverywhere } from "../store/feed-files.ts";
import type { Notices } from "../store/notices.ts";
import { enqueueRun, findOpenSync, findRun, findRunCausedBy } from "../store/runs.ts";
import type { Run, RunCause } from "../store/runs.ts";
import { findSource, postponeSource } from "../store/sources.ts";

export type SyncRequest = {
  readonly runId?: string;
  readonly catalogId: string;
  readonly sourceId: string;
  readonly cause: Extract<RunCause, "request" | "command">;
  /** Reads only what changed since the last sync, if the source can tell. */
  readonly changesOnly?: boolean | undefined;
  /** The share of its items that this sync may remove, in place of the limit of the source. */
  readonly maxRemovedRatio?: number | undefined;
};

/** Queues a sync of one source of this catalog; a source of another catalog is reported as unknown. */
export async function requestSync(
  db: Db,
  { runId: id = newId(), catalogId, sourceId, cause, changesOnly = false, maxRemovedRatio }: SyncRequest,
): Promise<string> {
  return db.tx(async (tx) => {
    await requireSource(tx, { catalogId, sourceId });
    const run = { id, catalogId, sourceId, kind: "sync", cause } as const;
    const reads = changesOnly ? "changes" : "all";
    if (!(await enqueueRun(tx, { ...run, reads, maxRemovedRatio: maxRemovedRatio ?? null }))) {
      const open = await findOpenSync(tx, sourceId);
      throw new AppError(
        "sync_in_progress",
        "This source is being synced already; wait for that run to finish.",
        {
          retryAfterS: 5,
          ...(open && { runId: open.id }),
        },
      );
    }
    await postponeSource(tx, sourceId);
    return id;
  });
}

/** Queues the dry run of a sync. It changes nothing, so it may run beside a sync of the source. */
export async function requestSyncPlan(
  db: Db,
  { runId: id = newId(), catalogId, sourceId, cause, maxRemovedRatio }: Omit<SyncRequest, "changesOnly">,
): Promise<string> {
  return db.tx(async (tx) => {
    await requireSource(tx, { catalogId, sourceId });
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

export async function waitForRun(waiting: WaitContext, runId: string): Promise<Run> {
  const run = await waitFor(waiting, async () => findRun(waiting.db, runId));
  if (!run) throw wasDeleted();
  return run;
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
  await waitFor(waiting, async () => findRunCausedBy(waiting.db, runId));
  return sync;
}

/** The failure of a failed run as an error. */
export function failureOf(run: Run): AppError {
  const code = run.error?.code;
  const known = isErrorCode(code) ? code : "internal";
  return new AppError(known, run.error?.message ?? "The run failed.", { runId: run.id });
}

/** What a caller may ask for, and how it waits for the answer: a run is queued, a worker somewhere does it. */
import { AppError, isErrorCode } from "../errors.ts";
import { wakeSignal } from "../lib/async.ts";
import { newId } from "../lib/id.ts";
import type { Db, Queries } from "../store/db.ts";
import type { Notices } from "../store/notices.ts";
import { enqueueRun, findOpenSync, findRun, findRunCausedBy } from "../store/runs.ts";
import type { Run, RunCause } from "../store/runs.ts";
import { findSource, postponeSource } from "../store/sources.ts";

export type SyncRequest = {
  readonly catalogId: string;
  readonly sourceId: string;
  readonly cause: Extract<RunCause, "request" | "command">;
};

/** Queues a sync of one source of this catalog; another catalog's source is as unknown as one that never was. */
export async function requestSync(db: Db, { catalogId, sourceId, cause }: SyncRequest): Promise<string> {
  return db.tx(async (tx) => {
    const source = await findSource(tx, sourceId);
    if (source?.catalogId !== catalogId) {
      throw new AppError("unknown_source", `This catalog has no source ${sourceId}.`);
    }
    const id = newId();
    if (!(await enqueueRun(tx, { id, catalogId, sourceId, kind: "sync", cause }))) {
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

export async function requestRender(db: Queries, catalogId: string, cause: RunCause): Promise<string> {
  const id = newId();
  await enqueueRun(db, { id, catalogId, sourceId: null, kind: "render", cause });
  return id;
}

export type Waiting = { readonly db: Db; readonly notices: Notices; readonly signal: AbortSignal };

/** How long to trust that a notice will come before looking anyway. */
const LOOK_MS = 1_000;

/** Waits until the run has ended, one way or the other. */
export async function waitForRun({ db, notices, signal }: Waiting, runId: string): Promise<Run> {
  const call = wakeSignal();
  const stopListening = notices.on((notice) => {
    if (notice.about === "finished" && notice.id === runId) call.notify();
  });
  try {
    while (true) {
      signal.throwIfAborted();
      const run = await findRun(db, runId);
      if (!run) throw new AppError("not_found", "The run is gone: its catalog was removed.");
      if (run.state === "succeeded" || run.state === "failed") return run;
      await call.wait(LOOK_MS, signal);
    }
  } finally {
    stopListening();
  }
}

/** Waits for a sync and, if it succeeded, for the render that follows it; answers with the sync. */
export async function waitForSync(waiting: Waiting, runId: string): Promise<Run> {
  const sync = await waitForRun(waiting, runId);
  if (sync.state === "failed") return sync;
  const render = await findRunCausedBy(waiting.db, runId);
  if (render) await waitForRun(waiting, render.id);
  return sync;
}

/** The failure a failed run ended in, as it happened. */
export function failureOf(run: Run): AppError {
  const code = run.error?.code;
  const known = isErrorCode(code) ? code : "internal";
  return new AppError(known, run.error?.message ?? "The run failed.", { runId: run.id });
}

/**
 * Waits for a run on the command line, with a progress line on a terminal. If a worker is running, it executes the
 * run; otherwise the command executes this one run itself.
 */
import type { AppError } from "../errors.ts";
import { plural } from "../lib/counted.ts";
import { heldFailure } from "../pipeline/publication/outcome.ts";
import { failureOf, type WaitContext, waitForRun } from "../pipeline/requests.ts";
import { work, WORKER_DEFAULTS } from "../pipeline/worker.ts";
import { failAbandonedRuns, findRun, findRunCausedBy } from "../store/runs.ts";
import type { Run, RunError } from "../store/runs.ts";
import type { Io } from "./context.ts";
import type { System } from "./system.ts";
import { isWorkerRunning } from "./process-locks.ts";

const REDRAW_MS = 500;

/** After a sync: the render that followed. */
export type FollowingRender = {
  readonly run: Run;
  /** Why its files were not published. */
  readonly error: RunError | null;
};

/**
 * Resolves with the finished run and, after a sync, the finished render. Throws if the run failed, or is a render whose
 * files were not published; after a sync, such a render is a result. `onSynced` is called between the two.
 */
export async function awaitRun(
  system: System,
  io: Io,
  runId: string,
  onSynced?: (sync: Run) => void,
): Promise<{ readonly run: Run; readonly render: FollowingRender | undefined }> {
  const { db, notices, jobs } = system;
  const stop = new AbortController();
  const options = {
    ...WORKER_DEFAULTS,
    slots: { sync: 1, render: 1, removal: 1, rules: 1, proposals: 1, plan: 1, sync_plan: 1 },
    heartbeatMs: REDRAW_MS,
    only: runId,
  };
  const isWorkerAbsent = !(await isWorkerRunning(system));
  // Otherwise the run might wait forever for one that no worker may take again.
  if (isWorkerAbsent) await failAbandonedRuns(db);
  const ownWorker = isWorkerAbsent ? work(jobs, notices, stop.signal, options) : undefined;
  let watched = runId;
  const redraw = io.isTerminal ? setInterval(() => void drawProgress(db, io, watched), REDRAW_MS) : undefined;
  const clearLine = () => {
    if (io.isTerminal) io.talk("\r\u001b[K");
  };
  const waiting = { db, notices, signal: AbortSignal.any([stop.signal, system.stopping]) };
  try {
    const run = await waitForRun(waiting, runId);
    const failure = await failureOfEnded(db, run);
    if (failure) throw failure;
    const render = run.kind === "sync" ? await findRunCausedBy(db, runId) : undefined;
    if (run.kind === "sync") {
      clearLine();
      onSynced?.(run);
    }
    if (render === undefined) return { run, render };
    watched = render.id;
    return { run, render: await followingRender(waiting, render.id) };
  } finally {
    clearInterval(redraw);
    clearLine();
    stop.abort();
    await ownWorker;
  }
}

async function followingRender(waiting: WaitContext, id: string): Promise<FollowingRender> {
  const run = await waitForRun(waiting, id);
  const failure = await failureOfEnded(waiting.db, run);
  return { run, error: failure ? { code: failure.code, message: failure.message } : null };
}

const failureOfEnded = async (db: WaitContext["db"], run: Run): Promise<AppError | undefined> =>
  run.state === "failed" ? failureOf(run) : heldFailure(db, run.id);

async function drawProgress(db: System["db"], io: Io, runId: string): Promise<void> {
  const run = await findRun(db, runId).catch(() => undefined);
  if (!run) return;
  const { seen, items } = run.stats as { seen?: number; items?: number };
  const count = seen ?? items;
  const soFar = count === undefined ? "" : `, ${count.toLocaleString("en")} ${plural(count, "item")} so far`;
  io.talk(`\r\u001b[K${run.kind} ${run.state}${soFar}`);
}

/**
 * Waits for a run on the command line, with a progress line if someone watches. Where a worker is running, the run is
 * the worker's, under the worker's settings; where none is, the command does that one run itself, and no other.
 */
import { failureOf, waitForSync } from "../pipeline/requests.ts";
import { work, WORKER_DEFAULTS } from "../pipeline/worker.ts";
import { findRun } from "../store/runs.ts";
import type { Run } from "../store/runs.ts";
import type { Io } from "./context.ts";
import type { System } from "./system.ts";
import { isWorkerRunning } from "./worker-presence.ts";

const REDRAW_MS = 500;

export async function awaitRun(system: System, io: Io, runId: string): Promise<Run> {
  const { db, notices, jobs } = system;
  const stop = new AbortController();
  const options = { ...WORKER_DEFAULTS, slots: { sync: 1, render: 1 }, heartbeatMs: REDRAW_MS, only: runId };
  const helping = (await isWorkerRunning(system)) ? undefined : work(jobs, notices, stop.signal, options);
  const redraw = io.isTerminal ? setInterval(() => void drawProgress(db, io, runId), REDRAW_MS) : undefined;
  try {
    // A render has no render after it, so this waits for a run of either kind.
    const run = await waitForSync({ db, notices, signal: system.stopping }, runId);
    if (run.state === "failed") throw failureOf(run);
    return run;
  } finally {
    clearInterval(redraw);
    if (io.isTerminal) io.talk("\r\u001b[K");
    stop.abort();
    await helping;
  }
}

async function drawProgress(db: System["db"], io: Io, runId: string): Promise<void> {
  const run = await findRun(db, runId).catch(() => undefined);
  if (!run) return;
  const { seen, items } = run.stats as { seen?: number; items?: number };
  const count = seen ?? items;
  io.talk(
    `\r\u001b[K${run.kind} ${run.state}${count === undefined ? "" : `, ${count.toLocaleString("en")} items so far`}`,
  );
}

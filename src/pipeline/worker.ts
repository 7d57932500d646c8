/**
 * Runs what is queued: claims a run, keeps its lease alive while it works, finishes or fails it. A failure that is
 * ours or the database's is retried under the same run; one of the source or of the data is final. When it has to
 * stop, the worker puts its runs back as if it had never claimed them. A worker that dies lets its leases run out.
 */
import { AppError, ERROR_CODES, toAppError } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import { wakeSignal } from "../lib/async.ts";
import { newId } from "../lib/id.ts";
import type { Notices } from "../store/notices.ts";
import { renderLater } from "../store/catalogs.ts";
import { claimRun } from "../store/run-claims.ts";
import { extendLease, finishRun, handBackRun, retryRun } from "../store/runs.ts";
import { waitForDb } from "../store/wait-for-db.ts";
import type { ClaimedRun, Lease, JobKind } from "../store/runs.ts";
import type { Job, JobDeps } from "./job.ts";
import { applyPush } from "./push/apply.ts";
import { runRemoval } from "./removal/removal.ts";
import { renderCatalog } from "./render/render.ts";
import { answerSourceTests, TEST_WORKER_DEFAULTS } from "./source-tests/worker.ts";
import { syncSource } from "./sync/sync.ts";

export type WorkerOptions = {
  /** How many runs of each kind at once. Renders have slots of their own: no slow shop may hold up a finished sync. */
  readonly slots: Readonly<Record<JobKind, number>>;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** How often to look for work when nobody calls. */
  readonly idleMs: number;
  /** No run takes longer than this, however alive it looks. */
  readonly deadlineMs: number;
  /** How long a run that was aborted may take to end before its lease is left to run out. */
  readonly graceMs: number;
  /** The pauses before a run is tried again after a failure of ours; after the last one it is failed. */
  readonly retryDelaysMs: readonly number[];
  /** How many sources are tested at the same time for callers who wait. */
  readonly testSlots: number;
  /** Work on this run and what it causes, and on nothing else. */
  readonly only?: string;
};

export const WORKER_DEFAULTS: WorkerOptions = {
  // Reading a shop is mostly waiting for it; rendering is mostly work.
  slots: { sync: 8, render: 2, removal: 2 },
  leaseMs: 15_000,
  heartbeatMs: 2_000,
  idleMs: 5_000,
  deadlineMs: 6 * 3_600_000,
  graceMs: 5_000,
  retryDelaysMs: [1_000, 5_000, 30_000, 120_000],
  testSlots: TEST_WORKER_DEFAULTS.slots,
};

/** When feeds that could not be rendered for a reason of ours are rendered again, after the retries. */
export const RENDER_AGAIN_MS = 600_000;

/** Failures of ours or of the database: the same run may well succeed a little later. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set(["database_unavailable", "disk_full", "internal"]);

const JOB_KINDS = ["sync", "render", "removal"] as const satisfies readonly JobKind[];

const PERFORM: Record<JobKind, (deps: JobDeps, job: Job) => Promise<object>> = {
  sync: async (deps, job) => (job.run.cause === "push" ? applyPush(deps, job) : syncSource(deps, job)),
  render: renderCatalog,
  removal: runRemoval,
};

/** Works until the signal aborts; resolves when every run in hand is finished or handed back. */
export async function work(
  deps: JobDeps,
  notices: Notices,
  signal: AbortSignal,
  options: WorkerOptions = WORKER_DEFAULTS,
): Promise<void> {
  const slots = JOB_KINDS.flatMap((kind) => Array.from({ length: options.slots[kind] }, () => kind));
  const { testSlots, leaseMs, idleMs, graceMs } = options;
  const tests = { ...TEST_WORKER_DEFAULTS, slots: testSlots, leaseMs, idleMs, graceMs };
  await Promise.all([
    ...slots.map(async (kind) => workSlot({ deps, notices, signal, options, kind })),
    ...(options.only === undefined ? [answerSourceTests(deps, notices, signal, tests)] : []),
  ]);
}

type Slot = {
  readonly deps: JobDeps;
  readonly notices: Notices;
  readonly signal: AbortSignal;
  readonly options: WorkerOptions;
  readonly kind: JobKind;
};

async function workSlot(slot: Slot): Promise<void> {
  const { notices, signal, options } = slot;
  const call = wakeSignal();
  const stopListening = notices.on(({ about }) => {
    // A finished render may have been what a queued one of the same catalog waited for.
    if (about === "work" || about === "finished") call.notify();
  });
  try {
    while (!signal.aborted) {
      if (!(await workOnce(slot))) await call.wait(options.idleMs, signal);
    }
  } finally {
    stopListening();
  }
}

/** True if there was something to do. A database that is away is waited for, not died of. */
async function workOnce({ deps, signal, options, kind }: Slot): Promise<boolean> {
  const lease: Lease = { owner: newId(), leaseMs: options.leaseMs };
  try {
    const run = await claimRun(deps.db, lease, { kind, ...(options.only && { only: options.only }) });
    if (!run) return false;
    await perform(deps, run, { lease, signal, options });
    return true;
  } catch (error) {
    deps.log.error({ err: error }, "worker could not claim or finish a run");
    return false;
  }
}

type Attending = { readonly lease: Lease; readonly signal: AbortSignal; readonly options: WorkerOptions };

async function perform(deps: JobDeps, run: ClaimedRun, { lease, signal, options }: Attending): Promise<void> {
  const lost = new AbortController();
  const deadline = setTimeout(() => lost.abort(tookTooLong(options.deadlineMs)), options.deadlineMs);
  let numbers = noNumbers;
  const job: Job = {
    run,
    attempt: lease.owner,
    signal: AbortSignal.any([signal, lost.signal]),
    progress: (stats) => {
      numbers = stats;
    },
    finish: async (tx, end) => {
      const finishedAt = await finishRun(tx, { id: run.id, owner: lease.owner }, end);
      if (!finishedAt) throw leaseLost();
      return finishedAt;
    },
  };
  const heartbeat = setInterval(() => {
    extendLease(deps.db, run.id, { ...lease, stats: numbers() }).then(
      (isOurs) => isOurs || lost.abort(leaseLost()),
      // The database is away; the lease may yet be extended before it runs out.
      (error: unknown) => deps.log.warn({ err: error, run_id: run.id }, "heartbeat failed"),
    );
  }, options.heartbeatMs);
  const hung = hangGuard(job.signal, options.graceMs, () => {
    deps.log.error({ run_id: run.id, kind: run.kind }, "an aborted run does not end; it is left behind");
  });
  const began = performance.now();
  try {
    const stats = await Promise.race([PERFORM[run.kind](deps, job), hung.promise]);
    deps.log.info(
      { ...describe(run, began), outcome: "succeeded", stats: summary(stats) },
      `${run.kind} succeeded`,
    );
  } catch (error) {
    clearInterval(heartbeat);
    if (signal.aborted) {
      await handBackRun(deps.db, run.id, lease.owner);
      deps.log.info({ ...describe(run, began), outcome: "handed back" }, `${run.kind} handed back`);
    } else {
      // Whoever aborted the run gave the reason; what the run then threw is only its consequence.
      const reason: unknown = lost.signal.aborted ? lost.signal.reason : error;
      const failure = { run, owner: lease.owner, error: reason, stats: numbers(), began };
      await failOrRetry(deps, failure, { signal, retryDelaysMs: options.retryDelaysMs });
    }
  } finally {
    clearInterval(heartbeat);
    hung.clear();
    clearTimeout(deadline);
  }
}

/**
 * Rejects when the signal aborted and the grace period is over. A run that does not end then keeps neither its lease nor
 * its slot: it goes on without us, and can finish nothing.
 */
function hangGuard(signal: AbortSignal, graceMs: number, onHang: () => void) {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => {
      onHang();
      reject(signal.reason);
    }, graceMs);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  const clear = () => {
    clearTimeout(timer);
    // A run that has ended must not start the grace period when the worker stops later.
    signal.removeEventListener("abort", onAbort);
  };
  return { promise, clear };
}

type Failure = { run: ClaimedRun; owner: string; error: unknown; stats: object; began: number };

async function failOrRetry(
  deps: JobDeps,
  { run, owner, error, stats, began }: Failure,
  { signal, retryDelaysMs }: { readonly signal: AbortSignal; readonly retryDelaysMs: readonly number[] },
): Promise<void> {
  const { code, message } = failureFor(run, error);
  const isOurs = RETRYABLE.has(toAppError(error).code);
  const delayMs = isOurs ? retryDelaysMs[run.attempts - 1] : undefined;
  const outcome = delayMs === undefined ? "failed" : "retried";
  const fields = { ...describe(run, began), outcome, code };
  // A failure that has a sentence needs no stack; a surprise does.
  if (error instanceof AppError) deps.log.warn(fields, `${run.kind} ${outcome}: ${message}`);
  else deps.log.error({ ...fields, err: error }, `${run.kind} ${outcome}: ${message}`);
  // The database that failed the run is often still away. If another worker has taken the run over when it is back,
  // nothing is written: every statement names the owner.
  await waitForDb(
    async () => {
      if (delayMs !== undefined)
        return retryRun(deps.db, { id: run.id, owner }, { delayMs, error: { code, message } });
      await finishRun(deps.db, { id: run.id, owner }, { state: "failed", error: { code, message }, stats });
      if (isOurs && run.kind === "render")
        await renderLater(deps.db, run.catalogId, new Date(Date.now() + RENDER_AGAIN_MS));
    },
    { signal, onAway: ignore },
  );
}

const ignore = (): void => undefined;

/** Until the run hands over its own. */
const noNumbers = (): object => ({});

/** A surprise in a render has a name of its own, which says what it means to those who read the feeds. */
function failureFor({ kind }: ClaimedRun, error: unknown): AppError {
  const failure = toAppError(error);
  const isSurprise = kind === "render" && failure.code === "internal";
  return isSurprise ? new AppError("render_failed", ERROR_CODES.render_failed) : failure;
}

const leaseLost = (): AppError =>
  new AppError("interrupted", "This worker was silent for too long and another one has taken the run up.");

const tookTooLong = (deadlineMs: number): AppError =>
  new AppError(
    "run_timeout",
    `The run took longer than ${Math.round(deadlineMs / 60_000)} minutes and was given up. Nothing was changed.`,
  );

function describe({ id, catalogId, sourceId, cause, attempts }: ClaimedRun, began: number) {
  const durationMs = Math.round(performance.now() - began);
  return { run_id: id, catalog_id: catalogId, source_id: sourceId, cause, attempts, duration_ms: durationMs };
}

/** Numbers only: lists belong in the run's row, not on a log line. */
function summary(stats: object): object {
  return Object.fromEntries(Object.entries(stats).filter(([, value]) => typeof value === "number"));
}

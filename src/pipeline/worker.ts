/**
 * Claims queued runs under a lease, extends the lease by a heartbeat, and finishes or fails the run. An internal
 * failure, or one of the database, is retried after a backoff, as the same run; a failure of the source or of the data
 * is final.
 */
import { RUN_BACKOFF_MS } from "../lib/backoff.ts";
import type { SyncIssue } from "../contract/runs.ts";
import { AppError, ERRORS, toAppError } from "../errors.ts";
import { newId } from "../lib/id.ts";
import type { Notices } from "../store/notices.ts";
import { scheduleRenderIn } from "../store/catalogs.ts";
import { claimRun } from "../store/run-claims.ts";
import { extendLease, JOB_KINDS, releaseRun, retryRun } from "../store/runs.ts";
import { correctEstimates } from "../store/estimates.ts";
import { waitForDb } from "../store/wait-for-db.ts";
import type { ClaimedRun, Lease, JobKind, RunEnd } from "../store/runs.ts";
import { endRun, leaseLost, RETRYABLE } from "./end-run.ts";
import type { Job, JobDeps } from "./job.ts";
import { startHeartbeat, withGrace } from "./lease.ts";
import { proposeValues } from "./enrich/propose.ts";
import { applyEffects } from "./enrich/rules.ts";
import { runPlan } from "./plan/plan.ts";
import { planSync } from "./plan/sync-plan.ts";
import { pollQueue } from "./polling.ts";
import { announceProgress, type Progress } from "./progress.ts";
import { applyPush } from "./push/apply.ts";
import { runRemoval } from "./removal/removal.ts";
import { renderCatalog } from "./publication/render-run.ts";
import { answerSourceTests, TEST_WORKER_DEFAULTS } from "./source-tests/worker.ts";
import { syncSource } from "./sync/sync.ts";

export type WorkerOptions = {
  /** Concurrency limit for each kind of run. Renders have their own slots, so that slow shops do not delay them. */
  readonly slots: Readonly<Partial<Record<JobKind, number>>>;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** How often to poll the queue when no notice arrives. */
  readonly idleMs: number;
  /** A run that takes longer is aborted. */
  readonly deadlineMs: number;
  /** How long an aborted run may take to end before its lease is left to expire. */
  readonly graceMs: number;
  /** The backoff: the delay before each retry after an internal failure. After the last one the run is failed. */
  readonly retryDelaysMs: readonly number[];
  /** Concurrency limit for tests of sources. */
  readonly testSlots: number;
  /** Run only this run and the runs it causes. */
  readonly only?: string;
};

export const WORKER_DEFAULTS = {
  // Reading a shop is mostly waiting for it; rendering is mostly work. A catalog has one run of a kind at a time, so
  // with room for two large catalogs neither delays another one. The render of a small catalog is mostly waiting for
  // the database and the disk, so six of these run at once.
  slots: { sync: 8, render: 6, removal: 2, rules: 2, proposals: 2, plan: 2, sync_plan: 2 },
  leaseMs: 15_000,
  heartbeatMs: 2_000,
  idleMs: 5_000,
  deadlineMs: 6 * 3_600_000,
  graceMs: 5_000,
  retryDelaysMs: RUN_BACKOFF_MS,
  testSlots: TEST_WORKER_DEFAULTS.slots,
} as const satisfies WorkerOptions;

/** How long after the last retry a failed render is queued again. */
export const RENDER_RETRY_S = 600;

const PERFORM: Record<JobKind, (deps: JobDeps, job: Job) => Promise<object>> = {
  sync: async (deps, job) => (job.run.cause === "push" ? applyPush(deps, job) : syncSource(deps, job)),
  render: renderCatalog,
  removal: runRemoval,
  rules: applyEffects,
  proposals: proposeValues,
  plan: runPlan,
  sync_plan: planSync,
};

/** Works until the signal aborts; resolves when every claimed run is finished or released. */
export async function work(
  deps: JobDeps,
  notices: Notices,
  signal: AbortSignal,
  options: WorkerOptions = WORKER_DEFAULTS,
): Promise<void> {
  const { testSlots, leaseMs, idleMs, graceMs } = options;
  const tests = { ...TEST_WORKER_DEFAULTS, slots: testSlots, leaseMs, idleMs, graceMs };
  await Promise.all([
    workRuns(deps, notices, { signal, options }),
    ...(options.only === undefined ? [answerSourceTests(deps, notices, signal, tests)] : []),
  ]);
}

async function workRuns(
  deps: JobDeps,
  notices: Notices,
  { signal, options }: Omit<RunContext, "lease">,
): Promise<void> {
  const free = Object.fromEntries(JOB_KINDS.map((kind) => [kind, options.slots[kind] ?? 0])) as Record<
    JobKind,
    number
  >;
  await pollQueue(
    {
      notices,
      // A queued render waits for the running render of its catalog.
      wakesOn: ["work", "finished"],
      idleMs: options.idleMs,
      claim: async () => {
        const kinds = JOB_KINDS.filter((kind) => free[kind] > 0);
        return kinds.length === 0 ? undefined : claim(deps, kinds, options);
      },
      perform: async ({ run, lease }) => {
        const taken = slotsOf(run);
        free[run.kind] -= taken;
        await perform(deps, run, { lease, signal, options }).catch((error: unknown) =>
          deps.log.error({ err: error }, "worker could not finish a run"),
        );
        const mayAnotherWait = free[run.kind] <= 0;
        free[run.kind] += taken;
        return mayAnotherWait;
      },
    },
    signal,
  );
}

/** A catalog with more items is large: its render takes as many slots as three small ones. */
const SMALL_ITEMS = 2_000;
const LARGE_SLOTS = 3;

const slotsOf = ({ kind, catalogItems }: ClaimedRun): number =>
  kind === "render" && catalogItems > SMALL_ITEMS ? LARGE_SLOTS : 1;

type Claimed = { readonly run: ClaimedRun; readonly lease: Lease };

/** Undefined also when the database is down: the worker polls again. */
async function claim(
  { db, log }: JobDeps,
  kinds: readonly JobKind[],
  { leaseMs, only }: WorkerOptions,
): Promise<Claimed | undefined> {
  const lease: Lease = { owner: newId(), leaseMs };
  try {
    const run = await claimRun(db, lease, { kinds, ...(only && { only }) });
    return run && { run, lease };
  } catch (error) {
    log.error({ err: error }, "worker could not claim a run");
    return undefined;
  }
}

type RunContext = { readonly lease: Lease; readonly signal: AbortSignal; readonly options: WorkerOptions };

async function perform(
  deps: JobDeps,
  run: ClaimedRun,
  { lease, signal, options }: RunContext,
): Promise<void> {
  const lost = new AbortController();
  const deadline = setTimeout(() => lost.abort(tookTooLong(options.deadlineMs)), options.deadlineMs);
  const progress: Progress = { stats: noNumbers, phase: null, issues: noIssues };
  const waiting: { callerMs: number | null } = { callerMs: null };
  const job: Job = {
    run,
    leaseOwner: lease.owner,
    signal: AbortSignal.any([signal, lost.signal]),
    callerWaitMs: () => waiting.callerMs,
    progress: (stats, phase) => void Object.assign(progress, { stats, phase }),
    listIssues: (issues) => void Object.assign(progress, { issues }),
    finish: finisherOf(run, lease.owner, progress),
  };
  const stopHeartbeat = startHeartbeat({
    everyMs: options.heartbeatMs,
    extend: async () => {
      const extended = await extendLease(deps.db, run.id, { ...lease, stats: soFar(progress) });
      waiting.callerMs = extended?.callerWaitMs ?? null;
      return extended !== undefined;
    },
    onLost: () => lost.abort(leaseLost()),
    onError: (err) => deps.log.warn({ err, run_id: run.id }, "heartbeat failed"),
  });
  const announcing = announceProgress(deps, run, () => progress);
  const began = performance.now();
  try {
    const grace = { signal: job.signal, graceMs: options.graceMs, onHang: () => logHang(deps, run) };
    const stats = await withGrace(grace, async () => performJob(deps, job));
    logSuccess(deps, { run, began, stats });
  } catch (error) {
    stopHeartbeat();
    if (signal.aborted) {
      await releaseRun(deps.db, run.id, lease.owner);
      deps.log.info({ ...describe(run, began), outcome: "released" }, `${run.kind} released`);
    } else {
      // The abort reason, not the error that the abort caused.
      const reason: unknown = lost.signal.aborted ? lost.signal.reason : error;
      const failure = { run, owner: lease.owner, error: reason, progress, began };
      await failOrRetry(deps, failure, { signal, retryDelaysMs: options.retryDelaysMs });
    }
  } finally {
    stopHeartbeat();
    clearInterval(announcing);
    clearTimeout(deadline);
  }
}

const soFar = ({ stats, phase }: Progress): object => ({ ...stats(), ...(phase && { phase }) });

function logSuccess(
  { log }: JobDeps,
  { run, began, stats }: Pick<RunFailure, "run" | "began"> & { readonly stats: object },
): void {
  log.info(
    { ...describe(run, began), outcome: "succeeded", stats: numbersOf(stats) },
    `${run.kind} succeeded`,
  );
}

const logHang = ({ log }: JobDeps, { id, kind }: ClaimedRun): void =>
  log.error({ run_id: id, kind }, "an aborted run does not end; its slot is freed");

async function performJob(deps: JobDeps, job: Job): Promise<object> {
  await correctEstimates(deps.db, job.run.catalogId);
  return PERFORM[job.run.kind](deps, job);
}

/** For the log; lists are in the run's row. */
function numbersOf(stats: object): object {
  return Object.fromEntries(Object.entries(stats).filter(([, value]) => typeof value === "number"));
}

const finisherOf =
  (run: ClaimedRun, owner: string, progress: Progress): Job["finish"] =>
  async (tx, end) => {
    const finishedAt = await endRun(tx, { run, owner, end, issues: progress.issues() });
    if (!finishedAt) throw leaseLost();
    return finishedAt;
  };

type RunFailure = { run: ClaimedRun; owner: string; error: unknown; progress: Progress; began: number };

async function failOrRetry(
  deps: JobDeps,
  { run, owner, error, progress, began }: RunFailure,
  { signal, retryDelaysMs }: { readonly signal: AbortSignal; readonly retryDelaysMs: readonly number[] },
): Promise<void> {
  const { code, message } = failureFor(run, error);
  const isOurs = RETRYABLE.has(toAppError(error).code);
  const delayMs = isOurs ? retryDelaysMs[run.attempts - 1] : undefined;
  const outcome = delayMs === undefined ? "failed" : "retried";
  const fields = { ...describe(run, began), outcome, code };
  // Only unexpected errors are logged with a stack.
  if (error instanceof AppError) deps.log.warn(fields, `${run.kind} ${outcome}: ${message}`);
  else deps.log.error({ ...fields, err: error }, `${run.kind} ${outcome}: ${message}`);
  // The database that caused the failure may still be down. If another worker has claimed the run meanwhile, nothing
  // is written: every statement checks the owner.
  await waitForDb(
    async () => {
      if (delayMs !== undefined)
        return retryRun(deps.db, { id: run.id, owner }, { delayMs, error: { code, message } });
      const end: RunEnd = { state: "failed", error: { code, message }, stats: progress.stats() };
      await deps.db.tx(async (tx) => endRun(tx, { run, owner, end, issues: progress.issues() }));
      if (isOurs && run.kind === "render") await scheduleRenderIn(deps.db, run.catalogId, RENDER_RETRY_S);
    },
    { signal, onAway: () => undefined },
  );
}

/** Until the run sets its own. */
const noNumbers = (): object => ({});
const noIssues = (): readonly SyncIssue[] => [];

/** An unexpected error in a render has its own code, which says what it means for the feeds. */
function failureFor({ kind }: ClaimedRun, error: unknown): AppError {
  const failure = toAppError(error);
  const isUnexpected = kind === "render" && failure.code === "internal";
  return isUnexpected ? new AppError("render_failed", ERRORS.render_failed.title) : failure;
}

const tookTooLong = (deadlineMs: number): AppError =>
  new AppError(
    "run_timeout",
    `The run took longer than ${Math.round(deadlineMs / 60_000)} minutes and was stopped. Nothing was changed.`,
  );

function describe({ id, catalogId, sourceId, cause, attempts }: ClaimedRun, began: number) {
  const durationMs = Math.round(performance.now() - began);
  return { run_id: id, catalog_id: catalogId, source_id: sourceId, cause, attempts, duration_ms: durationMs };
}

/**
 * The worker's side of source tests and previews: claims one under a lease, reads the first items, stores the result.
 */
import { AppError } from "../../errors.ts";
import { newId } from "../../lib/id.ts";
import type { Notices } from "../../store/notices.ts";
import {
  answerSourceTest,
  claimSourceTest,
  deleteSourceTest,
  extendSourceTest,
  releaseSourceTest,
} from "../../store/source-tests.ts";
import type { ClaimedSourceTest } from "../../store/source-tests.ts";
import type { JobDeps } from "../job.ts";
import { startHeartbeat, withGrace } from "../lease.ts";
import { pollQueue } from "../polling.ts";
import { previewUpload } from "../push/preview.ts";
import { sampleSource } from "../sync/sample.ts";
import { type SourceTestAnswer, failureOf, openRequest, encryptAnswer } from "./message.ts";

export type TestWorkerOptions = {
  /** Concurrency limit of this process. Most of a test is waiting for the shop. */
  readonly slots: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly idleMs: number;
  /** A test that takes longer is stopped. Longer than the time limit of a sample. */
  readonly deadlineMs: number;
  /** How long an aborted test may take to end. */
  readonly graceMs: number;
};

export const TEST_WORKER_DEFAULTS: TestWorkerOptions = {
  slots: 16,
  leaseMs: 15_000,
  heartbeatMs: 1_000,
  idleMs: 5_000,
  deadlineMs: 70_000,
  graceMs: 5_000,
};

/** Claims and runs source tests until the signal aborts. */
export async function answerSourceTests(
  deps: JobDeps,
  notices: Notices,
  signal: AbortSignal,
  options: TestWorkerOptions = TEST_WORKER_DEFAULTS,
): Promise<void> {
  let running = 0;
  await pollQueue(
    {
      notices,
      wakesOn: ["source tests", "connected"],
      idleMs: options.idleMs,
      claim: async () => (running < options.slots ? claim(deps, options) : undefined),
      perform: async (claimed) => {
        running += 1;
        await perform(deps, notices, { ...claimed, signal, options });
        running -= 1;
      },
    },
    signal,
  );
}

type ClaimedTest = { readonly test: ClaimedSourceTest; readonly owner: string };

/** Undefined also when the database is down: the worker polls again. */
async function claim({ db, log }: JobDeps, { leaseMs }: TestWorkerOptions): Promise<ClaimedTest | undefined> {
  const owner = newId();
  try {
    const test = await claimSourceTest(db, { owner, leaseMs });
    return test && { test, owner };
  } catch (error) {
    log.warn({ err: error }, "worker could not claim a test of a source");
    return undefined;
  }
}

type Performing = ClaimedTest & { readonly signal: AbortSignal; readonly options: TestWorkerOptions };

async function perform(
  deps: JobDeps,
  notices: Notices,
  { test, owner, signal, options }: Performing,
): Promise<void> {
  const { id, catalogId } = test;
  const canceled = new AbortController();
  const cancel = () => canceled.abort(new AppError("stopping", "The caller canceled this test."));
  const stopListening = notices.on((notice) => {
    if (notice.about === "source test canceled" && notice.id === id) cancel();
  });
  const late = new AbortController();
  const deadline = setTimeout(() => late.abort(tookTooLong()), options.deadlineMs);
  const stopHeartbeat = startHeartbeat({
    everyMs: options.heartbeatMs,
    extend: async () => extendSourceTest(deps.db, { id, owner }, options.leaseMs),
    onLost: cancel,
  });
  try {
    const request = await openRequest(deps.encryption, test.request);
    const aborted = AbortSignal.any([signal, canceled.signal, late.signal]);
    const began = performance.now();
    const outcome = await withGrace({ signal: aborted, graceMs: options.graceMs }, async () =>
      "source" in request
        ? sampleSource(deps, { catalogId, ...request.source }, aborted)
        : previewUpload(deps, { catalogId, ...request }, aborted),
    ).then(
      (sampled): TestOutcome => ({ answer: { sampled } }),
      (thrown: unknown): TestOutcome => {
        const error: unknown = late.signal.aborted ? late.signal.reason : thrown;
        return { answer: failureOf(error), error };
      },
    );
    const durationMs = Math.round(performance.now() - began);
    const sourceKind = "source" in request ? request.source.kind : "upload";
    const fields = { catalog_id: catalogId, source_kind: sourceKind, duration_ms: durationMs };
    if (canceled.signal.aborted) await deleteSourceTest(deps.db, { id, owner });
    else if (signal.aborted) await releaseSourceTest(deps.db, { id, owner });
    else {
      await answerSourceTest(deps.db, { id, owner }, encryptAnswer(deps.encryption, outcome.answer));
      logOutcome(deps, fields, outcome);
    }
  } catch (error) {
    // The lease expires, and the caller gets `interrupted`.
    deps.log.error({ err: error, catalog_id: catalogId }, "worker could not answer a test of a source");
  } finally {
    stopHeartbeat();
    clearTimeout(deadline);
    stopListening();
  }
}

function logOutcome({ log }: JobDeps, fields: object, { answer, error }: TestOutcome): void {
  if ("sampled" in answer) return log.info({ ...fields, outcome: "succeeded" }, "source test succeeded");
  const failed = { ...fields, outcome: "failed", code: answer.failure.code };
  // Only unexpected errors are logged with a stack.
  if (error instanceof AppError) log.info(failed, "source test failed");
  else log.error({ ...failed, err: error }, "source test failed unexpectedly");
}

type TestOutcome = { readonly answer: SourceTestAnswer; readonly error?: unknown };

const tookTooLong = (): AppError =>
  new AppError("run_timeout", "Reading took too long and was stopped. Nothing was changed.");

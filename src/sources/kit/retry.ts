/**
 * Retries, for every source the same way: what may work in a moment is tried again after growing waits (backoff), and
 * never sooner than the other side asks. Waits for throttling are counted separately, up to a total, so that a busy
 * shop is read to its end. While a caller waits for the source, requests that fail one after the other have a budget
 * together.
 */
import { SHOP_BACKOFF_MS } from "../../lib/backoff.ts";
import { AppError } from "../../errors.ts";
import { sleep } from "../../lib/async.ts";
import { HttpFailure } from "../../lib/outbound/http-failure.ts";
import type { ReadContext } from "../source.ts";
import { RefusedStatus, requestFailure, type SourceFailure } from "./failure.ts";

export type RetryPolicy = {
  /** The wait before each retry; their number is the number of retries. */
  readonly waitsMs: readonly number[];
  /** If a shop asks for a longer wait, the request fails. */
  readonly maxRetryAfterMs: number;
  /** The most that one request waits in all because of throttling. */
  readonly maxThrottledMs: number;
  /** Undefined: retries may take any time. */
  readonly budget?: RetryBudget | undefined;
  /** Replaced in tests. */
  readonly clock?: RetryClock;
};

/**
 * The time that failed requests and the waits after them may take until one succeeds. A wait ends when the budget is
 * used up.
 */
export type RetryBudget = {
  readonly leftMs: () => number;
  readonly spend: (ms: number) => void;
  /** A request has succeeded: the budget begins anew. */
  readonly renew: () => void;
};

export type RetryClock = {
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

const ANY_TIME: RetryBudget = {
  leftMs: () => Number.POSITIVE_INFINITY,
  spend: () => undefined,
  renew: () => undefined,
};
const REAL_CLOCK: RetryClock = { now: () => performance.now(), sleep };

/**
 * A shop that refuses connections or answers with errors is given up within 20 seconds, because many clients wait for
 * 30 seconds at most. The rest of the 20 seconds is for the last request, and for answers that take longer than those
 * before.
 */
const ON_DEMAND_BUDGET_MS = 15_000;

/** A failure that took this long is one of a slow shop: a smaller page may still work. */
const SLOW_FAILURE_MS = 10_000;

export const SHOP_RETRIES: RetryPolicy = {
  waitsMs: SHOP_BACKOFF_MS,
  maxRetryAfterMs: 120_000,
  maxThrottledMs: 600_000,
};

/** For a test of the source, which a person waits for: a failed request is retried once. */
export function interactiveLimits<Limits extends { readonly retries: RetryPolicy }>(limits: Limits): Limits {
  const { waitsMs } = limits.retries;
  const retries = { ...limits.retries, waitsMs: waitsMs.slice(0, 1), budget: budgetWhile(() => 0) };
  return { ...limits, retries };
}

/**
 * The budget of one read. It is limited only while a caller waits, and counts what the caller has waited before this
 * read. A shop that answers in between is healthy: the waits before its answer do not count any more.
 */
function budgetWhile(callerWaitMs: () => number | null): RetryBudget {
  let spentMs = 0;
  let answeredAfterMs = 0;
  return {
    leftMs: () => {
      const waitedMs = callerWaitMs();
      if (waitedMs === null) return Number.POSITIVE_INFINITY;
      return ON_DEMAND_BUDGET_MS - Math.max(0, waitedMs - answeredAfterMs) - spentMs;
    },
    spend: (ms) => {
      spentMs += ms;
    },
    renew: () => {
      spentMs = 0;
      answeredAfterMs = callerWaitMs() ?? 0;
    },
  };
}

/** A whole read may take its time unless a caller waits; a sample is part of a test. Called once for each read. */
export function limitsFor<Limits extends { readonly retries: RetryPolicy }>(
  { extent, callerWaitMs = () => null }: Pick<ReadContext, "extent" | "callerWaitMs">,
  limits: Limits,
): Limits {
  if (extent === "sample") return interactiveLimits(limits);
  return { ...limits, retries: { ...limits.retries, budget: budgetWhile(callerWaitMs) } };
}

export type TryResult<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "failed"; readonly failure: SourceFailure };

/** The cause of a failure after which the read has no time left: no smaller page is tried either (`isTooLarge`). */
export class RetriesEnded extends Error {
  override readonly name = "RetriesEnded";
}

/** A request that got no usable answer (`HttpFailure`) is a failed attempt. All other errors are thrown. */
export async function withRetries<T>(
  policy: RetryPolicy,
  signal: AbortSignal,
  attempt: () => Promise<TryResult<T>>,
): Promise<T> {
  const { clock = REAL_CLOCK } = policy;
  let tries = 0;
  let throttledMs = 0;
  while (true) {
    signal.throwIfAborted();
    const began = clock.now();
    const result = await attempt().catch(failedAttempt);
    if (result.kind === "done") return succeeded(result.value, policy);
    const { failure } = result;
    const isThrottled = failure.retry === "throttled";
    const waitMs = waitBefore(failure, isThrottled ? 0 : tries, policy);
    if (isThrottled) throttledMs += Math.max(waitMs ?? 0, 1);
    else tries += 1;
    const budget = budgetFor(failure, policy);
    const tookMs = clock.now() - began;
    budget.spend(tookMs);
    if (waitMs === null || throttledMs > policy.maxThrottledMs) throw failure.error;
    if (!(await pause(waitMs, { budget, clock, signal, nextMs: tookMs }))) throw lastFailure(failure, tookMs);
  }
}

function succeeded<T>(value: T, { budget = ANY_TIME }: RetryPolicy): T {
  budget.renew();
  return value;
}

/** A caller may begin to wait during a long pause. */
const PAUSE_STEP_MS = 1_000;

type Pause = {
  readonly budget: RetryBudget;
  readonly clock: RetryClock;
  readonly signal: AbortSignal;
  /** How long the next attempt will probably take. */
  readonly nextMs?: number;
};

/** Waits in steps. Returns false if the budget is not enough, or ended meanwhile. */
async function pause(waitMs: number, { budget, clock, signal, nextMs = 0 }: Pause): Promise<boolean> {
  if (waitMs + nextMs > budget.leftMs()) return false;
  for (let leftMs = waitMs; leftMs > 0 && !signal.aborted; leftMs -= PAUSE_STEP_MS) {
    const stepMs = Math.min(PAUSE_STEP_MS, leftMs);
    budget.spend(stepMs);
    if (budget.leftMs() < 0) return false;
    await clock.sleep(stepMs, signal);
  }
  return true;
}

/** Waits before a request that replaces a failed one, such as one for a smaller page. */
export async function pauseBeforeRetry(policy: RetryPolicy, signal: AbortSignal): Promise<void> {
  const { waitsMs, budget = ANY_TIME, clock = REAL_CLOCK } = policy;
  const [waitMs = 0] = waitsMs;
  await pause(waitMs, { budget, clock, signal });
}

/** A used-up quota is not a failure of the shop: it is waited for, so that a busy shop is read to its end. */
function budgetFor({ retry, error: { cause } }: SourceFailure, policy: RetryPolicy): RetryBudget {
  const isServerError = cause instanceof RefusedStatus && cause.status >= 500;
  return (retry === "throttled" && !isServerError ? undefined : policy.budget) ?? ANY_TIME;
}

function lastFailure({ error }: SourceFailure, tookMs: number): AppError {
  if (tookMs >= SLOW_FAILURE_MS) return error;
  const { code, message, retryAfterS } = error;
  const cause = new RetriesEnded("Further attempts would take too long.", { cause: error });
  return new AppError(code, message, { cause, ...(retryAfterS !== undefined && { retryAfterS }) });
}

function failedAttempt(error: unknown): TryResult<never> {
  if (error instanceof HttpFailure) return { kind: "failed", failure: requestFailure(error) };
  throw error;
}

/** Null if a retry does not help. */
function waitBefore(
  { retry, error }: SourceFailure,
  tries: number,
  { waitsMs, maxRetryAfterMs }: RetryPolicy,
): number | null {
  const usualMs = waitsMs[tries];
  if ((retry !== "now" && retry !== "throttled") || usualMs === undefined) return null;
  const askedMs = (error.retryAfterS ?? 0) * 1_000;
  return askedMs > maxRetryAfterMs ? null : Math.max(usualMs, askedMs);
}

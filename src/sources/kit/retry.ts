/**
 * Retries, for every source the same way: what may work in a moment is tried again after growing waits (backoff), and
 * never sooner than the other side asks. Waits for throttling are counted separately, up to a total,
 * so that a busy shop is read to its end. A read that somebody waits for has a budget for all its failed requests together.
 */
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

/** The time that the failed requests of one read and the waits after them may take together. */
export type RetryBudget = { readonly leftMs: () => number; readonly spend: (ms: number) => void };

export type RetryClock = {
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

const ANY_TIME: RetryBudget = { leftMs: () => Number.POSITIVE_INFINITY, spend: () => undefined };
const REAL_CLOCK: RetryClock = { now: () => performance.now(), sleep };

/**
 * A shop that refuses connections or answers with errors is given up within 20 seconds, because many clients wait for 30 seconds at
 * most. The rest of the 20 seconds is for the last request, and for answers that take longer than those before.
 */
const ON_DEMAND_BUDGET_MS = 15_000;

/** A failure that took this long is one of a slow shop: a smaller page may still work. */
const SLOW_FAILURE_MS = 10_000;

/** A read has hundreds of requests, so one that fails now and then must not end it. */
export const SHOP_RETRIES: RetryPolicy = {
  waitsMs: [1_000, 3_000, 8_000, 20_000],
  maxRetryAfterMs: 120_000,
  maxThrottledMs: 600_000,
};

/** For a test of the source, which a person waits for: a failed request is retried once. */
export function interactiveLimits<Limits extends { readonly retries: RetryPolicy }>(limits: Limits): Limits {
  const { waitsMs } = limits.retries;
  return onDemandLimits({ ...limits, retries: { ...limits.retries, waitsMs: waitsMs.slice(0, 1) } });
}

/** For one read that somebody waits for. */
function onDemandLimits<Limits extends { readonly retries: RetryPolicy }>(limits: Limits): Limits {
  let leftMs = ON_DEMAND_BUDGET_MS;
  const budget: RetryBudget = {
    leftMs: () => leftMs,
    spend: (ms) => {
      leftMs -= ms;
    },
  };
  return { ...limits, retries: { ...limits.retries, budget } };
}

/** A whole read in the background may take its time; a sample is part of a test. Called once for each read. */
export function limitsFor<Limits extends { readonly retries: RetryPolicy }>(
  { extent, isOnDemand = false }: Pick<ReadContext, "extent" | "isOnDemand">,
  limits: Limits,
): Limits {
  if (extent === "sample") return interactiveLimits(limits);
  return isOnDemand ? onDemandLimits(limits) : limits;
}

export type TryResult<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "failed"; readonly failure: SourceFailure };

/** The cause of a failure after which the read has no time left: nothing else is tried. */
class RetriesEnded extends Error {
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
    if (result.kind === "done") return result.value;
    const { failure } = result;
    const isThrottled = failure.retry === "throttled";
    const waitMs = waitBefore(failure, isThrottled ? 0 : tries, policy);
    if (isThrottled) throttledMs += Math.max(waitMs ?? 0, 1);
    else tries += 1;
    const budget = budgetFor(failure, policy);
    const tookMs = clock.now() - began;
    budget.spend(tookMs);
    if (waitMs === null || throttledMs > policy.maxThrottledMs) throw failure.error;
    if (waitMs + tookMs > budget.leftMs()) throw lastFailure(failure, tookMs);
    budget.spend(waitMs);
    await clock.sleep(waitMs, signal);
  }
}

/** Waits before a request that replaces a failed one, such as one for a smaller page. */
export async function pauseBeforeRetry(policy: RetryPolicy, signal: AbortSignal): Promise<void> {
  const { waitsMs, budget = ANY_TIME, clock = REAL_CLOCK } = policy;
  const [waitMs = 0] = waitsMs;
  budget.spend(waitMs);
  await clock.sleep(waitMs, signal);
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

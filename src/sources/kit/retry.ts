/**
 * Retries, for every source the same way: what may work in a moment is tried again after growing waits (backoff), and
 * never sooner than the other side asks. Waits for throttling are counted separately, up to a total,
 * so that a busy shop is read to its end.
 */
import { sleep } from "../../lib/async.ts";
import { HttpFailure } from "../../lib/outbound/http-failure.ts";
import type { ReadContext } from "../source.ts";
import { requestFailure, type SourceFailure } from "./failure.ts";

export type RetryPolicy = {
  /** The wait before each retry; their number is the number of retries. */
  readonly waitsMs: readonly number[];
  /** If a shop asks for a longer wait, the request fails. */
  readonly maxRetryAfterMs: number;
  /** The most that one request waits in all because of throttling. */
  readonly maxThrottledMs: number;
};

/** A read has hundreds of requests, so one that fails now and then must not end it. */
export const SHOP_RETRIES: RetryPolicy = {
  waitsMs: [1_000, 3_000, 8_000, 20_000],
  maxRetryAfterMs: 120_000,
  maxThrottledMs: 600_000,
};

/** For a test of the source, which a person waits for: a failed request is retried once. */
export function interactiveLimits<Limits extends { readonly retries: RetryPolicy }>(limits: Limits): Limits {
  const { retries } = limits;
  return { ...limits, retries: { ...retries, waitsMs: retries.waitsMs.slice(0, 1) } };
}

/** A whole read runs in the background and may take its time; a sample is part of a test. */
export function limitsFor<Limits extends { readonly retries: RetryPolicy }>(
  { extent }: Pick<ReadContext, "extent">,
  limits: Limits,
): Limits {
  return extent === "sample" ? interactiveLimits(limits) : limits;
}

export type TryResult<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "failed"; readonly failure: SourceFailure };

/** A request that got no usable answer (`HttpFailure`) is a failed attempt. All other errors are thrown. */
export async function withRetries<T>(
  policy: RetryPolicy,
  signal: AbortSignal,
  attempt: () => Promise<TryResult<T>>,
): Promise<T> {
  let tries = 0;
  let throttledMs = 0;
  while (true) {
    signal.throwIfAborted();
    const result = await attempt().catch(failedAttempt);
    if (result.kind === "done") return result.value;
    const { failure } = result;
    const isThrottled = failure.retry === "throttled";
    const waitMs = waitBefore(failure, isThrottled ? 0 : tries, policy);
    if (isThrottled) throttledMs += Math.max(waitMs ?? 0, 1);
    else tries += 1;
    if (waitMs === null || throttledMs > policy.maxThrottledMs) throw failure.error;
    await sleep(waitMs, signal);
  }
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

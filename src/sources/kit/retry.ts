/**
 * Trying again, for every source the same way: what may work in a moment is tried again after growing waits, and
 * never sooner than the other side asked. A shop that says "slow down" has not failed: its waits are counted apart,
 * up to a total, so that a busy shop is read to its end. What cannot help is not tried.
 */
import { sleep } from "../../lib/async.ts";
import type { SourceFailure } from "./failure.ts";
import type { ReadContext } from "../source.ts";

export type RetryPolicy = {
  /** One wait before each further try; their number is the number of further tries. */
  readonly waitsMs: readonly number[];
  /** A `Retry-After` above this is not waited for within a run. */
  readonly maxRetryAfterMs: number;
  /** What a shop may make us wait in all, for one request, by asking for fewer. */
  readonly maxThrottledMs: number;
};

/** Shops are read in hundreds of requests, so one that fails now and then must not end a run. */
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

export type Attempt<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "failed"; readonly failure: SourceFailure };

export async function withRetries<T>(
  policy: RetryPolicy,
  signal: AbortSignal,
  attempt: () => Promise<Attempt<T>>,
): Promise<T> {
  let tries = 0;
  let throttledMs = 0;
  while (true) {
    signal.throwIfAborted();
    const result = await attempt();
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

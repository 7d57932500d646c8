/**
 * Shopify limits queries by their cost: every shop has a bucket of points that is refilled by the second, and a query
 * that costs more than there is in it is refused. Each answer states the cost and the points, so we wait instead.
 */
import { sleep } from "../../lib/async.ts";
import { numberIn, objectIn, toObject } from "../kit/json.ts";

export type Points = { readonly available: number; readonly restoreRate: number };

export type QueryCost = { readonly requested: number; readonly points: Points };

/** Null if the answer does not state it. */
export function costOf(body: unknown): QueryCost | null {
  const cost = objectIn(objectIn(toObject(body), "extensions"), "cost");
  const status = objectIn(cost, "throttleStatus");
  const requested = numberIn(cost, "requestedQueryCost");
  const available = numberIn(status, "currentlyAvailable");
  const restoreRate = numberIn(status, "restoreRate");
  if (requested === undefined || available === undefined || restoreRate === undefined) return null;
  return { requested, points: { available, restoreRate } };
}

/** Milliseconds until a query of this cost is accepted, if the points were stated `elapsedMs` ago. */
export function waitForPoints(cost: number, { available, restoreRate }: Points, elapsedMs: number): number {
  if (restoreRate <= 0) return 0;
  const missing = cost - available - (restoreRate * elapsedMs) / 1_000;
  return Math.max(0, Math.ceil((missing / restoreRate) * 1_000));
}

/** Waits before a query that was sent before, by the cost that it had then. */
export function rateLimiter(signal: AbortSignal) {
  const costs = new Map<string, number>();
  let last: { readonly points: Points; readonly at: number } | null = null;
  return {
    wait: async (query: string): Promise<void> => {
      const cost = costs.get(query);
      if (last === null || cost === undefined) return;
      const waitMs = waitForPoints(cost, last.points, performance.now() - last.at);
      if (waitMs > 0) await sleep(waitMs, signal);
      signal.throwIfAborted();
    },
    update: (query: string, body: unknown): void => {
      const cost = costOf(body);
      if (cost === null) return;
      costs.set(query, cost.requested);
      last = { points: cost.points, at: performance.now() };
    },
  };
}

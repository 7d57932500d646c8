/**
 * Shopify sells its answers for points: every shop has a bucket of them that fills up again by the second, and a
 * question whose price is not there is refused. So we wait until it is, going by what the last answer said.
 */
import { isJsonObject, type JsonObject, numberIn, objectIn } from "../kit/json.ts";

export type Points = { readonly available: number; readonly restoreRate: number };

export type Cost = { readonly asked: number; readonly points: Points };

/** What an answer says of its price and of the bucket; null where it says nothing. */
export function costOf(body: unknown): Cost | null {
  if (!isJsonObject(body)) return null;
  const cost: JsonObject = objectIn(objectIn(body, "extensions"), "cost");
  const status = objectIn(cost, "throttleStatus");
  const asked = numberIn(cost, "requestedQueryCost");
  const available = numberIn(status, "currentlyAvailable");
  const restoreRate = numberIn(status, "restoreRate");
  if (asked === undefined || available === undefined || restoreRate === undefined) return null;
  return { asked, points: { available, restoreRate } };
}

/** How long until a question of this price can be paid, when the points were counted `elapsedMs` ago. */
export function waitForPoints(price: number, { available, restoreRate }: Points, elapsedMs: number): number {
  if (restoreRate <= 0) return 0;
  const missing = price - available - (restoreRate * elapsedMs) / 1_000;
  return Math.max(0, Math.ceil((missing / restoreRate) * 1_000));
}

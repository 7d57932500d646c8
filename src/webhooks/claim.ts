/**
 * Claims due deliveries, as many as there are free slots. Claims go over all endpoints in turn; each claim continues
 * where the last one stopped. Retries for which there is no slot do not delay the first attempts behind them.
 */
import type { Log } from "../lib/log.ts";
import type { Queries } from "../store/db.ts";
import type { InFlight } from "./in-flight.ts";
import { claimDeliveries, FIRST_ENDPOINT, releaseDeliveries } from "./queue.sql.ts";
import type { ClaimedDelivery } from "./queue.sql.ts";

export type ClaimOptions = {
  readonly slots: number;
  /** Slots that are reserved for first attempts, so that many retries cannot delay them. */
  readonly firstAttemptSlots: number;
  /**
   * The limit of requests in flight for an endpoint on all workers together, so that an endpoint that hangs cannot take
   * all slots.
   */
  readonly perEndpoint: number;
  readonly retriesPerEndpoint: number;
  /** The limit for an endpoint that fails, so that many endpoints that hang cannot take all slots either. */
  readonly perFailingEndpoint: number;
  readonly leaseMs: number;
  readonly deadlineMs: number;
};

export type ClaimDeps = {
  readonly db: Queries;
  readonly log: Log;
  readonly monotonicMs: () => number;
  readonly inFlight: Pick<InFlight, "freeSlots" | "isHalfFree" | "retries">;
  /** Starts sending and does not wait for the end. */
  readonly start: (deliveries: readonly ClaimedDelivery[]) => void;
};

/** One statement claims no more than this, so that it stays short. */
const MAX_CLAIM = 128;

/** When to claim again: at once, after a short delay for more free slots, or when something wakes the dispatcher. */
export type ClaimAgain = "at once" | "soon" | "when woken";

/** Makes a function that claims once and says when to claim again. A database error is logged, not thrown. */
export function createClaim(deps: ClaimDeps, options: ClaimOptions): () => Promise<ClaimAgain> {
  const { db, log, inFlight } = deps;
  // Where the last claim stopped. Claims without retries have a cursor of their own. With a shared cursor, claims with
  // retries would start over whenever there was no slot for a retry.
  const cursors = { withRetries: FIRST_ENDPOINT, firstAttempts: FIRST_ENDPOINT };
  let onlyFirstAttempts = false;

  return async () => {
    const limit = Math.min(inFlight.freeSlots(), MAX_CLAIM);
    if (limit === 0) return "when woken";
    const retryLimit = onlyFirstAttempts ? 0 : Math.min(limit, freeRetrySlots(inFlight, options));
    const cursor = retryLimit > 0 ? "withRetries" : "firstAttempts";
    const after = cursors[cursor];
    try {
      const claimed = await claimDeliveries(db, { ...options, limit, retryLimit, after });
      await startInTime(deps, claimed, options);
      const stop = stopOf(claimed, { limit, retryLimit });
      cursors[cursor] = stop.endpointId;
      // There are too many retries in flight, so the next claim looks only for first attempts behind them.
      onlyFirstAttempts = stop.isRetryLimit;
      if (onlyFirstAttempts) return "at once";
      return claimAgain(claimed.length, {
        limit,
        isHalfFree: inFlight.isHalfFree(),
        startedMidway: after !== FIRST_ENDPOINT,
      });
    } catch (error) {
      log.error({ err: error }, "deliveries could not be claimed");
      return "when woken";
    }
  };
}

type ClaimState = { readonly limit: number; readonly isHalfFree: boolean; readonly startedMidway: boolean };

function claimAgain(claimed: number, { limit, isHalfFree, startedMidway }: ClaimState): ClaimAgain {
  if (claimed > 0 && isHalfFree) return "at once";
  // The claim found nothing after the cursor, and has not looked before the cursor.
  if (claimed === 0 && startedMidway) return "at once";
  // There may be more deliveries, and a notice may not come: the requests in all other slots may hang.
  return claimed === limit || startedMidway ? "soon" : "when woken";
}

function freeRetrySlots(
  inFlight: Pick<InFlight, "retries">,
  { slots, firstAttemptSlots }: ClaimOptions,
): number {
  return Math.max(0, slots - firstAttemptSlots - inFlight.retries());
}

/**
 * Starts the deliveries whose lease is long enough and releases the others. A claim that was slow in the database may
 * return leases that are almost over: a delivery sent under such a lease could be claimed and sent a second time.
 */
async function startInTime(
  { db, monotonicMs, start }: ClaimDeps,
  claimed: readonly ClaimedDelivery[],
  { deadlineMs }: ClaimOptions,
): Promise<void> {
  const sentBy = monotonicMs() + deadlineMs;
  const late = claimed.filter(({ leaseEndsMs }) => leaseEndsMs <= sentBy);
  if (late.length > 0) await releaseDeliveries(db, late);
  start(late.length > 0 ? claimed.filter((delivery) => !late.includes(delivery)) : claimed);
}

/**
 * Returns where the next claim continues. A claim that reached a limit stopped at an endpoint, and the next claim
 * continues after this endpoint, so that every endpoint is served.
 */
function stopOf(
  claimed: readonly ClaimedDelivery[],
  { limit, retryLimit }: { readonly limit: number; readonly retryLimit: number },
): { readonly endpointId: string; readonly isRetryLimit: boolean } {
  if (claimed.length === limit) return { endpointId: lastEndpoint(claimed), isRetryLimit: false };
  const retries = claimed.filter(({ attempts }) => attempts > 0);
  const isRetryLimit = retryLimit > 0 && retries.length === retryLimit;
  return { endpointId: isRetryLimit ? lastEndpoint(retries) : FIRST_ENDPOINT, isRetryLimit };
}

function lastEndpoint(claimed: readonly ClaimedDelivery[]): string {
  return claimed.reduce((last, { endpointId }) => (endpointId > last ? endpointId : last), FIRST_ENDPOINT);
}

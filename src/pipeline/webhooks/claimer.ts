/**
 * Takes what is due out of the queue, as much as the node has slots for. Claims go round over all endpoints, each from
 * where the last one stopped; retries that there is no room for hold up no first attempt behind them.
 */
import { claimDeliveries, FIRST_ENDPOINT, handBackDeliveries } from "../../store/webhooks/queue.ts";
import type { ClaimedDelivery } from "../../store/webhooks/queue.ts";
import type { DeliveryNode } from "./node.ts";

export type ClaimerOptions = {
  readonly slots: number;
  /** Slots that retries never take, so that a storm of them holds up no first attempt. */
  readonly firstOnlySlots: number;
  /** In flight per endpoint on all nodes together, so that one that hangs takes no one else's slots. */
  readonly perEndpoint: number;
  readonly retriesPerEndpoint: number;
  /** The same for an endpoint that fails: many that hang must not fill the slots either. */
  readonly perFailingEndpoint: number;
  readonly leaseMs: number;
  readonly deadlineMs: number;
};

/** One statement takes no more, so that it stays short. */
const CLAIMED_AT_ONCE = 128;

export type Next = "at once" | "soon" | "when called";

/** Claims once, and says when it is worth doing again. A database that is away is waited for, not died of. */
export function claimer(node: DeliveryNode, options: ClaimerOptions): () => Promise<Next> {
  const { db, now, log } = node.deps;
  // How far the last claim came on its way over all endpoints. Claims without retries are on a way of their own, or those
  // with retries would begin anew whenever there was no room for one.
  const reached = { withRetries: FIRST_ENDPOINT, firstsOnly: FIRST_ENDPOINT };
  let areFirstsNext = false;

  return async () => {
    const limit = Math.min(node.free(), CLAIMED_AT_ONCE);
    if (limit === 0) return "when called";
    const retryLimit = areFirstsNext ? 0 : Math.min(limit, retryRoom(node, options));
    const way = retryLimit > 0 ? "withRetries" : "firstsOnly";
    const after = reached[way];
    try {
      const claimed = await claimDeliveries(db, { ...options, now: now(), limit, retryLimit, after });
      await startInTime(node, claimed, options);
      const stop = whereStopped(claimed, { limit, retryLimit });
      reached[way] = stop.at;
      // Too many retries on the way: whoever waits behind them for a first attempt is looked for at once.
      areFirstsNext = stop.isForRetries;
      if (areFirstsNext) return "at once";
      return whenNext(claimed.length, { limit, isRoomy: node.isRoomy(), wasPart: after !== FIRST_ENDPOINT });
    } catch (error) {
      log.error({ err: error }, "deliveries could not be claimed");
      return "when called";
    }
  };
}

function whenNext(
  claimed: number,
  {
    limit,
    isRoomy,
    wasPart,
  }: { readonly limit: number; readonly isRoomy: boolean; readonly wasPart: boolean },
): Next {
  if (claimed > 0 && isRoomy) return "at once";
  // Whoever found nothing on the second part of the way has not looked at the first.
  if (claimed === 0 && wasPart) return "at once";
  // There may be more, and perhaps nobody who would call: those who have the other slots may all hang.
  return claimed === limit || wasPart ? "soon" : "when called";
}

function retryRoom(node: DeliveryNode, { slots, firstOnlySlots }: ClaimerOptions): number {
  return Math.max(0, slots - firstOnlySlots - node.retries());
}

/**
 * A claim that the database kept waiting may come back with leases that are all but over: what is sent under one could
 * be claimed and sent again while it is under way. So it goes back to the queue instead.
 */
async function startInTime(
  node: DeliveryNode,
  claimed: readonly ClaimedDelivery[],
  { deadlineMs }: ClaimerOptions,
): Promise<void> {
  const sentBy = node.deps.now().getTime() + deadlineMs;
  const late = claimed.filter(({ leaseUntil }) => leaseUntil.getTime() <= sentBy);
  if (late.length > 0) await handBackDeliveries(node.deps.db, late);
  node.start(late.length > 0 ? claimed.filter((delivery) => !late.includes(delivery)) : claimed);
}

/** A claim that had enough stopped on its way; the next one goes on from there, so that everyone has a turn. */
function whereStopped(
  claimed: readonly ClaimedDelivery[],
  { limit, retryLimit }: { readonly limit: number; readonly retryLimit: number },
): { readonly at: string; readonly isForRetries: boolean } {
  if (claimed.length === limit) return { at: lastEndpoint(claimed), isForRetries: false };
  const retries = claimed.filter(({ attempts }) => attempts > 0);
  const isForRetries = retryLimit > 0 && retries.length === retryLimit;
  return { at: isForRetries ? lastEndpoint(retries) : FIRST_ENDPOINT, isForRetries };
}

function lastEndpoint(claimed: readonly ClaimedDelivery[]): string {
  return claimed.reduce((last, { endpointId }) => (endpointId > last ? endpointId : last), FIRST_ENDPOINT);
}

/**
 * The deliveries that one dispatcher has in flight: a concurrency limit (semaphore). A delivery takes a slot while it
 * is sent. If its receiver is slow, the delivery gives up the slot and becomes a slow request, so that receivers that
 * hang do not delay receivers that answer. A delivery stays in flight until its result is written.
 */
import type { ClaimedDelivery } from "./queue.sql.ts";

export type InFlightOptions = {
  readonly slots: number;
  /** How many slow requests may wait without a slot. Beyond that they keep their slots. */
  readonly maxSlowRequests: number;
  readonly slowAfterMs: number;
};

export type InFlight = {
  readonly size: () => number;
  readonly freeSlots: () => number;
  /** Half of the slots are free. */
  readonly isHalfFree: () => boolean;
  /** Returns the time until the next request counts as slow and gives up its slot. */
  readonly slotFreeInMs: () => number;
  /** Retries that have a slot. */
  readonly retries: () => number;
  readonly add: (delivery: ClaimedDelivery, work: Promise<void>, onDone: () => void) => void;
  /** The request is over, successful or not; its result is still to be written. */
  readonly sent: (delivery: ClaimedDelivery) => void;
  /** Resolves when nothing is in flight. */
  readonly settled: () => Promise<void>;
};

/** `onSlotGivenUp`: a request became slow, so there is one more free slot than at the last look. */
export function createInFlight(
  { slots, maxSlowRequests, slowAfterMs }: InFlightOptions,
  onSlotGivenUp: () => void = () => undefined,
): InFlight {
  /** The deliveries in slots with their start times, the oldest first. */
  const inSlots = new Map<ClaimedDelivery, number>();
  const slowRequests = new Set<ClaimedDelivery>();
  const inFlight = new Map<ClaimedDelivery, Promise<void>>();

  const oldest = () => inSlots.entries().next().value;
  const moveSlowRequests = () => {
    const slowSince = performance.now() - slowAfterMs;
    for (let first = oldest(); first && first[1] <= slowSince; first = oldest()) {
      if (slowRequests.size >= maxSlowRequests) return;
      inSlots.delete(first[0]);
      slowRequests.add(first[0]);
      onSlotGivenUp();
    }
  };
  const freeSlots = () => {
    moveSlowRequests();
    // Results that wait to be written count too: a slow database must not be asked for more deliveries.
    return Math.max(0, Math.min(slots - inSlots.size, 2 * slots - (inFlight.size - slowRequests.size)));
  };
  return {
    size: () => inFlight.size,
    freeSlots,
    isHalfFree: () => freeSlots() >= slots / 2,
    slotFreeInMs: () => {
      const first = oldest();
      if (!first || slowRequests.size >= maxSlowRequests) return Number.POSITIVE_INFINITY;
      return Math.max(1, Math.ceil(first[1] + slowAfterMs - performance.now()));
    },
    retries: () => inSlots.keys().reduce((count, { attempts }) => count + (attempts > 0 ? 1 : 0), 0),
    settled: async () => void (await Promise.all(inFlight.values())),
    add: (delivery, work, onDone) => {
      inSlots.set(delivery, performance.now());
      const done = work.finally(() => {
        inFlight.delete(delivery);
        onDone();
      });
      inFlight.set(delivery, done);
    },
    sent: (delivery) => {
      inSlots.delete(delivery);
      slowRequests.delete(delivery);
    },
  };
}

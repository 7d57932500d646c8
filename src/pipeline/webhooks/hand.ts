/**
 * What one node has in hand. A delivery is first being sent, in a slot; one whose receiver is slow gives its slot up and
 * waits among the patient, so that receivers that hang do not hold up those that answer; in the end it is written down.
 */
import type { ClaimedDelivery } from "../../store/webhooks/queue.ts";

export type HandOptions = {
  readonly slots: number;
  /** How many may wait for slow receivers besides. Beyond that they keep their slots. */
  readonly patientSlots: number;
  readonly slowAfterMs: number;
};

export type Hand = {
  readonly size: () => number;
  readonly free: () => number;
  /** Half of the slots are free. */
  readonly isRoomy: () => boolean;
  /** Until the next one counts as slow and gives its slot up. */
  readonly roomInMs: () => number;
  /** In slots, and not the first attempt. */
  readonly retries: () => number;
  readonly take: (delivery: ClaimedDelivery, work: Promise<void>, onOver: () => void) => void;
  /** No longer being sent, however that ended. */
  readonly sent: (delivery: ClaimedDelivery) => void;
  /** When everything in hand is over. */
  readonly settled: () => Promise<void>;
};

export function newHand({ slots, patientSlots, slowAfterMs }: HandOptions): Hand {
  /** By when they were taken, the oldest first. */
  const sending = new Map<ClaimedDelivery, number>();
  const patient = new Set<ClaimedDelivery>();
  const inHand = new Map<ClaimedDelivery, Promise<void>>();

  const oldest = () => sending.entries().next().value;
  const retireSlow = () => {
    const slowSince = performance.now() - slowAfterMs;
    for (let first = oldest(); first && first[1] <= slowSince; first = oldest()) {
      if (patient.size >= patientSlots) return;
      sending.delete(first[0]);
      patient.add(first[0]);
    }
  };
  const free = () => {
    retireSlow();
    // A database that cannot keep up with the writing must not be asked for more.
    return Math.max(0, Math.min(slots - sending.size, 2 * slots - (inHand.size - patient.size)));
  };
  return {
    size: () => inHand.size,
    free,
    isRoomy: () => free() >= slots / 2,
    roomInMs: () => {
      const first = oldest();
      if (!first || patient.size >= patientSlots) return Number.POSITIVE_INFINITY;
      return Math.max(1, Math.ceil(first[1] + slowAfterMs - performance.now()));
    },
    retries: () => sending.keys().reduce((count, { attempts }) => count + (attempts > 0 ? 1 : 0), 0),
    settled: async () => void (await Promise.all(inHand.values())),
    take: (delivery, work, onOver) => {
      sending.set(delivery, performance.now());
      const over = work.finally(() => {
        inHand.delete(delivery);
        onOver();
      });
      inHand.set(delivery, over);
    },
    sent: (delivery) => {
      sending.delete(delivery);
      patient.delete(delivery);
    },
  };
}

/**
 * What one node has in hand: deliveries under way, each in a slot of its own while it is sent, and then for a moment
 * among those that are being written down; the counts of how they ended; and the alarm for the next that will be due.
 */
import { setImmediate } from "node:timers/promises";
import { bell } from "../../lib/async.ts";
import type { Log } from "../../lib/log.ts";
import type { Sealer } from "../../lib/seal.ts";
import type { Db } from "../../store/db.ts";
import type { ClaimedDelivery } from "../../store/webhooks/queue.ts";
import type { Finish } from "../../store/webhooks/finish.ts";
import { secretOpener } from "../../webhooks/secret.ts";
import { newAlarm } from "./alarm.ts";
import type { Alarm } from "./alarm.ts";
import { describeDelivery, logAttempt } from "./attempt-log.ts";
import { attemptDelivery } from "./attempt.ts";
import type { SendDeps } from "./attempt.ts";
import { deliveryWriter } from "./writer.ts";
import type { DeliveryWriter, WriterOptions } from "./writer.ts";

export type DeliverDeps = Omit<SendDeps, "openSecrets"> & {
  readonly sealer: Sealer;
  readonly db: Db;
  readonly log: Log;
  /** Told after every change. */
  readonly onCounts?: (counts: DeliveryCounts) => void;
};

/** Since the start of this node, but for `inFlight`, which is now. `failed` counts attempts; `dead` are among them. */
export type DeliveryCounts = {
  readonly delivered: number;
  readonly failed: number;
  readonly dead: number;
  readonly inFlight: number;
};

export type NodeOptions = WriterOptions & { readonly slots: number; readonly deadlineMs: number };

export type DeliveryNode = {
  readonly deps: DeliverDeps;
  readonly call: ReturnType<typeof bell>;
  readonly alarm: Alarm;
  /** Something new may be queued. */
  readonly wake: () => void;
  readonly free: () => number;
  /** Half of the slots are free; before that the bell rings only after a moment. */
  readonly isRoomy: () => boolean;
  /** Under way, and not the first attempt. */
  readonly retries: () => number;
  /** Takes their slots at once and sends them a turn later, so that whoever claims has asked for the next ones by then. */
  readonly start: (deliveries: readonly ClaimedDelivery[]) => void;
  /** When everything under way has ended. */
  readonly settled: () => Promise<void>;
  /** Breaks off what is under way, and says what was therefore not sent. */
  readonly cutShort: () => Promise<readonly ClaimedDelivery[]>;
};

/** Claims are dearest when they are small: below half of the slots a node waits this long for more to become free. */
const GATHER_MS = 10;

export function deliveryNode(deps: DeliverDeps, options: NodeOptions): DeliveryNode {
  const call = bell();
  const alarm = newAlarm();
  const cut = new AbortController();
  const unsent: ClaimedDelivery[] = [];
  const hand = newHand(options.slots);
  const ringWhenRoomy = gatheringBell(call.ring, hand.isRoomy);
  const tally = newTally();
  const tell = () => deps.onCounts?.({ ...tally.counts, inFlight: hand.size() });
  const line: Line = {
    deps: { ...deps, openSecrets: secretOpener(deps.sealer) },
    signal: cut.signal,
    deadlineMs: options.deadlineMs,
    write: deliveryWriter(deps, options),
    onSent: (delivery) => {
      hand.sent(delivery);
      ringWhenRoomy();
    },
    onFinish: (finish) => {
      tally.count(finish);
      alarm.ringBy(finish.nextAttemptAt);
    },
    onUnsent: (delivery) => unsent.push(delivery),
  };

  return {
    ...hand,
    deps,
    call,
    alarm,
    wake: () => {
      alarm.unset();
      call.ring();
    },
    start: (deliveries) => {
      const turn = setImmediate();
      for (const delivery of deliveries) {
        hand.take(delivery, tryAndWrite(line, delivery, turn), () => {
          tell();
          ringWhenRoomy();
        });
      }
      tell();
    },
    cutShort: async () => {
      cut.abort();
      await hand.settled();
      return unsent;
    },
  };
}

function newTally() {
  const counts = { delivered: 0, failed: 0, dead: 0 };
  return {
    counts,
    count: ({ state, attempt: { error } }: Finish) => {
      counts[error === null ? "delivered" : "failed"] += 1;
      if (state === "dead") counts.dead += 1;
    },
  };
}

/** What is under way: first being sent, which takes a slot, then being written down. */
function newHand(slots: number) {
  const sending = new Set<ClaimedDelivery>();
  const inHand = new Map<ClaimedDelivery, Promise<void>>();
  // A database that cannot keep up with the writing must not be asked for more.
  const free = () => Math.max(0, Math.min(slots - sending.size, 2 * slots - inHand.size));
  return {
    size: () => inHand.size,
    free,
    isRoomy: () => free() >= slots / 2,
    retries: () => [...sending].filter(({ attempts }) => attempts > 0).length,
    settled: async () => void (await Promise.all(inHand.values())),
    take: (delivery: ClaimedDelivery, work: Promise<void>, onOver: () => void) => {
      sending.add(delivery);
      const over = work.finally(() => {
        inHand.delete(delivery);
        onOver();
      });
      inHand.set(delivery, over);
    },
    sent: (delivery: ClaimedDelivery) => void sending.delete(delivery),
  };
}

/** Rings at once when there is room enough, else a moment later for whatever room there is by then. */
function gatheringBell(ring: () => void, isRoomy: () => boolean): () => void {
  let timer: NodeJS.Timeout | undefined;
  const ringNow = () => {
    clearTimeout(timer);
    timer = undefined;
    ring();
  };
  return () => {
    if (isRoomy()) ringNow();
    else timer ??= setTimeout(ringNow, GATHER_MS);
  };
}

/** The way every delivery goes. */
type Line = {
  readonly deps: SendDeps & { readonly log: Log };
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  readonly write: DeliveryWriter;
  /** However that ended. */
  readonly onSent: (delivery: ClaimedDelivery) => void;
  readonly onFinish: (finish: Finish) => void;
  readonly onUnsent: (delivery: ClaimedDelivery) => void;
};

async function tryAndWrite(line: Line, delivery: ClaimedDelivery, turn: Promise<void>): Promise<void> {
  const { deps, signal, write } = line;
  try {
    await turn;
    const finish = await attemptInSlot(line, delivery);
    const written = await write(finish, delivery.leaseUntil);
    if (written === "finished") line.onFinish(finish);
    logAttempt(deps.log, delivery, { finish, written });
  } catch (error) {
    if (signal.aborted) line.onUnsent(delivery);
    else
      deps.log.error(
        { err: error, ...describeDelivery(delivery) },
        "webhook could not be tried; it stays queued",
      );
  }
}

/** Leaves the slot, however it ended. */
async function attemptInSlot(
  { deps, signal, deadlineMs, onSent }: Line,
  delivery: ClaimedDelivery,
): Promise<Finish> {
  try {
    return await attemptDelivery(deps, delivery, { deadlineMs, signal });
  } finally {
    onSent(delivery);
  }
}

/**
 * What one node does with the deliveries it has claimed: each is tried and written down; it counts how they ended, and
 * knows when the next will be due.
 */
import { setImmediate } from "node:timers/promises";
import { wakeSignal } from "../../lib/async.ts";
import type { Log } from "../../lib/log.ts";
import { memoize } from "../../lib/memoize.ts";
import type { Sealer } from "../../lib/seal.ts";
import type { Db } from "../../store/db.ts";
import { SEAL_PURPOSES } from "../../store/sealed-columns.ts";
import type { ClaimedDelivery } from "../../store/webhooks/queue.ts";
import type { Finish } from "../../store/webhooks/finish.ts";
import { secretOpener } from "../../webhooks/secret.ts";
import { newAlarm } from "./alarm.ts";
import type { Alarm } from "./alarm.ts";
import { describeDelivery, logAttempt } from "./attempt-log.ts";
import { attemptDelivery } from "./attempt.ts";
import type { SendDeps } from "./attempt.ts";
import { newHand } from "./hand.ts";
import type { Hand, HandOptions } from "./hand.ts";
import { deliveryWriter } from "./writer.ts";
import type { DeliveryWriter, WriterOptions } from "./writer.ts";

export type DeliverDeps = Omit<SendDeps, "openSecrets" | "openFeedToken"> & {
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

export type NodeOptions = WriterOptions & HandOptions & { readonly deadlineMs: number };

export type DeliveryNode = Pick<Hand, "free" | "isRoomy" | "roomInMs" | "retries" | "settled"> & {
  readonly deps: DeliverDeps;
  readonly call: ReturnType<typeof wakeSignal>;
  readonly alarm: Alarm;
  /** Something new may be queued. */
  readonly wake: () => void;
  /** Takes their slots at once and sends them a turn later, so that whoever claims has asked for the next ones by then. */
  readonly start: (deliveries: readonly ClaimedDelivery[]) => void;
  /** Breaks off what is under way, and says what was therefore not sent. */
  readonly cutShort: () => Promise<readonly ClaimedDelivery[]>;
};

/** Claims are dearest when they are small: whoever is done waits this long for others, before all their slots are filled. */
export const GATHER_MS = 10;

export function deliveryNode(deps: DeliverDeps, options: NodeOptions): DeliveryNode {
  const call = wakeSignal();
  const alarm = newAlarm();
  const cut = new AbortController();
  const unsent: ClaimedDelivery[] = [];
  const hand = newHand(options);
  const ringSoon = gatheringBell(call.notify);
  const tally = newTally();
  const tell = () => deps.onCounts?.({ ...tally.counts, inFlight: hand.size() });
  const line: Line = {
    deps: { ...deps, openSecrets: secretOpener(deps.sealer), openFeedToken: tokenOpener(deps.sealer) },
    signal: cut.signal,
    deadlineMs: options.deadlineMs,
    write: deliveryWriter({ ...deps, signal: cut.signal }, options),
    onSent: (delivery) => {
      hand.sent(delivery);
      ringSoon();
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
      call.notify();
    },
    start: (deliveries) => {
      const turn = setImmediate();
      for (const delivery of deliveries) {
        hand.take(delivery, tryAndWrite(line, delivery, turn), () => {
          tell();
          ringSoon();
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

/** More catalogs than a node meets in a while; opening a seal costs about as much as signing. */
const REMEMBERED = 1_000;

function tokenOpener(sealer: Sealer): SendDeps["openFeedToken"] {
  const purpose = SEAL_PURPOSES.feedToken;
  const open = memoize(REMEMBERED, (sealed) => sealer.open(Buffer.from(sealed, "latin1"), purpose));
  return (sealed) => open(sealed.toString("latin1"));
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

/** Rings a moment after it was first told to, for all the room there is by then. */
function gatheringBell(ring: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      ring();
    }, GATHER_MS);
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

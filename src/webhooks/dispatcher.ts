/**
 * The dispatcher, which runs in every worker: claims due deliveries (`claim.ts`) while it has free slots
 * (`in-flight.ts`), attempts each once (`deliver.ts`) and writes the results in batches (`finish-writer.ts`). It wakes
 * by notice, when the next retry is due, and every few seconds in any case. When stopped it claims nothing more, lets
 * running requests end, and releases the rest unsent.
 */
import { setImmediate } from "node:timers/promises";
import { AppError } from "../errors.ts";
import { sleep, wakeSignal } from "../lib/async.ts";
import type { Encryption } from "../lib/encryption.ts";
import type { Db } from "../store/db.ts";
import type { Notices } from "../store/notices.ts";
import { createClaim } from "./claim.ts";
import type { ClaimOptions } from "./claim.ts";
import { deliver } from "./deliver.ts";
import type { DeliverDeps } from "./deliver.ts";
import { deliveryAnnouncer } from "./announce.sql.ts";
import { createFinishWriter } from "./finish-writer.ts";
import type { FinishWriterOptions } from "./finish-writer.ts";
import type { Finish } from "./finish.sql.ts";
import { createInFlight } from "./in-flight.ts";
import type { InFlightOptions } from "./in-flight.ts";
import { nextDueInMs, releaseDeliveries } from "./queue.sql.ts";
import type { ClaimedDelivery } from "./queue.sql.ts";
import { DEADLINE_MS } from "./send.ts";
import { feedTokenDecryptor, secretDecryptor, urlDecryptor } from "./signing.ts";

export type DispatcherDeps = Pick<DeliverDeps, "client" | "now" | "log"> & {
  readonly encryption: Encryption;
  readonly db: Db;
  /** Measures elapsed time independently of changes of the clock. `performance.now()` by default. */
  readonly monotonicMs?: () => number;
  /** Called after every change. */
  readonly onCounts?: (counts: DeliveryCounts) => void;
};

/**
 * Counts since the start, except `inFlight`, which is the current number. `failed` counts attempts, and includes
 * `dead`.
 */
export type DeliveryCounts = {
  readonly delivered: number;
  readonly failed: number;
  readonly dead: number;
  readonly inFlight: number;
};

export type DispatcherOptions = InFlightOptions &
  ClaimOptions &
  FinishWriterOptions & {
    /** How often the dispatcher looks for work without a notice. */
    readonly idleMs: number;
    /** How long running requests may continue after the stop. They end at once when `stopNow` aborts. */
    readonly drainMs: number;
    readonly stopNow?: AbortSignal;
  };

export const DISPATCHER_DEFAULTS: DispatcherOptions = {
  slots: 256,
  // Receivers usually answer sooner. A slow request costs a connection and the payload, no more: five catalogs whose
  // endpoints (50, four deliveries each) begin to hang at the same time would fill this, and then fail one by one.
  maxSlowRequests: 1_000,
  slowAfterMs: 1_000,
  firstAttemptSlots: 64,
  perEndpoint: 4,
  retriesPerEndpoint: 3,
  perFailingEndpoint: 1,
  deadlineMs: DEADLINE_MS,
  leaseMs: 30_000,
  idleMs: 5_000,
  drainMs: 8_000,
  batchMs: 2,
  batchSize: 64,
};

/** From the end of an attempt to the end of its lease: for writing the result. */
const LEASE_MARGIN_MS = 10_000;

/** Small claims cost most per delivery: after a slot becomes free, this long is waited for more of them. */
const BATCH_DELAY_MS = 10;

/** Runs until the signal aborts; resolves when everything in flight is written or released. */
export async function runDispatcher(
  { monotonicMs = () => performance.now(), ...others }: DispatcherDeps,
  notices: Pick<Notices, "on">,
  signal: AbortSignal,
  options: DispatcherOptions = DISPATCHER_DEFAULTS,
): Promise<void> {
  checkLease(options);
  const deps = { monotonicMs, ...others };
  const dispatcher = createDispatcher(deps, options);
  const stopListening = notices.on(({ about }) => {
    // Notices that were sent while the connection was lost are missing.
    if (about === "deliveries" || about === "connected") dispatcher.wake();
  });
  const claimOnce = createClaim({ ...deps, ...dispatcher }, options);
  try {
    while (!signal.aborted) {
      const again = await claimOnce();
      if (again === "at once") continue;
      const waitMs = again === "soon" ? BATCH_DELAY_MS : await idleWaitMs(deps, dispatcher, options);
      await dispatcher.woken.wait(waitMs, signal);
    }
  } finally {
    stopListening();
    await drain(deps, dispatcher, options);
  }
}

function checkLease({ leaseMs, deadlineMs }: DispatcherOptions): void {
  if (leaseMs >= deadlineMs + LEASE_MARGIN_MS) return;
  throw new AppError(
    "config_invalid",
    `A delivery's lease of ${leaseMs} ms must outlast its deadline of ${deadlineMs} ms by ${LEASE_MARGIN_MS} ms, or running deliveries would be sent twice.`,
  );
}

type TimedDeps = DispatcherDeps & { readonly monotonicMs: () => number };
type Dispatcher = ReturnType<typeof createDispatcher>;

function createCounts() {
  const counts = { delivered: 0, failed: 0, dead: 0 };
  const count = ({ state, attempt }: Finish): void => {
    counts[attempt.error === null ? "delivered" : "failed"] += 1;
    if (state === "dead") counts.dead += 1;
  };
  return { counts, count };
}

function createDispatcher(deps: TimedDeps, options: DispatcherOptions) {
  const woken = wakeSignal();
  const nextDue = createNextDue();
  const inFlight = createInFlight(options, woken.notify);
  const abort = new AbortController();
  const unsent: ClaimedDelivery[] = [];
  const { counts, count } = createCounts();
  const reportCounts = () => deps.onCounts?.({ ...counts, inFlight: inFlight.size() });
  const wakeSoon = delayed(woken.notify, BATCH_DELAY_MS);
  const announce = deliveryAnnouncer(deps.db);
  const deliverDeps: DeliverDeps = {
    ...senderOf(deps, options, abort.signal),
    onSent: (delivery) => {
      inFlight.sent(delivery);
      wakeSoon();
    },
    onFinish: (finish, { catalogId }) => {
      announce(catalogId);
      count(finish);
      nextDue.min(finish.retryInS === null ? null : deps.monotonicMs() + finish.retryInS * 1_000);
    },
    onAborted: (delivery) => unsent.push(delivery),
  };
  return {
    inFlight,
    woken,
    nextDue,
    /** There may be new deliveries in the queue. */
    wake: () => {
      nextDue.forget();
      woken.notify();
    },
    /** Takes their slots now and sends them one turn of the event loop later: the next claim is asked for first. */
    start: (deliveries: readonly ClaimedDelivery[]) => {
      const nextTurn = setImmediate();
      for (const delivery of deliveries) {
        const work = nextTurn.then(async () => deliver(deliverDeps, delivery));
        inFlight.add(delivery, work, () => {
          reportCounts();
          wakeSoon();
        });
      }
      reportCounts();
    },
    /** Aborts running requests. Returns the deliveries that were therefore not sent. */
    abort: async (): Promise<readonly ClaimedDelivery[]> => {
      abort.abort();
      await inFlight.settled();
      return unsent;
    },
  };
}

const senderOf = (deps: TimedDeps, options: DispatcherOptions, signal: AbortSignal) => ({
  ...deps,
  decryptSecrets: secretDecryptor(deps.encryption),
  decryptUrl: urlDecryptor(deps.encryption),
  decryptFeedToken: feedTokenDecryptor(deps.encryption),
  write: createFinishWriter({ ...deps, signal }, options),
  deadlineMs: options.deadlineMs,
  signal,
});

/** Calls back `ms` after the first of several calls. */
function delayed(callback: () => void, ms: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      callback();
    }, ms);
  };
}

/**
 * When the next delivery that is not due yet will be, as far as this worker knows, on the monotonic clock. Null:
 * unknown.
 */
function createNextDue() {
  let at: number | null = null;
  return {
    isKnown: (now: number) => at !== null && at > now,
    /** Known: nothing is due. What comes next makes it earlier. */
    reset: () => {
      at = Number.POSITIVE_INFINITY;
    },
    forget: () => {
      at = null;
    },
    /** Moves the due time forward to `time`, if that is earlier. If the due time is unknown, it stays unknown. */
    min: (time: number | null) => {
      if (at !== null && time !== null) at = Math.min(at, time);
    },
    inMs: (now: number) => (at === null ? Number.POSITIVE_INFINITY : Math.max(1, at - now)),
  };
}

/**
 * Returns how long to wait: until the next retry is due, if that is known, or until a slot becomes free, but at most
 * `idleMs`.
 */
async function idleWaitMs(
  { db, monotonicMs, log }: TimedDeps,
  { inFlight, nextDue }: Dispatcher,
  { idleMs }: DispatcherOptions,
): Promise<number> {
  if (inFlight.freeSlots() === 0) return Math.min(idleMs, inFlight.slotFreeInMs());
  try {
    if (!nextDue.isKnown(monotonicMs())) {
      // Reset before the query, so that what happens while it runs is not overwritten.
      nextDue.reset();
      const inMs = await nextDueInMs(db);
      nextDue.min(inMs === null ? null : monotonicMs() + inMs);
    }
  } catch (error) {
    nextDue.forget();
    log.error({ err: error }, "the time of the next due delivery could not be read");
  }
  return Math.min(idleMs, nextDue.inMs(monotonicMs()), inFlight.slotFreeInMs());
}

async function drain(
  { db, log }: DispatcherDeps,
  { inFlight, abort }: Dispatcher,
  { drainMs, stopNow }: DispatcherOptions,
): Promise<void> {
  const settled = new AbortController();
  const timeout = sleep(drainMs, AbortSignal.any([settled.signal, ...(stopNow ? [stopNow] : [])]));
  await Promise.race([inFlight.settled(), timeout]);
  settled.abort();
  const unsent = await abort();
  if (unsent.length === 0) return;
  await releaseDeliveries(db, unsent).catch((error: unknown) => {
    log.error({ err: error }, "deliveries could not be released; their leases expire by themselves");
  });
}

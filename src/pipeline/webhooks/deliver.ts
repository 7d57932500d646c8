/**
 * Delivers what is queued, on every node alike: claims what is due, as much as it has free slots, tries each once, and
 * writes down how it went. It wakes by notice, at the moment the next retry is due, and every few seconds in any case.
 * Told to stop, it claims nothing more, lets what is under way end, and hands the rest back untouched. A fault of ours
 * (a secret that does not open, a database that is away) uses up no attempt: the lease runs out and someone tries again.
 */
import { AppError } from "../../errors.ts";
import { sleep } from "../../lib/async.ts";
import {
  claimDeliveries,
  FIRST_ENDPOINT,
  handBackDeliveries,
  nextDueAt,
} from "../../store/webhooks/queue.ts";
import type { ClaimedDelivery } from "../../store/webhooks/queue.ts";
import type { Notices } from "../../store/notices.ts";
import { DEADLINE_MS } from "../../webhooks/send.ts";
import { deliveryNode, GATHER_MS } from "./node.ts";
import type { DeliverDeps, DeliveryNode, NodeOptions } from "./node.ts";

export type DeliverOptions = NodeOptions & {
  /** Slots that retries never take, so that a storm of them holds up no first attempt. */
  readonly firstOnlySlots: number;
  /** In flight per endpoint on all nodes together, so that one that hangs takes no one else's slots. */
  readonly perEndpoint: number;
  readonly retriesPerEndpoint: number;
  /** The same for an endpoint that fails: many that hang must not fill the slots either. */
  readonly perFailingEndpoint: number;
  readonly leaseMs: number;
  /** How often to look when nobody calls. */
  readonly idleMs: number;
  /** How long attempts under way may go on after the stop; no longer when `hurry` aborts. */
  readonly drainMs: number;
  readonly hurry?: AbortSignal;
};

export const DELIVER_DEFAULTS: DeliverOptions = {
  slots: 256,
  // Receivers that answer at all do so sooner. Waiting costs a connection and the payload, no more: five catalogs whose
  // endpoints (50, four deliveries each) begin to hang in one moment would fill it, and then fail one by one.
  patientSlots: 1_000,
  slowAfterMs: 1_000,
  firstOnlySlots: 64,
  perEndpoint: 4,
  retriesPerEndpoint: 3,
  perFailingEndpoint: 1,
  deadlineMs: DEADLINE_MS,
  leaseMs: 30_000,
  idleMs: 5_000,
  drainMs: 12_000,
  groupMs: 2,
  groupSize: 64,
};

/** One statement takes no more, so that it stays short. */
const CLAIMED_AT_ONCE = 128;

/** Between the end of an attempt and the end of its lease: for writing it down, and for clocks that differ. */
const LEASE_MARGIN_MS = 10_000;

/** Works until the signal aborts; resolves when everything in hand is written down or handed back. */
export async function deliver(
  deps: DeliverDeps,
  notices: Pick<Notices, "on">,
  signal: AbortSignal,
  options: DeliverOptions = DELIVER_DEFAULTS,
): Promise<void> {
  checkLease(options);
  const node = deliveryNode(deps, options);
  const stopListening = notices.on(({ about }) => {
    // A general call to work also comes when the connection for notices was away.
    if (about === "deliveries" || about === "work") node.wake();
  });
  const claimOnce = claimer(node, options);
  try {
    while (!signal.aborted) {
      const next = await claimOnce();
      if (next === "at once") continue;
      await node.call.wait(next === "soon" ? GATHER_MS : await restMs(node, options), signal);
    }
  } finally {
    stopListening();
    await drain(node, options);
  }
}

function checkLease({ leaseMs, deadlineMs }: DeliverOptions): void {
  if (leaseMs >= deadlineMs + LEASE_MARGIN_MS) return;
  throw new AppError(
    "config_invalid",
    `A delivery's lease of ${leaseMs} ms must outlast its deadline of ${deadlineMs} ms by ${LEASE_MARGIN_MS} ms, or deliveries under way would be sent twice.`,
  );
}

type Next = "at once" | "soon" | "when called";

/** Claims once, and says when it is worth doing again. A database that is away is waited for, not died of. */
function claimer(node: DeliveryNode, options: DeliverOptions): () => Promise<Next> {
  const { db, now, log } = node.deps;
  // How far the last claim came on its way over all endpoints. Claims without retries are on a way of their own, or those
  // with retries would begin anew whenever there was no room for one.
  const reached = { withRetries: FIRST_ENDPOINT, firstsOnly: FIRST_ENDPOINT };
  let areFirstsNext = false;

  return async () => {
    const limit = Math.min(node.free(), CLAIMED_AT_ONCE);
    if (limit === 0) return "when called";
    const retryRoom = areFirstsNext ? 0 : options.slots - options.firstOnlySlots - node.retries();
    const retryLimit = Math.max(0, Math.min(limit, retryRoom));
    const way = retryLimit > 0 ? "withRetries" : "firstsOnly";
    const after = reached[way];
    try {
      const claimed = await claimDeliveries(db, { ...options, now: now(), limit, retryLimit, after });
      await startInTime(node, claimed, options);
      const wasWhole = after === FIRST_ENDPOINT;
      const stop = whereStopped(claimed, { limit, retryLimit });
      reached[way] = stop.at;
      // Too many retries on the way: whoever waits behind them for a first attempt is looked for at once.
      areFirstsNext = stop.isForRetries;
      if (areFirstsNext) return "at once";
      if (claimed.length > 0 && node.isRoomy()) return "at once";
      // There is more, and perhaps nobody who would call: those who have the other slots may all hang.
      if (claimed.length === limit) return "soon";
      // Whoever finds nothing on the second part of the way has not looked at the first.
      return claimed.length > 0 || wasWhole ? "when called" : "at once";
    } catch (error) {
      log.error({ err: error }, "deliveries could not be claimed");
      return "when called";
    }
  };
}

/**
 * A claim that the database kept waiting may come back with leases that are all but over: what is sent under one could
 * be claimed and sent again while it is under way. So it goes back to the queue instead.
 */
async function startInTime(
  node: DeliveryNode,
  claimed: readonly ClaimedDelivery[],
  { deadlineMs }: DeliverOptions,
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

/** Until the next retry is due, as far as that is known, or a slot is given up; but never longer than the backstop. */
async function restMs(node: DeliveryNode, { idleMs }: DeliverOptions): Promise<number> {
  const { db, now, log } = node.deps;
  if (node.free() === 0) return Math.min(idleMs, node.roomInMs());
  try {
    if (!node.alarm.isSet(now())) {
      // Cleared before the question, so that what happens while it is being answered is not overwritten.
      node.alarm.clear();
      node.alarm.ringBy(await nextDueAt(db, now()));
    }
  } catch (error) {
    node.alarm.unset();
    log.error({ err: error }, "the next due delivery could not be looked up");
  }
  return Math.min(idleMs, node.alarm.inMs(now()), node.roomInMs());
}

async function drain(node: DeliveryNode, { drainMs, hurry }: DeliverOptions): Promise<void> {
  const over = new AbortController();
  const patience = sleep(drainMs, AbortSignal.any([over.signal, ...(hurry ? [hurry] : [])]));
  await Promise.race([node.settled(), patience]);
  over.abort();
  const unsent = await node.cutShort();
  if (unsent.length === 0) return;
  await handBackDeliveries(node.deps.db, unsent).catch((error: unknown) => {
    node.deps.log.error(
      { err: error },
      "deliveries could not be handed back; their leases run out by themselves",
    );
  });
}

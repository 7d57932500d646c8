/**
 * Delivers what is queued, on every node alike: claims what is due, as much as it has free slots, tries each once, and
 * writes down how it went. It wakes by notice, at the moment the next retry is due, and every few seconds in any case.
 * Told to stop, it claims nothing more, lets what is under way end, and hands the rest back untouched. A fault of ours
 * (a secret that does not open, a database that is away) uses up no attempt: the lease runs out and someone tries again.
 */
import { AppError } from "../../errors.ts";
import { sleep } from "../../lib/async.ts";
import { handBackDeliveries, nextDueAt } from "../../store/webhooks/queue.ts";
import type { Notices } from "../../store/notices.ts";
import { DEADLINE_MS } from "../../webhooks/send.ts";
import { claimer } from "./claimer.ts";
import type { ClaimerOptions } from "./claimer.ts";
import { deliveryNode, GATHER_MS } from "./node.ts";
import type { DeliverDeps, DeliveryNode, NodeOptions } from "./node.ts";

export type DeliverOptions = NodeOptions &
  ClaimerOptions & {
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
  drainMs: 8_000,
  groupMs: 2,
  groupSize: 64,
};

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

/**
 * Delivers files to destinations; runs in every worker. A destination is claimed under a lease that a heartbeat
 * extends, so there are never two uploads to it at once, and one that was cut off by the death of a worker is sent
 * again. Each attempt sends what is published when it begins.
 */
import { DELIVERY_BACKOFF_S } from "../../lib/backoff.ts";
import type { DeliveryFailed } from "../../contract/events.ts";
import { enqueueDailyDeliveries, sentOf } from "../../destinations/deliveries.ts";
import {
  finishDelivery,
  type SentRender,
  startDelivery,
  type StartedDelivery,
} from "../../destinations/deliveries.sql.ts";
import {
  claimDestination,
  type DestinationRow,
  extendUploadLease,
  releaseUpload,
  type UploadLease,
} from "../../destinations/destinations.sql.ts";
import { DeliveryFailure } from "../../destinations/failure.ts";
import { placeOf } from "../../destinations/kinds.ts";
import { FORMATS } from "../../destinations/formats.ts";
import { newId } from "../../lib/id.ts";
import type { Queries } from "../../store/db.ts";
import type { Notices } from "../../store/notices.ts";
import { appendEvent } from "../../webhooks/events.sql.ts";
import { startHeartbeat } from "../lease.ts";
import { pollQueue } from "../polling.ts";
import { publishedOf } from "./published.ts";
import { sendPublished } from "./send-published.ts";
import type { SentPublished, UploadDeps } from "./upload-deps.ts";

export type UploadOptions = {
  /** Uploads at the same time. */
  readonly slots: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** How often to look without a notice. */
  readonly idleMs: number;
  /** The backoff. After the last one the delivery is dead; the next publication starts anew. */
  readonly retryDelaysS: readonly number[];
};

const UPLOAD_DEFAULTS: UploadOptions = {
  slots: 2,
  leaseMs: 60_000,
  heartbeatMs: 10_000,
  idleMs: 5_000,
  retryDelaysS: DELIVERY_BACKOFF_S,
};

/** Works until the signal aborts; resolves when every claimed destination is released. */
export async function runUploads(
  deps: UploadDeps,
  notices: Pick<Notices, "on">,
  signal: AbortSignal,
  options: UploadOptions = UPLOAD_DEFAULTS,
): Promise<void> {
  let free = options.slots;
  await pollQueue(
    {
      notices,
      wakesOn: ["uploads", "connected"],
      idleMs: options.idleMs,
      claim: async () => (free === 0 ? undefined : claim(deps, options)),
      perform: async ({ destination, lease }) => {
        free -= 1;
        await upload(deps, destination, { lease, signal, options }).catch((error: unknown) =>
          deps.log.error({ err: error, destination_id: destination.id }, "an upload could not be finished"),
        );
        free += 1;
      },
    },
    signal,
  );
}

type ClaimedUpload = { readonly destination: DestinationRow; readonly lease: UploadLease };

async function claim(
  { db, log }: UploadDeps,
  { leaseMs }: UploadOptions,
): Promise<ClaimedUpload | undefined> {
  const lease = { owner: newId(), leaseMs };
  try {
    await db.tx(async (tx) => enqueueDailyDeliveries(tx, publishedOf));
    const destination = await claimDestination(db, lease);
    return destination && { destination, lease };
  } catch (error) {
    log.error({ err: error }, "destinations could not be claimed");
    return undefined;
  }
}

/** After a failure of our own, which uses no attempt. */
const INTERNAL_DELAY_S = 60;

type Working = { readonly lease: UploadLease; readonly signal: AbortSignal; readonly options: UploadOptions };

async function upload(
  deps: UploadDeps,
  destination: DestinationRow,
  { lease, signal, options }: Working,
): Promise<void> {
  const { db, log } = deps;
  const { id, catalogId } = destination;
  const sent = sentOf(await publishedOf(db, catalogId), FORMATS[destination.format].file);
  const delivery = sent && (await startDelivery(db, { id, sentTo: placeOf(destination) }, sent));
  if (!delivery) return releaseUpload(db, id, { owner: lease.owner, delayS: INTERNAL_DELAY_S });
  const lost = new AbortController();
  const stopHeartbeat = startHeartbeat({
    everyMs: options.heartbeatMs,
    extend: async () => extendUploadLease(db, id, lease),
    onLost: () => lost.abort(new Error("The lease was lost, or the destination was deleted.")),
    onError: (error) => log.warn({ err: error, destination_id: id }, "heartbeat failed"),
  });
  const began = performance.now();
  const both = AbortSignal.any([signal, lost.signal]);
  try {
    const result = await sendPublished(deps, { destination, sent, signal: both }).catch((error: unknown) => {
      if (error instanceof DeliveryFailure) return error;
      throw error;
    });
    const durationMs = performance.now() - began;
    await finish(deps, { destination, delivery, lease, durationMs, result, sent }, options);
  } catch (error) {
    if (!both.aborted) log.error({ err: error, destination_id: id }, "an upload failed; it is tried again");
    await releaseUpload(db, id, { owner: lease.owner, delayS: signal.aborted ? 0 : INTERNAL_DELAY_S });
  } finally {
    stopHeartbeat();
  }
}

type Ended = {
  readonly destination: DestinationRow;
  readonly delivery: StartedDelivery;
  readonly lease: UploadLease;
  readonly durationMs: number;
  readonly result: SentPublished | DeliveryFailure;
  readonly sent: SentRender;
};

async function finish(
  { db, log }: UploadDeps,
  { destination, delivery, lease, durationMs, result, sent }: Ended,
  { retryDelaysS }: UploadOptions,
): Promise<void> {
  const end = { id: delivery.id, destinationId: destination.id, owner: lease.owner, durationMs };
  const fields = {
    delivery_id: delivery.id,
    destination_id: destination.id,
    catalog_id: destination.catalogId,
    render_run_id: sent.runId,
    attempt: delivery.attempts,
    duration_ms: Math.round(durationMs),
  };
  if (!(result instanceof DeliveryFailure)) {
    await db.tx(async (tx) => finishDelivery(tx, { ...end, error: null, ...result }));
    log.info({ ...fields, files: result.files.length }, "files delivered");
    return;
  }
  const { code, message } = result;
  const retryInS = retryDelaysS[delivery.failures] ?? null;
  const failed = { ...end, error: { code, message }, failures: delivery.failures + 1, retryInS };
  await db.tx(async (tx) => {
    const isWritten = await finishDelivery(tx, failed);
    if (isWritten && retryInS === null) await announceGivenUp(tx, { destination, delivery, sent, result });
  });
  log.warn({ ...fields, error: code, retry_in_s: retryInS }, `delivery failed: ${message}`);
}

type GivenUp = Pick<Ended, "destination" | "delivery" | "sent"> & { readonly result: DeliveryFailure };

async function announceGivenUp(tx: Queries, { destination, delivery, sent, result }: GivenUp): Promise<void> {
  const { id, catalogId, name } = destination;
  const createdAt = new Date();
  const data: DeliveryFailed = {
    delivery_id: delivery.id,
    to: "destination",
    target_id: id,
    target: name,
    render_run_id: sent.runId,
    event: null,
    attempts: delivery.attempts,
    error: { code: result.code, message: result.message },
    failed_at: createdAt.toISOString(),
  };
  await appendEvent(tx, { type: "shelfwire.delivery.failed", data, catalogId, createdAt });
}

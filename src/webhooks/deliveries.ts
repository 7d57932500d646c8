/** The log of deliveries: list them with every attempt, send them again, send a test, which is attempted only once. */
import { TEST_EVENT } from "../contract/events.ts";
import type { WebhookTest } from "../contract/events.ts";
import type {
  DeliveriesPage,
  DeliveriesQuery,
  Delivery,
  ResendDeliveries,
  TestedWebhook,
} from "../contract/webhooks.ts";
import { AppError, invalidRequest } from "../errors.ts";
import { badCursor, decodeCursor, pageOf } from "../lib/cursor.ts";
import { isUuid, newId } from "../lib/id.ts";
import type { WebhookHttpClient } from "../lib/outbound/webhook-http-client.ts";
import type { Encryption } from "../lib/encryption.ts";
import type { Db } from "../store/db.ts";
import { requireLive } from "../store/restores.ts";
import { attemptBody, withoutSecrets } from "./attempt.ts";
import { findEndpoint } from "./endpoints.sql.ts";
import type { EndpointRef } from "./endpoints.sql.ts";
import { noWebhook } from "./endpoints.ts";
import { eventPayload, insertSentEvent } from "./events.sql.ts";
import { finishDeliveries } from "./finish.sql.ts";
import { findDeliveries, findDeliveryEvent, listAttempts, resend } from "./log.sql.ts";
import type { DeliveryFilter } from "./log.sql.ts";
import { DEADLINE_MS, send } from "./send.ts";
import { secretDecryptor, urlDecryptor } from "./signing.ts";

const DEFAULT_LIMIT = 50;

/** Newest first. */
export async function listDeliveries(
  db: Db,
  catalogId: string,
  { webhook_id: endpointId, state, event, cursor, limit = DEFAULT_LIMIT }: DeliveriesQuery,
): Promise<DeliveriesPage> {
  const before = cursor === undefined ? undefined : parseCursor(cursor);
  const filter = { endpointId, state, event, before, limit: limit + 1 };
  const found = await findWithAttempts(db, catalogId, filter);
  const { page, nextCursor } = pageOf(found, limit, ({ id }) => [id]);
  return { deliveries: page, next_cursor: nextCursor };
}

export async function getDelivery(db: Db, { catalogId, id }: EndpointRef): Promise<Delivery> {
  const [delivery] = await findWithAttempts(db, catalogId, { id, limit: 1 });
  if (!delivery) throw noDelivery(id);
  return delivery;
}

/**
 * Reads the delivery and its attempts in one snapshot, so that a delivery never shows an attempt and is still due for
 * it.
 */
async function findWithAttempts(
  db: Db,
  catalogId: string,
  filter: DeliveryFilter,
): Promise<readonly Delivery[]> {
  return db.session(async (session) =>
    session.snapshot(async (tx) => {
      const found = await findDeliveries(tx, catalogId, filter);
      const ids = found.map(({ id }) => id);
      const attempts = await listAttempts(tx, catalogId, ids);
      return found.map((delivery) => ({ ...delivery, attempts: attempts.get(delivery.id) ?? [] }));
    }),
  );
}

const noDelivery = (id: string): AppError =>
  new AppError(
    "not_found",
    `There is no delivery ${id} in this catalog. List the deliveries to see their ids.`,
  );

function parseCursor(cursor: string): string {
  const id = String(decodeCursor(cursor, ["string"])[0]);
  if (!isUuid(id)) throw badCursor();
  return id;
}

/**
 * Sends one delivery again, or all deliveries that became dead or were discarded since a time. Each delivery gets a new
 * schedule and keeps its event id.
 */
export async function resendDeliveries(
  db: Db,
  catalogId: string,
  { delivery_id: deliveryId, since, webhook_id: endpointId }: ResendDeliveries,
): Promise<{ readonly resent: number }> {
  if ((deliveryId === undefined) === (since === undefined)) {
    throw invalidRequest("Send either delivery_id or since.", "/delivery_id");
  }
  await requireLive(db);
  if (deliveryId !== undefined) return resendOne(db, { catalogId, id: deliveryId });
  // The schema takes leap seconds, which JavaScript does not have.
  const deadSince = new Date(since ?? "");
  if (Number.isNaN(deadSince.getTime())) throw invalidRequest("This is not a valid time.", "/since");
  if (endpointId !== undefined && !(await findEndpoint(db, { catalogId, id: endpointId })))
    throw noWebhook(endpointId);
  const which = { catalogId, deadSince, endpointId, exceptEvent: TEST_EVENT };
  return { resent: await db.tx(async (tx) => resend(tx, which)) };
}

async function resendOne(db: Db, { catalogId, id }: EndpointRef) {
  const event = await findDeliveryEvent(db, { catalogId, id });
  if (event === undefined) throw noDelivery(id);
  if (event === TEST_EVENT) {
    throw invalidRequest("A test cannot be sent again. Send another test.", "/delivery_id");
  }
  const resent = await db.tx(async (tx) => resend(tx, { catalogId, deliveryId: id }));
  if (resent === 1) return { resent };
  throw new AppError("conflict", `Delivery ${id} is being sent right now. Look at its attempts in a moment.`);
}

export type TestDeliveryDeps = {
  readonly db: Db;
  readonly client: WebhookHttpClient;
  readonly encryption: Encryption;
  readonly signal: AbortSignal;
  readonly now?: () => Date;
  readonly deadlineMs?: number;
};

/** Sends a signed test event now. The delivery is stored when it is over, so that nothing is retried after a crash. */
export async function sendTest(
  deps: TestDeliveryDeps,
  { catalogId, id }: EndpointRef,
): Promise<TestedWebhook> {
  const { db, client, encryption, signal, now = () => new Date(), deadlineMs = DEADLINE_MS } = deps;
  const endpoint = await findEndpoint(db, { catalogId, id });
  if (endpoint === undefined) throw noWebhook(id);
  await requireLive(db);
  const createdAt = now();
  const data: WebhookTest = {
    webhook_id: id,
    message: "This is a test. Nothing has happened to the catalog.",
  };
  const eventId = newId();
  const payload = eventPayload({ type: TEST_EVENT, data }, createdAt);
  const secrets = secretDecryptor(encryption)(endpoint, createdAt);
  const url = urlDecryptor(encryption)(endpoint);
  const message = { eventId, type: TEST_EVENT, payload, url, secrets };
  const attempt = withoutSecrets(await send(message, { client, now, deadlineMs, signal }), { url });
  const delivered = attempt.error === null;
  const finish = {
    state: delivered ? "delivered" : "dead",
    retryInS: null,
    // The outbound guard blocked this attempt. A test from a shell with other settings must not make an endpoint
    // failing.
    updatesHealth: attempt.error !== "blocked",
    attempt,
  } as const;
  const event = { id: eventId, catalogId, endpointId: id, type: TEST_EVENT, payload, createdAt };
  const deliveryId = await db.tx(async (tx) => {
    const lease = await insertSentEvent(tx, event);
    if (lease === undefined) throw noWebhook(id);
    await finishDeliveries(tx, [{ ...lease, ...finish }]);
    return lease.id;
  });
  return { delivery_id: deliveryId, event_id: eventId, delivered, attempt: attemptBody(attempt, 1) };
}

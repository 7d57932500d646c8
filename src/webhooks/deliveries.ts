/**
 * The log of deliveries for its owner: list them with every attempt, send them again, send a test. A test is signed, sent
 * and logged like a delivery, but at once and only once.
 */
import { TEST_EVENT } from "../contract/events.ts";
import type { WebhookTest } from "../contract/events.ts";
import type {
  DeliveriesPage,
  DeliveriesQuery,
  ResendDeliveries,
  TestedWebhook,
} from "../contract/webhooks.ts";
import { AppError } from "../errors.ts";
import { isUuid, newId } from "../lib/id.ts";
import type { WebhookHttpClient } from "../lib/outbound/webhook-http-client.ts";
import type { Sealer } from "../lib/seal.ts";
import type { Db } from "../store/db.ts";
import { attemptBody } from "./attempt.ts";
import { findEndpoint } from "./endpoints.sql.ts";
import type { EndpointRef } from "./endpoints.sql.ts";
import { checkUuid, invalid, noWebhook } from "./endpoints.ts";
import { eventPayload, insertSentEvent } from "./events.sql.ts";
import { finishDeliveries } from "./finish.sql.ts";
import { findDeliveries, findDeliveryEvent, listAttempts, resend } from "./log.sql.ts";
import { DEADLINE_MS, send } from "./send.ts";
import { secretOpener } from "./signing.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

/** Newest first. */
export async function listDeliveries(
  db: Db,
  catalogId: string,
  { webhook_id: endpointId, state, event, cursor, limit = DEFAULT_LIMIT }: DeliveriesQuery,
): Promise<DeliveriesPage> {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw invalid("/limit", `A page has 1 to ${MAX_LIMIT} deliveries.`);
  }
  if (endpointId !== undefined) checkUuid("/webhook_id", endpointId);
  const before = cursor === undefined ? undefined : parseCursor(cursor);
  // One more than requested shows whether there is another page.
  const filter = { endpointId, state, event, before, limit: limit + 1 };
  // In one snapshot: a delivery must not show an attempt and still be due for it.
  const { found, attempts } = await db.session(async (session) =>
    session.snapshot(async (tx) => {
      const found = await findDeliveries(tx, catalogId, filter);
      const ids = found.slice(0, limit).map(({ id }) => id);
      return { found, attempts: await listAttempts(tx, catalogId, ids) };
    }),
  );
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    deliveries: page.map((delivery) => ({ ...delivery, attempts: attempts.get(delivery.id) ?? [] })),
    next_cursor: found.length > limit && last ? Buffer.from(last.id).toString("base64url") : null,
  };
}

function parseCursor(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString();
  if (!isUuid(id)) throw invalid("/cursor", "This is not a cursor of this list. Begin again without one.");
  return id;
}

/** One delivery in any state, or all that became dead since a time: a new schedule with the same event id. */
export async function resendDeliveries(
  db: Db,
  catalogId: string,
  { delivery_id: deliveryId, since, webhook_id: endpointId }: ResendDeliveries,
  now = new Date(),
): Promise<{ readonly resent: number }> {
  if ((deliveryId === undefined) === (since === undefined)) {
    throw invalid("/delivery_id", "Give either delivery_id, or since with a time; not both and not neither.");
  }
  if (deliveryId !== undefined) return resendOne(db, { catalogId, id: deliveryId }, now);
  const deadSince = new Date(since ?? "");
  if (Number.isNaN(deadSince.getTime())) throw invalid("/since", "This time does not exist.");
  if (endpointId !== undefined) {
    checkUuid("/webhook_id", endpointId);
    if (!(await findEndpoint(db, { catalogId, id: endpointId }))) throw noWebhook(endpointId);
  }
  const which = { catalogId, now, deadSince, endpointId, exceptEvent: TEST_EVENT };
  return { resent: await db.tx(async (tx) => resend(tx, which)) };
}

async function resendOne(
  db: Db,
  { catalogId, id }: { readonly catalogId: string; readonly id: string },
  now: Date,
): Promise<{ readonly resent: number }> {
  checkUuid("/delivery_id", id);
  const event = await findDeliveryEvent(db, { catalogId, id });
  if (event === undefined) {
    throw new AppError(
      "not_found",
      `There is no delivery ${id} in this catalog. List the deliveries to see their ids.`,
    );
  }
  if (event === TEST_EVENT) {
    throw invalid("/delivery_id", "A test is not sent again. Send another test instead.");
  }
  const resent = await db.tx(async (tx) => resend(tx, { catalogId, now, deliveryId: id }));
  if (resent === 1) return { resent };
  throw new AppError("conflict", `Delivery ${id} is being sent right now. Look at its attempts in a moment.`);
}

export type TestDeps = {
  readonly db: Db;
  readonly client: WebhookHttpClient;
  readonly sealer: Sealer;
  readonly signal: AbortSignal;
  readonly now?: () => Date;
  readonly deadlineMs?: number;
};

/** Sends a signed test event now. It is stored only when it is over: after a crash there is nothing to retry. */
export async function sendTest(deps: TestDeps, { catalogId, id }: EndpointRef): Promise<TestedWebhook> {
  const { db, client, sealer, signal, now = () => new Date(), deadlineMs = DEADLINE_MS } = deps;
  checkUuid("/id", id);
  const endpoint = await findEndpoint(db, { catalogId, id });
  if (endpoint === undefined) throw noWebhook(id);
  const createdAt = now();
  const data: WebhookTest = {
    webhook_id: id,
    message: "This is a test. Nothing has happened to the catalog.",
  };
  const eventId = newId();
  const payload = eventPayload({ type: TEST_EVENT, data }, createdAt);
  const secrets = secretOpener(sealer)(endpoint, createdAt);
  const message = { eventId, type: TEST_EVENT, payload, url: endpoint.url, secrets };
  const attempt = await send(message, { client, now, deadlineMs, signal });
  const delivered = attempt.error === null;
  const finish = {
    state: delivered ? "delivered" : "dead",
    nextAttemptAt: null,
    // Blocked by our own guard: a test from a shell with other settings must not make an endpoint failing.
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

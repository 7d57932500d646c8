/**
 * What an owner does with deliveries: send a test, look at every attempt, send again what did not arrive. A test goes
 * the way of every delivery, guard and signature included, and is in the log like one; but it is never tried again.
 */
import { AppError } from "../errors.ts";
import { isUuid, newId } from "../lib/id.ts";
import type { WebhookHttpClient } from "../lib/outbound/webhook-http-client.ts";
import type { Sealer } from "../lib/seal.ts";
import type { Db } from "../store/db.ts";
import { finishDeliveries } from "../store/webhooks/finish.ts";
import type { DeliveryState } from "../store/webhooks/finish.ts";
import { findDeliveryEvent, listAttempts, listDeliveryRows, resend } from "../store/webhooks/log.ts";
import type { DeliveryRow, LoggedAttempt } from "../store/webhooks/log.ts";
import { findEndpoint } from "../store/webhooks/endpoints.ts";
import { eventPayload, insertOwnEvent } from "../store/webhooks/events.ts";
import { type Attempt, attemptRecord } from "../webhooks/attempt.ts";
import { TEST_EVENT } from "../contract/events.ts";
import { secretOpener } from "../webhooks/secret.ts";
import { DEADLINE_MS, send } from "../webhooks/send.ts";
import { invalid, noWebhook, requireUuid } from "./webhook-refusals.ts";
import type { WebhookRef } from "./webhooks.ts";

export type TestDeps = {
  readonly db: Db;
  readonly poster: WebhookHttpClient;
  readonly sealer: Sealer;
  readonly signal: AbortSignal;
  readonly now?: () => Date;
  readonly deadlineMs?: number;
};
export type SentTest = { readonly deliveryId: string; readonly eventId: string; readonly attempt: Attempt };

/** Sends a signed test event now. It is written down only when it is over: a crash leaves nothing to be retried. */
export async function sendTest(deps: TestDeps, { catalogId, id }: WebhookRef): Promise<SentTest> {
  const { db, poster, sealer, signal, now = () => new Date(), deadlineMs = DEADLINE_MS } = deps;
  requireUuid("/id", id);
  const endpoint = await findEndpoint(db, { catalogId, id });
  if (endpoint === undefined) throw noWebhook(id);
  const createdAt = now();
  const data = { webhook_id: id, message: "This is a test. Nothing has happened to the catalog." };
  const eventId = newId();
  const payload = eventPayload({ type: TEST_EVENT, data }, createdAt);
  const secrets = secretOpener(sealer)(endpoint, createdAt);
  const attempt = await send(
    { eventId, type: TEST_EVENT, payload, url: endpoint.url, secrets },
    { poster, now, deadlineMs, signal },
  );
  const event = { id: eventId, catalogId, endpointId: id, type: TEST_EVENT, payload, createdAt };
  const state = attempt.outcome === "delivered" ? "delivered" : "dead";
  // Our own guard stopped it; whoever tests from a shell with other settings must not make an endpoint fail.
  const tellsHealth = attempt.outcome !== "failed" || attempt.error !== "blocked";
  const finish = { state, nextAttemptAt: null, tellsHealth, attempt: attemptRecord(attempt) } as const;
  const deliveryId = await db.tx(async (tx) => {
    const owned = await insertOwnEvent(tx, event);
    if (owned === undefined) throw noWebhook(id);
    await finishDeliveries(tx, [{ ...owned, ...finish }]);
    return owned.id;
  });
  return { deliveryId, eventId, attempt };
}

export type DeliveryQuery = {
  readonly catalogId: string;
  readonly endpointId?: string;
  readonly state?: DeliveryState;
  readonly event?: string;
  /** As the page before said it. */
  readonly cursor?: string;
  readonly limit?: number;
};
/** The answer's first bytes as text; what is not UTF-8 shows as such. */
export type AttemptView = Omit<LoggedAttempt, "answer"> & { readonly answer: string | null };
export type Delivery = DeliveryRow & { readonly attempts: readonly AttemptView[] };
export type DeliveryPage = {
  readonly deliveries: readonly Delivery[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
};

const DEFAULT_PAGE = 50;
const MAX_PAGE = 100;

/** Newest first. */
export async function listDeliveries(
  db: Db,
  { catalogId, cursor, limit = DEFAULT_PAGE, ...filter }: DeliveryQuery,
): Promise<DeliveryPage> {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw invalid("/limit", `A page has 1 to ${MAX_PAGE} deliveries.`);
  }
  if (filter.endpointId !== undefined) requireUuid("/webhook_id", filter.endpointId);
  const before = cursor === undefined ? {} : { before: parseCursor(cursor) };
  // One more than asked for tells whether there is another page.
  const wanted = { ...filter, ...before, limit: limit + 1 };
  // At one moment: what is under way must not show an attempt and still be due for it.
  const { found, attempts } = await db.session(async (session) =>
    session.snapshot(async (tx) => {
      const found = await listDeliveryRows(tx, catalogId, wanted);
      const shown = found.slice(0, limit).map(({ id }) => id);
      return { found, attempts: await listAttempts(tx, catalogId, shown) };
    }),
  );
  const rows = found.slice(0, limit);
  const byDelivery = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
  const last = rows.at(-1);
  return {
    deliveries: rows.map((row) => ({ ...row, attempts: (byDelivery.get(row.id) ?? []).map(toView) })),
    nextCursor: found.length > limit && last ? Buffer.from(last.id).toString("base64url") : null,
  };
}

function toView({ answer, ...attempt }: LoggedAttempt): AttemptView {
  return { ...attempt, answer: answer?.toString("utf8") ?? null };
}

function parseCursor(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString();
  if (!isUuid(id)) throw invalid("/cursor", "This cursor is none of ours. Begin again without one.");
  return id;
}

/** One delivery, whatever became of it; or all that died since a time, of one endpoint or of all. */
export type ResendRequest = { readonly catalogId: string; readonly now?: Date } & (
  | { readonly deliveryId: string }
  | { readonly since: Date; readonly endpointId?: string }
);

/** Starts the schedule anew, with the same event id. Says how many will be sent again. */
export async function resendDeliveries(db: Db, request: ResendRequest): Promise<{ readonly resent: number }> {
  const { catalogId, now = new Date() } = request;
  if ("deliveryId" in request) return resendOne(db, { catalogId, id: request.deliveryId }, now);
  const { since, endpointId } = request;
  if (endpointId !== undefined) {
    requireUuid("/webhook_id", endpointId);
    if (!(await findEndpoint(db, { catalogId, id: endpointId }))) throw noWebhook(endpointId);
  }
  const which = {
    diedSince: since,
    exceptEvent: TEST_EVENT,
    ...(endpointId !== undefined && { endpointId }),
  };
  return { resent: await db.tx(async (tx) => resend(tx, { catalogId, now, ...which })) };
}

async function resendOne(db: Db, { catalogId, id }: WebhookRef, now: Date): Promise<{ resent: number }> {
  requireUuid("/delivery_id", id);
  const event = await findDeliveryEvent(db, { catalogId, id });
  if (event === undefined) {
    throw new AppError(
      "not_found",
      `There is no delivery ${id} in this catalog. The log has those there are.`,
    );
  }
  if (event === TEST_EVENT) {
    throw invalid("/delivery_id", "A test is not sent again. Send another test instead.");
  }
  const resent = await db.tx(async (tx) => resend(tx, { catalogId, now, deliveryId: id }));
  if (resent === 1) return { resent };
  throw new AppError("conflict", `Delivery ${id} is being sent right now. Look at its attempts in a moment.`);
}

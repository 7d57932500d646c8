/**
 * Events and the deliveries they cause, written in the transaction of what they announce: either both are stored or
 * neither. The payload is stored once, as the exact text that every attempt sends, except for a feed token in it, which
 * is stored encrypted beside it. The delivery to a disabled endpoint is logged as `discarded`, so that it can be sent
 * later. An event without a subscriber is not stored: there is nothing to deliver, and the list of runs has the same
 * facts.
 */
import type { WebhookEvent } from "../contract/events.ts";
import { newId } from "../lib/id.ts";
import type { Queries } from "../store/db.ts";
import { notify } from "../store/notices.ts";
import { sql } from "../store/sql.ts";
import { enqueue } from "./queue.sql.ts";
import type { DeliveryLease } from "./queue.sql.ts";

export type NewEvent = WebhookEvent & {
  readonly catalogId: string;
  /** When it happened. Its deliveries are due at once, whatever this time is. */
  readonly createdAt: Date;
  /** The feed token in the data, if there is one: it is not stored in clear. */
  readonly feedToken?: FeedToken;
  /** An endpoint that must not get it: the one that it is about. */
  readonly exceptEndpointId?: string;
};

export type FeedToken = { readonly text: string; readonly encrypted: Buffer };

/**
 * Replaces the feed token in a stored payload. JSON escapes control characters, so no payload contains it otherwise.
 */
const TOKEN_MARK = "\u0001";

/** The text to send: the stored payload with the token of the time of the event. */
export const withFeedToken = (payload: string, token: string): string =>
  payload.replaceAll(TOKEN_MARK, token);

/** The text that is signed and sent. JSON escapes lone surrogates and control characters, so text keeps every byte. */
export function eventPayload(
  { type, data }: { readonly type: string; readonly data: object },
  createdAt: Date,
): string {
  return JSON.stringify({ event: type, created_at: createdAt.toISOString(), data });
}

/**
 * Appends an event in the caller's transaction, with a delivery for every endpoint that subscribes to its type: a
 * pending one, or a discarded one if the endpoint is disabled, and wakes the dispatchers. Returns the event's id, or
 * undefined if there is no subscriber.
 */
export async function appendEvent(tx: Queries, event: NewEvent): Promise<string | undefined> {
  const { catalogId, type, createdAt, feedToken, exceptEndpointId } = event;
  const subscribers = await subscribersOf(tx, catalogId, type);
  const endpoints = subscribers.filter((endpoint) => endpoint.id !== exceptEndpointId);
  if (endpoints.length === 0) return undefined;
  const id = newId();
  const payload = eventPayload(event, createdAt);
  const stored = feedToken ? payload.replaceAll(feedToken.text, TOKEN_MARK) : payload;
  await tx.execute(sql`
    insert into webhook_events (catalog_id, id, type, payload, feed_token_sealed, created_at)
    values (${catalogId}, ${id}, ${type}, ${stored}, ${feedToken?.encrypted ?? null}, ${createdAt})`);
  await tx.execute(sql`
    with logged as (
      insert into webhook_deliveries (catalog_id, id, event_id, endpoint_id, state, next_attempt_at, created_at, finished_at)
      select ${catalogId}, d.id, ${id}, d.endpoint_id, case when d.is_disabled then 'discarded' else 'pending' end,
             case when not d.is_disabled then now() end, ${createdAt},
             case when d.is_disabled then now() end
        from unnest(${endpoints.map(() => newId())}::uuid[], ${endpoints.map((one) => one.id)}::uuid[],
                    ${endpoints.map((one) => one.isDisabled)}::boolean[]) as d (id, endpoint_id, is_disabled)
      returning *)
    ${enqueue(sql`(select * from logged where state = 'pending') logged`)}`);
  await notify(tx, { about: "deliveries" });
  return id;
}

/** Appends events of one type and catalog; the same as `appendEvent` for each. */
export async function appendEvents(tx: Queries, events: readonly NewEvent[]): Promise<void> {
  const [first] = events;
  if (!first || (await subscribersOf(tx, first.catalogId, first.type)).length === 0) return;
  for (const event of events) await appendEvent(tx, event);
}

/** Locked against deletion until the transaction ends: a deleted subscriber must not undo what is announced. */
async function subscribersOf(tx: Queries, catalogId: string, type: string): Promise<readonly Subscriber[]> {
  return tx.query<Subscriber>(sql`
    select id, disabled_at is not null as is_disabled from webhook_endpoints
     where catalog_id = ${catalogId} and ${type} = any (events)
     order by id
       for key share`);
}

type Subscriber = { readonly id: string; readonly isDisabled: boolean };

/** An event for one endpoint that the caller has sent itself and finishes in the same transaction. */
export type SentEvent = {
  readonly id: string;
  readonly catalogId: string;
  readonly endpointId: string;
  readonly type: string;
  readonly payload: string;
  readonly createdAt: Date;
};

/** Returns the lease to finish the delivery with; undefined if the endpoint was deleted. */
export async function insertSentEvent(tx: Queries, event: SentEvent): Promise<DeliveryLease | undefined> {
  const { id: eventId, catalogId, endpointId, type, payload, createdAt } = event;
  const rows = await tx.query(sql`
    select 1 from webhook_endpoints where catalog_id = ${catalogId} and id = ${endpointId} for key share`);
  if (rows.length === 0) return undefined;
  const lease: DeliveryLease = { id: newId(), token: newId() };
  await tx.execute(sql`
    insert into webhook_events (catalog_id, id, type, payload, created_at)
    values (${catalogId}, ${eventId}, ${type}, ${payload}, ${createdAt})`);
  await tx.execute(sql`
    with logged as (
      insert into webhook_deliveries (catalog_id, id, event_id, endpoint_id, next_attempt_at, created_at)
      values (${catalogId}, ${lease.id}, ${eventId}, ${endpointId}, now(), ${createdAt})
      returning *)
    ${enqueue(sql`logged`, lease.token)}`);
  return lease;
}

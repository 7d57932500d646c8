/**
 * Events and the deliveries they cause, written in the transaction of what they announce: either both are there or
 * neither. The payload is stored once, as the exact text every attempt sends, but for a feed token in it, which is
 * stored sealed beside it. An event that nobody subscribes to is not stored: nothing could deliver it, and the history
 * of runs tells the same facts.
 */
import { newId } from "../../lib/id.ts";
import type { Queries } from "../db.ts";
import { notify } from "../notices.ts";
import { enqueue } from "./queue.ts";
import type { Owned } from "./queue.ts";
import { sql } from "../sql.ts";

export type NewEvent = {
  readonly catalogId: string;
  readonly type: string;
  readonly data: object;
  /** When it happened, and so when its deliveries are due. Now, unless said otherwise. */
  readonly createdAt?: Date;
  /** The feed token in the data, if there is one: it is not stored in clear. */
  readonly feedToken?: FeedToken;
};

export type FeedToken = { readonly text: string; readonly sealed: Buffer };

/** Replaces the feed token in a stored payload. JSON escapes control characters, so no payload has it otherwise. */
const TOKEN_MARK = "\u0001";

/** The text to send: the stored payload with the token that it had when the event happened. */
export const withFeedToken = (payload: string, token: string): string =>
  payload.replaceAll(TOKEN_MARK, token);

/** What is sent and signed. JSON escapes lone surrogates and control characters, so text keeps every byte. */
export function eventPayload({ type, data }: Pick<NewEvent, "type" | "data">, createdAt: Date): string {
  return JSON.stringify({ event: type, created_at: createdAt.toISOString(), data });
}

/**
 * Appends an event in the caller's transaction, with a pending delivery for every endpoint that subscribes to its
 * type, and wakes whoever delivers. Returns the event's id, or undefined if nobody subscribes.
 */
export async function appendEvent(tx: Queries, event: NewEvent): Promise<string | undefined> {
  const { catalogId, type, createdAt = new Date() } = event;
  const endpoints = await subscribersOf(tx, catalogId, type);
  if (endpoints.length === 0) return undefined;
  const id = newId();
  const payload = eventPayload(event, createdAt);
  const { feedToken } = event;
  const stored = feedToken ? payload.replaceAll(feedToken.text, TOKEN_MARK) : payload;
  await tx.execute(sql`
    insert into webhook_events (catalog_id, id, type, payload, feed_token_sealed, created_at)
    values (${catalogId}, ${id}, ${type}, ${stored}, ${feedToken?.sealed ?? null}, ${createdAt})`);
  await tx.execute(sql`
    with logged as (
      insert into webhook_deliveries (catalog_id, id, event_id, endpoint_id, next_attempt_at, created_at)
      select ${catalogId}, d.id, ${id}, d.endpoint_id, ${createdAt}, ${createdAt}
        from unnest(${endpoints.map(() => newId())}::uuid[], ${endpoints}::uuid[]) as d (id, endpoint_id)
      returning *)
    ${enqueue(sql`logged`)}`);
  await notify(tx, { about: "deliveries" });
  return id;
}

/** Kept from being deleted until the transaction ends: a vanishing subscriber must not undo what is announced. */
async function subscribersOf(tx: Queries, catalogId: string, type: string): Promise<readonly string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from webhook_endpoints
     where catalog_id = ${catalogId} and ${type} = any (events)
     order by id
       for key share`);
  return rows.map(({ id }) => id);
}

/** An event for one endpoint that its maker delivers himself, in the same transaction that finishes the delivery. */
export type OwnEvent = {
  readonly id: string;
  readonly catalogId: string;
  readonly endpointId: string;
  readonly type: string;
  readonly payload: string;
  readonly createdAt: Date;
};

/** Returns what the delivery is finished with; undefined if the endpoint is gone. */
export async function insertOwnEvent(tx: Queries, event: OwnEvent): Promise<Owned | undefined> {
  const { id: eventId, catalogId, endpointId, type, payload, createdAt } = event;
  const rows = await tx.query(sql`
    select 1 from webhook_endpoints where catalog_id = ${catalogId} and id = ${endpointId} for key share`);
  if (rows.length === 0) return undefined;
  const owned: Owned = { id: newId(), token: newId() };
  await tx.execute(sql`
    insert into webhook_events (catalog_id, id, type, payload, created_at)
    values (${catalogId}, ${eventId}, ${type}, ${payload}, ${createdAt})`);
  await tx.execute(sql`
    with logged as (
      insert into webhook_deliveries (catalog_id, id, event_id, endpoint_id, next_attempt_at, created_at)
      values (${catalogId}, ${owned.id}, ${eventId}, ${endpointId}, ${createdAt}, ${createdAt})
      returning *)
    ${enqueue(sql`logged`, owned.token)}`);
  return owned;
}

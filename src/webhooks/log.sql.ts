/**
 * The log of deliveries: lists them newest first with their attempts, and queues them again. A resend is the same
 * delivery of the same event with a new schedule; its old attempts stay.
 */
import type { Attempt as AttemptBody, Delivery, DeliveryState, Webhook } from "../contract/webhooks.ts";
import { type RowOf, withSnakeCase } from "../lib/snake-case.ts";
import type { Queries } from "../store/db.ts";
import { notify } from "../store/notices.ts";
import { sql } from "../store/sql.ts";
import { type AttemptResult, attemptBody } from "./attempt.ts";
import { enqueue, retryTurn } from "./queue.sql.ts";

export type LoggedDelivery = Omit<Delivery, "attempts">;

export type DeliveryFilter = {
  readonly id?: string;
  readonly endpointId?: string | undefined;
  readonly state?: DeliveryState | undefined;
  readonly event?: string | undefined;
  /** Only deliveries older than this one. */
  readonly before?: string | undefined;
  readonly limit: number;
};

/** Ids are in order of time, so the primary key alone gives the pages. */
export async function findDeliveries(
  db: Queries,
  catalogId: string,
  filter: DeliveryFilter,
): Promise<readonly LoggedDelivery[]> {
  const { id = null, endpointId = null, state = null, event = null, before = null, limit } = filter;
  const rows = await db.query<RowOf<LoggedDelivery>>(sql`
    select d.id, d.endpoint_id as webhook_id, d.event_id, e.type as event, d.state,
           d.next_attempt_at, d.created_at, d.finished_at
      from webhook_deliveries d
      join webhook_events e on e.catalog_id = d.catalog_id and e.id = d.event_id
     where d.catalog_id = ${catalogId}
       and (${id}::uuid is null or d.id = ${id}::uuid)
       and (${before}::uuid is null or d.id < ${before}::uuid)
       and (${endpointId}::uuid is null or d.endpoint_id = ${endpointId}::uuid)
       and (${state}::text is null or d.state = ${state}::text)
       and (${event}::text is null or e.type = ${event}::text)
     order by d.id desc
     limit ${limit}`);
  return rows.map(withSnakeCase);
}

type UnfinishedCounts = Webhook["deliveries"];

/** Dead deliveries are counted among this many: the cost of a list of endpoints must not grow with the log. */
const NEWEST = 10_000;

/** Counts unfinished deliveries by endpoint; endpoints without any are missing. */
export async function countUnfinished(
  db: Queries,
  catalogId: string,
): Promise<ReadonlyMap<string, UnfinishedCounts>> {
  const rows = await db.query<UnfinishedCounts & { id: string }>(sql`
    select e.id,
           (select count(*) from (select 1 from webhook_queue q where q.endpoint_id = e.id limit ${NEWEST}) queued)
             as pending,
           coalesce(d.dead, 0) as dead
      from webhook_endpoints e
      left join (
        select endpoint_id, count(*) as dead
          from (select endpoint_id, state from webhook_deliveries
                 where catalog_id = ${catalogId} order by id desc limit ${NEWEST}) newest
         where state = 'dead' group by endpoint_id) d on d.endpoint_id = e.id
     where e.catalog_id = ${catalogId}`);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

/** Lists attempts by the ids of their deliveries, the first attempt first. */
export async function listAttempts(
  db: Queries,
  catalogId: string,
  deliveryIds: readonly string[],
): Promise<ReadonlyMap<string, readonly AttemptBody[]>> {
  const rows = await db.query<Omit<AttemptResult, "endedAt"> & { deliveryId: string; number: number }>(sql`
    select delivery_id, number, started_at, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, address, status, error,
           message, location, answer
      from webhook_attempts
     where catalog_id = ${catalogId} and delivery_id = any (${deliveryIds}::uuid[])
     order by delivery_id, number`);
  const byDelivery = new Map<string, AttemptBody[]>(deliveryIds.map((id) => [id, []]));
  for (const { deliveryId, number, ...attempt } of rows)
    byDelivery.get(deliveryId)?.push(attemptBody(attempt, number));
  return byDelivery;
}

/** The deliveries that are sent again: one delivery, or all that became dead or were discarded since a time. */
export type Resend = { readonly catalogId: string } & (
  | { readonly deliveryId: string }
  | { readonly deadSince: Date; readonly endpointId?: string | undefined; readonly exceptEvent: string }
);

/** Makes deliveries due now, with a new schedule. Does not touch those in flight. Returns how many. */
export async function resend(tx: Queries, request: Resend): Promise<number> {
  const advanced = "deliveryId" in request ? await advancePending(tx, request) : 0;
  const which =
    "deliveryId" in request
      ? sql`d.id = ${request.deliveryId} and d.state <> 'pending'`
      : sql`d.state in ('dead', 'discarded') and d.finished_at >= ${request.deadSince}
            and (${request.endpointId ?? null}::uuid is null or d.endpoint_id = ${request.endpointId ?? null}::uuid)
            and not exists (select 1 from webhook_events e
                             where e.catalog_id = d.catalog_id and e.id = d.event_id and e.type = ${request.exceptEvent})`;
  const revived = await tx.execute(sql`
    with revived as (
      update webhook_deliveries d
         set state = 'pending', next_attempt_at = now(), finished_at = null
       where d.catalog_id = ${request.catalogId} and ${which}
      returning *)
    ${enqueue(sql`revived`)}`);
  if (advanced + revived > 0) await notify(tx, { about: "deliveries" });
  return advanced + revived;
}

/**
 * Withholds the deliveries of a restored copy. Deliveries that waited when the backup was made become dead, because the
 * original has probably sent them. They can be sent again like any other dead delivery. `finished_at` is the time of
 * the restore.
 */
export async function withholdDeliveries(tx: Queries): Promise<void> {
  await tx.execute(sql`delete from webhook_queue`);
  await tx.execute(sql`
    update webhook_deliveries set state = 'dead', next_attempt_at = null, finished_at = now() where state = 'pending'`);
}

export type RestoredDeliveries = { readonly waiting: number; readonly withheld: number };

/** In all catalogs: those that wait, and those that a restore at this time withheld. */
export async function countRestoredDeliveries(db: Queries, restoredAt: Date): Promise<RestoredDeliveries> {
  const counts = await db.first<RestoredDeliveries>(sql`
    select (select count(*) from webhook_queue) as waiting,
           (select count(*) from webhook_deliveries
             where state = 'dead' and created_at <= ${restoredAt}
               and date_trunc('milliseconds', finished_at) = ${restoredAt}) as withheld`);
  return counts ?? { waiting: 0, withheld: 0 };
}

/** For a delivery that waits for its next attempt. Locks its row of the queue first, as finishing it does. */
async function advancePending(
  tx: Queries,
  { catalogId, deliveryId }: Extract<Resend, { deliveryId: string }>,
): Promise<number> {
  return tx.execute(sql`
    with advanced as (
      update webhook_queue
         set due_at = now(), turn = case when is_retry then ${retryTurn(sql`now()`)} else turn end, schedule_step = 0, lease_until = null, lease_token = null
       where catalog_id = ${catalogId} and id = ${deliveryId} and (lease_until is null or lease_until <= now())
      returning catalog_id, id)
    update webhook_deliveries d set next_attempt_at = now()
      from advanced a where d.catalog_id = a.catalog_id and d.id = a.id`);
}

/** The delivery's event type; undefined if there is no such delivery. */
export async function findDeliveryEvent(
  db: Queries,
  { catalogId, id }: { readonly catalogId: string; readonly id: string },
): Promise<string | undefined> {
  const rows = await db.query<{ type: string }>(sql`
    select e.type from webhook_deliveries d
      join webhook_events e on e.catalog_id = d.catalog_id and e.id = d.event_id
     where d.catalog_id = ${catalogId} and d.id = ${id}`);
  return rows[0]?.type;
}

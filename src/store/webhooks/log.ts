/**
 * Deliveries as their owner sees them: newest first, with every attempt and what comes next; and the way back for those
 * that did not arrive. A resend is the same delivery of the same event with a fresh schedule; its old attempts stay.
 */
import type { Queries } from "../db.ts";
import type { AttemptRow, DeliveryState } from "./finish.ts";
import { notify } from "../notices.ts";
import { enqueue, retryTurn } from "./queue.ts";
import { sql } from "../sql.ts";

export type DeliveryRow = {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly event: string;
  readonly state: DeliveryState;
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
};

export type DeliveryFilter = {
  readonly endpointId?: string;
  readonly state?: DeliveryState;
  readonly event?: string;
  /** Only those made before this one. */
  readonly before?: string;
  readonly limit: number;
};

/** Ids are made in the order of time, so the primary key alone gives the pages. */
export async function listDeliveryRows(
  db: Queries,
  catalogId: string,
  { endpointId = null, state = null, event = null, before = null, limit }: Nullable<DeliveryFilter>,
): Promise<readonly DeliveryRow[]> {
  return db.query<DeliveryRow>(sql`
    select d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", e.type as "event", d.state,
           d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt", d.finished_at as "finishedAt"
      from webhook_deliveries d
      join webhook_events e on e.catalog_id = d.catalog_id and e.id = d.event_id
     where d.catalog_id = ${catalogId}
       and (${before}::uuid is null or d.id < ${before}::uuid)
       and (${endpointId}::uuid is null or d.endpoint_id = ${endpointId}::uuid)
       and (${state}::text is null or d.state = ${state}::text)
       and (${event}::text is null or e.type = ${event}::text)
     order by d.id desc
     limit ${limit}`);
}

type Nullable<T> = { readonly [Key in keyof T]: T[Key] | (undefined extends T[Key] ? null : never) };

export type LoggedAttempt = Omit<AttemptRow, "endedAt"> & {
  readonly deliveryId: string;
  readonly number: number;
};

export async function listAttempts(
  db: Queries,
  catalogId: string,
  deliveryIds: readonly string[],
): Promise<readonly LoggedAttempt[]> {
  return db.query<LoggedAttempt>(sql`
    select delivery_id as "deliveryId", number, started_at as "startedAt", dns_ms as "dnsMs",
           connect_ms as "connectMs", tls_ms as "tlsMs", first_byte_ms as "firstByteMs", total_ms as "totalMs",
           address, status, error, message, location, answer
      from webhook_attempts
     where catalog_id = ${catalogId} and delivery_id = any (${deliveryIds}::uuid[])
     order by delivery_id, number`);
}

/** What exactly is to be sent again: one delivery, or all that died since a time. */
export type Resend = { readonly catalogId: string; readonly now: Date } & (
  | { readonly deliveryId: string }
  | { readonly diedSince: Date; readonly endpointId?: string; readonly exceptEvent: string }
);

/** Makes deliveries due now, at the beginning of their schedule. Leaves alone what is in flight. Says how many. */
export async function resend(tx: Queries, wanted: Resend): Promise<number> {
  const resent = "deliveryId" in wanted ? await hurry(tx, wanted) : 0;
  const which =
    "deliveryId" in wanted
      ? sql`d.id = ${wanted.deliveryId} and d.state <> 'pending'`
      : sql`d.state = 'dead' and d.finished_at >= ${wanted.diedSince}
            and (${wanted.endpointId ?? null}::uuid is null or d.endpoint_id = ${wanted.endpointId ?? null}::uuid)
            and not exists (select 1 from webhook_events e
                             where e.catalog_id = d.catalog_id and e.id = d.event_id and e.type = ${wanted.exceptEvent})`;
  const revived = await tx.execute(sql`
    with revived as (
      update webhook_deliveries d
         set state = 'pending', next_attempt_at = ${wanted.now}, finished_at = null
       where d.catalog_id = ${wanted.catalogId} and ${which}
      returning *)
    ${enqueue(sql`revived`)}`);
  if (resent + revived > 0) await notify(tx, { about: "deliveries" });
  return resent + revived;
}

/** For one that waits for its next attempt. Its place in the queue is locked first, as by whoever finishes it. */
async function hurry(
  tx: Queries,
  {
    catalogId,
    deliveryId,
    now,
  }: { readonly catalogId: string; readonly deliveryId: string; readonly now: Date },
): Promise<number> {
  return tx.execute(sql`
    with hurried as (
      update webhook_queue
         set due_at = ${now}, turn = case when is_retry then ${retryTurn(sql`${now}`)} else turn end, schedule_step = 0, lease_until = null, lease_token = null
       where catalog_id = ${catalogId} and id = ${deliveryId} and (lease_until is null or lease_until <= ${now})
      returning catalog_id, id)
    update webhook_deliveries d set next_attempt_at = ${now}
      from hurried h where d.catalog_id = h.catalog_id and d.id = h.id`);
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

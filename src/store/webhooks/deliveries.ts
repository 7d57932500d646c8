/**
 * The queue of deliveries. A claim hides them from everyone else until its lease ends; the lease's token is the only
 * proof of owning one, and every later statement asks for it. A sender that dies lets its leases run out. All times are
 * the caller's, none is the database's: senders' clocks have to agree to within the margin of a lease (some 10 s).
 */
import { newId } from "../../lib/id.ts";
import type { Queries } from "../db.ts";
import type { Sql } from "../sql.ts";
import { prepared, sql } from "../sql.ts";

export type ClaimedDelivery = {
  readonly id: string;
  readonly catalogId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly token: string;
  readonly leaseUntil: Date;
  /** All attempts before this one, and how many of them failed in the present schedule. */
  readonly attempts: number;
  readonly failures: number;
  readonly type: string;
  readonly payload: string;
  readonly url: string;
  readonly secretSealed: Buffer;
  readonly previousSecretSealed: Buffer | null;
  readonly previousSecretUntil: Date | null;
};

export type Claim = {
  readonly now: Date;
  readonly leaseMs: number;
  /** At most so many, and among them at most so many that are not first attempts. */
  readonly limit: number;
  readonly retryLimit: number;
  /** In flight per endpoint, from all senders together; and how many of those may be no first attempts. */
  readonly perEndpoint: number;
  readonly retriesPerEndpoint: number;
  /** In flight for an endpoint whose newest attempt failed: enough to find out that it is well again. */
  readonly perFailingEndpoint: number;
  /** Endpoints are visited in the order of their ids, beginning after this one. */
  readonly after: string;
};

/** Where a walk over all endpoints begins. */
export const FIRST_ENDPOINT = "00000000-0000-0000-0000-000000000000";

/**
 * Takes what is due, in one statement. It hops over the queue's index from one endpoint to the next, counts what is in
 * flight there, and picks no more than there is room for, first attempts and retries each by due time; it stops as soon
 * as it has enough. So the cost is a few index probes per endpoint visited, whatever waits behind: measured with 1,000
 * endpoints and 100,000 deliveries in `bench/webhooks.ts`. Two claims in one instant may overstep an endpoint's room.
 * It does not wait for the disk: a claim lost when the database crashes is a lease that ended early, and nothing else.
 */
export async function claimDeliveries(db: Queries, claim: Claim): Promise<readonly ClaimedDelivery[]> {
  const leaseUntil = new Date(claim.now.getTime() + claim.leaseMs);
  const statement = sql`
    with recursive queued (endpoint_id) as (
      ${nextQueued(sql`${claim.after}::uuid`)}
      union all
      select ${nextQueued(sql`q.endpoint_id`)} from queued q where q.endpoint_id is not null
    ), picked as (${pick(claim)}
    ), chosen as (
      select catalog_id, id, event_id, endpoint_id
        from (select *, row_number() over (partition by is_retry order by claimable_at) as place from picked) ranked
       where not is_retry or place <= ${claim.retryLimit}
    )
    update webhook_deliveries d
       set lease_until = ${leaseUntil}, lease_token = ${newId()}
      from (select set_config('synchronous_commit', 'off', true)) unhurried, chosen c
      join webhook_events e on e.catalog_id = c.catalog_id and e.id = c.event_id
      join webhook_endpoints p on p.catalog_id = c.catalog_id and p.id = c.endpoint_id
     where d.catalog_id = c.catalog_id and d.id = c.id
    returning d.id, d.catalog_id as "catalogId", d.endpoint_id as "endpointId", d.event_id as "eventId",
              d.lease_token as "token", d.lease_until as "leaseUntil", d.attempts, d.schedule_step as "failures",
              e.type, e.payload, p.url, p.secret_sealed as "secretSealed",
              p.previous_secret_sealed as "previousSecretSealed", p.previous_secret_until as "previousSecretUntil"`;
  return db.query<ClaimedDelivery>(prepared(statement, "claim_deliveries"));
}

/** From each endpoint on the way as much as it has room for, until there is enough. Whoever picks first locks first. */
function pick(claim: Claim): Sql {
  const { now, limit, retryLimit, perEndpoint, retriesPerEndpoint, perFailingEndpoint } = claim;
  const due = (isRetry: boolean, room: Sql) => sql`
    select * from (
      select d.catalog_id, d.id, d.event_id, d.endpoint_id, d.is_retry, d.claimable_at
        from webhook_deliveries d
       where d.state = 'pending' and d.endpoint_id = q.endpoint_id and d.is_retry = ${isRetry}
         and d.claimable_at <= ${now}
       order by d.claimable_at
       limit ${room}
         for update skip locked) lane`;
  return sql`
    select p.*
      from queued q
     cross join lateral (
       select greatest(case when p.failing_since is null then ${perEndpoint}::bigint
                            else ${perFailingEndpoint}::bigint end - count(l.id), 0) as room,
              greatest(${retriesPerEndpoint}::bigint - count(l.id) filter (where l.is_retry), 0) as retry_room
         from webhook_endpoints p
         left join webhook_deliveries l on l.endpoint_id = p.id and l.lease_until > ${now}
        where p.id = q.endpoint_id
        group by p.failing_since) free
     cross join lateral (
       select * from (${due(false, sql`free.room`)}
                      union all
                      ${due(true, sql`least(free.room, free.retry_room, ${retryLimit}::bigint)`)}) due
        order by claimable_at
        limit free.room) p
     where q.endpoint_id is not null
     limit ${limit}`;
}

/** The next endpoint that has anything queued, due or not: one probe, however much it has. */
const nextQueued = (endpointId: Sql) => sql`
  (select n.endpoint_id from webhook_deliveries n
    where n.state = 'pending' and n.endpoint_id > ${endpointId}
    order by n.endpoint_id limit 1)`;

/** When something that is not due yet will be: a retry, or what a lease hides. Null if nothing waits. */
export async function nextDueAt(db: Queries, now: Date): Promise<Date | null> {
  const soonest = (isRetry: boolean) => sql`
    (select min(d.claimable_at) from webhook_deliveries d
      where d.state = 'pending' and d.endpoint_id = q.endpoint_id and d.is_retry = ${isRetry}
        and d.claimable_at > ${now})`;
  const rows = await db.query<{ at: Date | null }>(sql`
    with recursive queued (endpoint_id) as (
      ${nextQueued(sql`${FIRST_ENDPOINT}::uuid`)}
      union all
      select ${nextQueued(sql`q.endpoint_id`)} from queued q where q.endpoint_id is not null
    )
    select min(least(${soonest(false)}, ${soonest(true)})) as at from queued q where q.endpoint_id is not null`);
  return rows[0]?.at ?? null;
}

export type Owned = { readonly catalogId: string; readonly id: string; readonly token: string };

/** Puts deliveries back as if they had never been claimed: for a sender that is told to stop. */
export async function handBackDeliveries(db: Queries, deliveries: readonly Owned[]): Promise<void> {
  const owned = deliveries.map(({ catalogId, id, token }) => ({ catalog_id: catalogId, id, token }));
  await db.execute(sql`
    update webhook_deliveries d set lease_until = null, lease_token = null
      from json_to_recordset(${JSON.stringify(owned)}) as o (catalog_id uuid, id uuid, token uuid)
     where d.catalog_id = o.catalog_id and d.id = o.id and d.lease_token = o.token`);
}

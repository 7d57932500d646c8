/**
 * The queue: deliveries that are still to be made. A claim hides them from all others until its lease expires; the
 * lease's token is the only proof of ownership, and every later statement checks it. If a dispatcher dies, its leases
 * expire. All times are the database's: what is due is delivered at once, however wrong the clock of a worker is.
 */
import { MAX_DELIVERY_DELAY_S } from "../lib/backoff.ts";
import { BEFORE_ALL_IDS, newId } from "../lib/id.ts";
import { openDb } from "../store/db.ts";
import type { Db, DbTarget, Queries } from "../store/db.ts";
import { inSeconds } from "../store/due.ts";
import { IS_LIVE } from "../store/restores.ts";
import type { Sql } from "../store/sql.ts";
import { prepared, sql } from "../store/sql.ts";
import type { EncryptedSecrets, EncryptedUrl } from "./signing.ts";

const INDEX_SCANS_ONLY = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  // A generic plan is enough, because the statements have no alternative plans to choose from.
  plan_cache_mode: "force_generic_plan",
};

/**
 * One connection is for a claim and two are for batches of results; the others are for batches that wait for a lock.
 */
const CONNECTIONS = 6;

/** Every statement is short. One that takes longer waits for a lock or has lost the database, and is tried again. */
const STATEMENT_MS = 10_000;

/**
 * The database for dispatchers: connections of their own, so that no sync keeps a delivery waiting, and a planner that
 * uses only index scans. The queue is usually empty and may have a hundred thousand deliveries a moment later; a plan
 * made for the first and kept for the second took eleven seconds for a claim that takes three milliseconds.
 */
export function openQueueDb(target: DbTarget, name: string): Db {
  return openDb(target, { max: CONNECTIONS, name, statementMs: STATEMENT_MS, settings: INDEX_SCANS_ONLY });
}

/** Proof of owning a delivery. */
export type DeliveryLease = { readonly id: string; readonly token: string };

export type ClaimedDelivery = DeliveryLease &
  EncryptedSecrets &
  EncryptedUrl & {
    readonly catalogId: string;
    readonly endpointId: string;
    readonly eventId: string;
    /** When the lease ends, on the clock of `performance.now()`. Not later than the database ends it. */
    readonly leaseEndsMs: number;
    /** All attempts before this one, and how many of them failed in the current schedule. */
    readonly attempts: number;
    readonly failures: number;
    readonly type: string;
    /** The payload as it is stored; see `withFeedToken`. */
    readonly payload: string;
    readonly feedTokenEncrypted: Buffer | null;
  };

export type ClaimLimits = {
  readonly leaseMs: number;
  /** The most deliveries, and the most retries among them. */
  readonly limit: number;
  readonly retryLimit: number;
  /** In flight per endpoint, on all workers together; and how many of those may be retries. */
  readonly perEndpoint: number;
  readonly retriesPerEndpoint: number;
  /** In flight for an endpoint whose newest attempt failed: enough to notice that it works again. */
  readonly perFailingEndpoint: number;
  /** Endpoints are visited in the order of their ids, beginning after this one. */
  readonly after: string;
};

/**
 * Queues deliveries that were just written to the log: `logged` has their rows. Their schedule starts. With a token
 * they are inserted as claimed by the caller.
 */
export const enqueue = (logged: Sql, token: string | null = null) => sql`
  insert into webhook_queue (
    id, catalog_id, endpoint_id, event_id, attempts, schedule_step, due_at, turn, lease_until, lease_token)
  select id, catalog_id, endpoint_id, event_id, attempts, 0, next_attempt_at,
         case when attempts = 0 then nextval('webhook_queue_arrivals') else ${retryTurn(sql`next_attempt_at`)} end,
         case when ${token}::uuid is not null then next_attempt_at end, ${token}::uuid
    from ${logged}`;

/** The order of retries of an endpoint: by due time. First attempts are in the order they were queued. */
export const retryTurn = (dueAt: Sql) => sql`(extract(epoch from ${dueAt}) * 1000)::bigint`;

/** The endpoint at which a claim over all endpoints begins. */
export const FIRST_ENDPOINT = BEFORE_ALL_IDS;

/**
 * Claims due deliveries in one statement. It goes from one endpoint to the next by index (a loose index scan), counts
 * what is in flight there, and picks no more than the limits allow, first attempts and retries each in their order; it
 * stops as soon as it has enough. So the cost is a few index probes per endpoint visited, however long the queue is:
 * measured with 1,000 endpoints and 100,000 deliveries in `bench/webhooks.ts`. `offset 0` and arrays of ids leave the
 * planner no other plan than this, see `openQueueDb`. Two claims at the same instant may exceed the limits. It does not
 * wait for the disk: a claim lost in a crash of the database is only a lease that ended early.
 */
export async function claimDeliveries(db: Queries, claim: ClaimLimits): Promise<readonly ClaimedDelivery[]> {
  const token = newId();
  const leaseEndsMs = performance.now() + claim.leaseMs;
  const statement = sql`
    with recursive queued (endpoint_id, firsts_from) as (
      ${nextQueued(sql`${claim.after}::uuid`)}
      union all
      select n.* from queued q cross join lateral ${nextQueued(sql`q.endpoint_id`)} n
    ), picked as (${pick(claim)}
    ), chosen as (
      select id
        from (select *, row_number() over (partition by is_retry order by endpoint_id, due_at, id) as place
                from picked) ranked
       where not is_retry or place <= ${claim.retryLimit}
    ), claimed as (
      update webhook_queue d
         set lease_until = ${inSeconds(claim.leaseMs / 1_000)}, lease_token = ${token}
        from (select set_config('synchronous_commit', 'off', true)) async_commit
       where d.id = any (array(select id from chosen))
      returning d.*
    )
    select c.id, c.catalog_id, c.endpoint_id, c.event_id, c.attempts, c.schedule_step as failures, e.type, e.payload,
           e.feed_token_sealed as feed_token_encrypted, p.url, p.url_sealed as url_encrypted, p.secret_sealed as secret_encrypted,
           p.previous_secret_sealed as previous_secret_encrypted, p.previous_secret_until
      from (select *, row_number() over (partition by event_id) as of_event,
                   row_number() over (partition by endpoint_id) as of_endpoint
              from claimed) c
      left join lateral (
        select * from webhook_events e
         where c.of_event = 1 and e.catalog_id = c.catalog_id and e.id = c.event_id offset 0) e on true
      left join lateral (
        select * from webhook_endpoints p where c.of_endpoint = 1 and p.id = c.endpoint_id offset 0) p on true`;
  const rows = await db.query<ClaimedRow>(prepared(statement, "claim_deliveries"));
  return complete(rows, { token, leaseEndsMs });
}

type EndpointPart = EncryptedSecrets & EncryptedUrl;
type EventPart = Pick<ClaimedDelivery, "type" | "payload" | "feedTokenEncrypted">;
type LeasePart = Pick<ClaimedDelivery, "token" | "leaseEndsMs">;
type ClaimedParts = EndpointPart & EventPart;
/** Each event and each endpoint is in the row of one of its deliveries and null in all others: payloads are long. */
type ClaimedRow = Omit<ClaimedDelivery, keyof (ClaimedParts & LeasePart)> & {
  readonly [Part in keyof ClaimedParts]: ClaimedParts[Part] | null;
};

function complete(rows: readonly ClaimedRow[], lease: LeasePart): readonly ClaimedDelivery[] {
  const events = new Map<string, EventPart>();
  const endpoints = new Map<string, EndpointPart>();
  for (const {
    eventId,
    endpointId,
    type,
    payload,
    feedTokenEncrypted,
    url,
    secretEncrypted,
    ...row
  } of rows) {
    if (type !== null && payload !== null) events.set(eventId, { type, payload, feedTokenEncrypted });
    if (url === null || secretEncrypted === null) continue;
    const { urlEncrypted, previousSecretEncrypted, previousSecretUntil } = row;
    const secrets = { secretEncrypted, previousSecretEncrypted, previousSecretUntil };
    endpoints.set(endpointId, { url, urlEncrypted, ...secrets });
  }
  return rows.flatMap((row) => {
    const event = events.get(row.eventId);
    const endpoint = endpoints.get(row.endpointId);
    return event && endpoint ? [{ ...row, ...event, ...endpoint, ...lease }] : [];
  });
}

/** After all turns: there are no first attempts. */
const NO_TURN = sql`9223372036854775807`;

/**
 * The next endpoint that has anything queued, due or not, and the turn of its first first attempt: one probe, however
 * much is queued. Deliveries that were just finished leave dead index entries until they are vacuumed; only this probe
 * has to skip them, and later reads begin where it ended.
 */
const nextQueued = (endpointId: Sql) => sql`
  (select n.endpoint_id, case when n.is_retry then ${NO_TURN} else n.turn end
     from webhook_queue n
    where n.endpoint_id > ${endpointId}
    order by n.endpoint_id, n.is_retry, n.turn limit 1)`;

/** A lease that ends this many leases from now was written before the clock was set back, and is ignored. */
const MAX_LEASES_AHEAD = 20;

const isLeased = (until: Sql, { leaseMs }: Pick<ClaimLimits, "leaseMs">) =>
  sql`(${until} > now() and ${until} <= ${inSeconds((MAX_LEASES_AHEAD * leaseMs) / 1_000)})`;

const IS_DUE_RETRY = sql`d.turn <= ${retryTurn(sql`now()`)}`;
const IS_MISDATED_RETRY = sql`d.turn > ${retryTurn(inSeconds(MAX_DELIVERY_DELAY_S))}`;

/**
 * From each endpoint as many as its limits allow, until there are enough. Picked rows are locked. A first attempt is
 * due when it is queued, whatever time it has.
 */
function pick(claim: ClaimLimits): Sql {
  const { limit, retryLimit, perEndpoint, retriesPerEndpoint, perFailingEndpoint } = claim;
  const due = (which: Sql, room: Sql) => sql`
    select * from (
      select d.id, d.endpoint_id, d.is_retry, d.due_at
        from webhook_queue d
       where ${which} and (d.lease_until is null or not ${isLeased(sql`d.lease_until`, claim)})
       order by d.turn
       limit ${room}
         for update skip locked) due`;
  const retryRoom = sql`least(free.room, free.retry_room, ${retryLimit}::bigint)`;
  return sql`
    select p.*
      from queued q
     cross join lateral (
       select greatest(case when p.failing_since is null then ${perEndpoint}::bigint
                            else ${perFailingEndpoint}::bigint end - firsts.leased - retries.leased, 0) as room,
              greatest(${retriesPerEndpoint}::bigint - retries.leased, 0) as retry_room
         from (select failing_since from webhook_endpoints where id = q.endpoint_id offset 0) p,
              ${leasedIn(FIRST_ATTEMPTS, claim)} firsts, ${leasedIn(RETRIES, claim)} retries) free
     cross join lateral (
       select * from (${due(FIRST_ATTEMPTS, sql`free.room`)}
                      union all
                      ${due(sql`${RETRIES} and ${IS_DUE_RETRY}`, retryRoom)}
                      union all
                      ${due(sql`${RETRIES} and ${IS_MISDATED_RETRY}`, retryRoom)}) due
        order by due_at, id
        limit free.room) p
     where ${IS_LIVE}
     limit ${limit}`;
}

const FIRST_ATTEMPTS = sql`d.endpoint_id = q.endpoint_id and not d.is_retry and d.turn >= q.firsts_from`;
const RETRIES = sql`d.endpoint_id = q.endpoint_id and d.is_retry`;

/**
 * How many first attempts, or retries, of an endpoint are in flight. They are at the start of its order, because claims
 * take from there and later deliveries get later turns. Only those that were numbered earlier and committed later can
 * be before them, so twice the limit is read.
 */
const leasedIn = (which: Sql, claim: ClaimLimits) => sql`
  lateral (select count(*) filter (where ${isLeased(sql`h.lease_until`, claim)}) as leased
             from (select d.lease_until from webhook_queue d
                    where ${which} order by d.turn limit 2 * ${claim.perEndpoint}::bigint) h)`;

/**
 * Returns in how many milliseconds the next delivery that is not due yet becomes due: a retry, or a delivery under a
 * lease. Null if there is none.
 */
export async function nextDueInMs(db: Queries): Promise<number | null> {
  const rows = await db.query<{ inMs: number | null }>(sql`
    with recursive queued (endpoint_id, firsts_from) as (
      ${nextQueued(sql`${FIRST_ENDPOINT}::uuid`)}
      union all
      select n.* from queued q cross join lateral ${nextQueued(sql`q.endpoint_id`)} n
    )
    select extract(epoch from min(least(firsts.at, retries.at)) - now())::float8 * 1000 as in_ms
      from queued q, ${nextIn(FIRST_ATTEMPTS, sql`null::timestamptz`)} firsts, ${nextIn(RETRIES, NEXT_RETRY)} retries`);
  return rows[0]?.inMs ?? null;
}

const NEXT_RETRY = sql`
  (select d.due_at from webhook_queue d where ${RETRIES} and not ${IS_DUE_RETRY} order by d.turn limit 1)`;

const nextIn = (which: Sql, next: Sql) => sql`
  lateral (select least(${next},
    (select min(h.lease_until) filter (where h.lease_until > now())
       from (select d.lease_until from webhook_queue d
              where ${which} order by d.turn limit ${MAX_LEASES_READ}) h)) as at)`;

/** Leases are at the start of the order. For one further behind, the dispatcher wakes a little later, by its clock. */
const MAX_LEASES_READ = 16;

/** Undoes a claim, for a dispatcher that stops. */
export async function releaseDeliveries(db: Queries, deliveries: readonly DeliveryLease[]): Promise<void> {
  const leases = deliveries.map(({ id, token }) => ({ id, token }));
  await db.execute(sql`
    update webhook_queue d set lease_until = null, lease_token = null
      from json_to_recordset(${JSON.stringify(leases)}) as o (id uuid, token uuid)
     where d.id = o.id and d.lease_token = o.token`);
}

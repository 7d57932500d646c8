/**
 * The queue: deliveries that are still to be made. A claim hides them from everyone else until its lease ends; the lease's token is the only
 * proof of owning one, and every later statement asks for it. A sender that dies lets its leases run out. All times are
 * the caller's, none is the database's: senders' clocks have to agree to within the margin of a lease (some 10 s).
 */
import { BEFORE_ALL_IDS, newId } from "../../lib/id.ts";
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
  /** As stored: see `withFeedToken`. */
  readonly payload: string;
  readonly feedTokenSealed: Buffer | null;
  readonly url: string;
  readonly secretSealed: Buffer;
  readonly previousSecretSealed: Buffer | null;
  readonly previousSecretUntil: Date | null;
};

export type Claim = {
  readonly now: Date;
  readonly leaseMs: number;
  /** At most so many, and among them at most so many that are not first attempts: those that come first on the way. */
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

/**
 * Puts deliveries into the queue that were just written into the log: `logged` has their rows. The schedule begins anew.
 * With a token they are claimed from the beginning, by whoever made them.
 */
export const enqueue = (logged: Sql, token: string | null = null) => sql`
  insert into webhook_queue (
    id, catalog_id, endpoint_id, event_id, attempts, schedule_step, due_at, turn, lease_until, lease_token)
  select id, catalog_id, endpoint_id, event_id, attempts, 0, next_attempt_at,
         case when attempts = 0 then nextval('webhook_queue_arrivals') else ${retryTurn(sql`next_attempt_at`)} end,
         case when ${token}::uuid is not null then next_attempt_at end, ${token}::uuid
    from ${logged}`;

/** The place of a retry in its lane. First attempts have theirs by arrival. */
export const retryTurn = (dueAt: Sql) => sql`(extract(epoch from ${dueAt}::timestamptz) * 1000)::bigint`;

/** Where a walk over all endpoints begins. */
export const FIRST_ENDPOINT = BEFORE_ALL_IDS;

/**
 * Takes what is due, in one statement. It hops over the lanes' index from one endpoint to the next, counts what is in
 * flight there, and picks no more than there is room for, first attempts and retries each in their turn; it stops as soon
 * as it has enough. So the cost is a few index probes per endpoint visited, whatever waits behind: measured with 1,000
 * endpoints and 100,000 deliveries in `bench/webhooks.ts`. That must hold on every day: `offset 0` and lists of ids
 * leave the planner no other order than this one, see `queue-db.ts`. Two claims in one instant may overstep the room.
 * It does not wait for the disk: a claim lost when the database crashes is a lease that ended early, and nothing else.
 */
export async function claimDeliveries(db: Queries, claim: Claim): Promise<readonly ClaimedDelivery[]> {
  const token = newId();
  const leaseUntil = new Date(claim.now.getTime() + claim.leaseMs);
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
         set lease_until = ${leaseUntil}, lease_token = ${token}
        from (select set_config('synchronous_commit', 'off', true)) unhurried
       where d.id = any (array(select id from chosen))
      returning d.*
    )
    select c.id, c.catalog_id as "catalogId", c.endpoint_id as "endpointId", c.event_id as "eventId",
           c.attempts, c.schedule_step as "failures", e.type, e.payload, e.feed_token_sealed as "feedTokenSealed", p.url, p.secret_sealed as "secretSealed",
           p.previous_secret_sealed as "previousSecretSealed", p.previous_secret_until as "previousSecretUntil"
      from (select *, row_number() over (partition by event_id) as of_event,
                   row_number() over (partition by endpoint_id) as of_endpoint
              from claimed) c
      left join lateral (
        select * from webhook_events e
         where c.of_event = 1 and e.catalog_id = c.catalog_id and e.id = c.event_id offset 0) e on true
      left join lateral (
        select * from webhook_endpoints p where c.of_endpoint = 1 and p.id = c.endpoint_id offset 0) p on true`;
  const rows = await db.query<ClaimedRow>(prepared(statement, "claim_deliveries"));
  return complete(rows, { token, leaseUntil });
}

type Where = Pick<ClaimedDelivery, "url" | "secretSealed" | "previousSecretSealed" | "previousSecretUntil">;
type What = Pick<ClaimedDelivery, "type" | "payload" | "feedTokenSealed">;
type Lease = Pick<ClaimedDelivery, "token" | "leaseUntil">;
/** An event, and an endpoint, is told with one of its deliveries and null with all others: payloads are long. */
type ClaimedRow = Omit<ClaimedDelivery, keyof (Where & What & Lease)> & {
  readonly [Part in keyof (Where & What)]: (Where & What)[Part] | null;
};

function complete(rows: readonly ClaimedRow[], lease: Lease): readonly ClaimedDelivery[] {
  const events = new Map<string, What>();
  const endpoints = new Map<string, Where>();
  for (const { eventId, endpointId, type, payload, feedTokenSealed, url, secretSealed, ...row } of rows) {
    if (type !== null && payload !== null) events.set(eventId, { type, payload, feedTokenSealed });
    if (url === null || secretSealed === null) continue;
    const { previousSecretSealed, previousSecretUntil } = row;
    endpoints.set(endpointId, { url, secretSealed, previousSecretSealed, previousSecretUntil });
  }
  return rows.flatMap((row) => {
    const event = events.get(row.eventId);
    const endpoint = endpoints.get(row.endpointId);
    return event && endpoint ? [{ ...row, ...event, ...endpoint, ...lease }] : [];
  });
}

/** Beyond all turns: there are no first attempts. */
const NO_TURN = sql`9223372036854775807`;

/**
 * The next endpoint that has anything queued, due or not, and from which turn on it has first attempts: one probe, however
 * much it has. What has just been delivered leaves marks at the heads of lanes until they are swept up; the probe is the
 * only one that has to step over them, and whoever reads the lane begins where it ended.
 */
const nextQueued = (endpointId: Sql) => sql`
  (select n.endpoint_id, case when n.is_retry then ${NO_TURN} else n.turn end
     from webhook_queue n
    where n.endpoint_id > ${endpointId}
    order by n.endpoint_id, n.is_retry, n.turn limit 1)`;

/** A lease that ends so many leases from now was written before the clock was set back, and counts for nothing. */
const TOO_MANY_LEASES = 20;

const isLeased = (until: Sql, { now, leaseMs }: Pick<Claim, "now" | "leaseMs">) =>
  sql`(${until} > ${now} and ${until} <= ${new Date(now.getTime() + TOO_MANY_LEASES * leaseMs)})`;

/** From each endpoint on the way as much as it has room for, until there is enough. Whoever picks first locks first. */
function pick(claim: Claim): Sql {
  const { now, limit, retryLimit, perEndpoint, retriesPerEndpoint, perFailingEndpoint } = claim;
  const due = (lane: Sql, room: Sql) => sql`
    select * from (
      select d.id, d.endpoint_id, d.is_retry, d.due_at
        from webhook_queue d
       where ${lane} and d.due_at <= ${now} and (d.lease_until is null or not ${isLeased(sql`d.lease_until`, claim)})
       order by d.turn
       limit ${room}
         for update skip locked) due`;
  return sql`
    select p.*
      from queued q
     cross join lateral (
       select greatest(case when p.failing_since is null then ${perEndpoint}::bigint
                            else ${perFailingEndpoint}::bigint end - firsts.leased - retries.leased, 0) as room,
              greatest(${retriesPerEndpoint}::bigint - retries.leased, 0) as retry_room
         from (select failing_since from webhook_endpoints where id = q.endpoint_id offset 0) p,
              ${leasedIn(FIRSTS, claim)} firsts, ${leasedIn(RETRIES, claim)} retries) free
     cross join lateral (
       select * from (${due(FIRSTS, sql`free.room`)}
                      union all
                      ${due(sql`${RETRIES} and d.turn <= ${retryTurn(sql`${now}`)}`, sql`least(free.room, free.retry_room, ${retryLimit}::bigint)`)}) due
        order by due_at, id
        limit free.room) p
     limit ${limit}`;
}

const FIRSTS = sql`d.endpoint_id = q.endpoint_id and not d.is_retry and d.turn >= q.firsts_from`;
const RETRIES = sql`d.endpoint_id = q.endpoint_id and d.is_retry`;

/**
 * How many of a lane are in flight. They are at its head, for that is where they were taken from, and what comes later
 * gets a later turn; only what was numbered earlier and committed later can be before them: as much as there is room for
 * is looked through.
 */
const leasedIn = (lane: Sql, claim: Claim) => sql`
  lateral (select count(*) filter (where ${isLeased(sql`h.lease_until`, claim)}) as leased
             from (select d.lease_until from webhook_queue d
                    where ${lane} order by d.turn limit 2 * ${claim.perEndpoint}::bigint) h)`;

/** When something that is not due yet will be: a retry, or what a lease hides. Null if nothing waits. */
export async function nextDueAt(db: Queries, now: Date): Promise<Date | null> {
  const rows = await db.query<{ at: Date | null }>(sql`
    with recursive queued (endpoint_id, firsts_from) as (
      ${nextQueued(sql`${FIRST_ENDPOINT}::uuid`)}
      union all
      select n.* from queued q cross join lateral ${nextQueued(sql`q.endpoint_id`)} n
    )
    select min(least(firsts.at, retries.at)) as at
      from queued q, ${nextIn(FIRSTS, now)} firsts, ${nextIn(RETRIES, now)} retries`);
  return rows[0]?.at ?? null;
}

const nextIn = (lane: Sql, now: Date) => sql`
  lateral (select least(
    (select d.due_at from webhook_queue d
      where ${lane} and d.turn > ${retryTurn(sql`${now}`)} order by d.turn limit 1),
    (select min(case when h.lease_until > ${now} then h.lease_until when h.due_at > ${now} then h.due_at end)
       from (select d.lease_until, d.due_at from webhook_queue d
              where ${lane} order by d.turn limit ${LANE_HEAD}) h)) as at)`;

/** Leases are at the head of a lane. Whoever wakes a little late for one behind it is woken by the backstop. */
const LANE_HEAD = 16;

export type Owned = { readonly id: string; readonly token: string };

/** Puts deliveries back as if they had never been claimed: for a sender that is told to stop. */
export async function handBackDeliveries(db: Queries, deliveries: readonly Owned[]): Promise<void> {
  const owned = deliveries.map(({ id, token }) => ({ id, token }));
  await db.execute(sql`
    update webhook_queue d set lease_until = null, lease_token = null
      from json_to_recordset(${JSON.stringify(owned)}) as o (id uuid, token uuid)
     where d.id = o.id and d.lease_token = o.token`);
}

/**
 * Writes the results of deliveries, several in one statement: inserts the attempt, makes the delivery delivered, due
 * again or dead, and updates its endpoint's health. Each is fenced by the token of its claim: a dispatcher whose lease
 * has expired, or whose endpoint is deleted, changes nothing. The statement does not wait for the disk: what the
 * database forgets in a crash is a delivery that is sent again, under the same event id.
 */
import type { DeliveryState } from "../contract/webhooks.ts";
import type { Queries } from "../store/db.ts";
import { storable } from "../store/json.ts";
import { prepared, sql } from "../store/sql.ts";
import type { AttemptResult } from "./attempt.ts";
import { retryTurn } from "./queue.sql.ts";
import type { DeliveryLease } from "./queue.sql.ts";

export type Finish = DeliveryLease & {
  readonly state: DeliveryState;
  /** Only for `pending`. Counted by the database. */
  readonly retryInS: number | null;
  /** False for an attempt that says nothing about its endpoint, whose health then stays the same. */
  readonly updatesHealth?: boolean;
  readonly attempt: AttemptResult;
};

/** Unchanged health is written at most this often: the row of a busy endpoint must not become a bottleneck. */
const HEALTH_EVERY = sql`interval '10 seconds'`;

/** Returns the ids of those whose lease was still valid. */
export async function finishDeliveries(
  db: Queries,
  finishes: readonly Finish[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(
    prepared(
      sql`
    with ends as materialized (
      select *, now() + make_interval(secs => retry_in_s) as next_attempt_at
        from json_to_recordset(${JSON.stringify(finishes.map(toRecord))}) as r (
        id uuid, token uuid, state text, retry_in_s double precision, updates_health boolean,
        started_at timestamptz, ended_at timestamptz, dns_ms real, connect_ms real, tls_ms real, first_byte_ms real,
        total_ms real, address text, status integer, error text, message text, location text, answer text),
        (select set_config('synchronous_commit', 'off', true)) async_commit
    ), done as (
      delete from webhook_queue q using ends e
       where q.id = any (${ALL_IDS}) and q.id = e.id and q.lease_token = e.token and e.state <> 'pending'
      returning q.catalog_id, q.endpoint_id, q.attempts + 1 as number, e.*
    ), again as (
      update webhook_queue q
         set attempts = q.attempts + 1, schedule_step = q.schedule_step + 1, due_at = e.next_attempt_at,
             turn = ${retryTurn(sql`e.next_attempt_at`)}, lease_until = null, lease_token = null
        from ends e
       where q.id = any (${ALL_IDS}) and q.id = e.id and q.lease_token = e.token and e.state = 'pending'
      returning q.catalog_id, q.endpoint_id, q.attempts as number, e.*
    ), finished as (
      select * from done union all select * from again
    ), delivery_updates as (
      update webhook_deliveries d
         set state = f.state, next_attempt_at = f.next_attempt_at, attempts = f.number,
             finished_at = case when f.state = 'pending' then null else f.ended_at end
        from finished f
       where d.id = any (${ALL_IDS}) and d.catalog_id = any (array(select catalog_id from finished)) and d.id = f.id
    ), logged as (
      insert into webhook_attempts (
        catalog_id, delivery_id, number, started_at, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, address,
        status, error, message, location, answer)
      select catalog_id, id, number, started_at, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, address,
             status, error, message, location, decode(answer, 'base64')
        from finished
    ), ${health()}
    select id from ends where not (id = any (array(select id from finished)))`,
      "finish_deliveries",
    ),
  );
  const lost = new Set(rows.map(({ id }) => id));
  return new Set(finishes.map(({ id }) => id).filter((id) => !lost.has(id)));
}

/** Redundant, but with this array no plan can scan a whole table, see `openQueueDb`. */
const ALL_IDS = sql`array(select id from ends)`;

/** The newest attempt counts. Rows are locked in the order of their ids, so that two batches do not deadlock. */
const health = () => sql`
  seen as (
    select catalog_id, endpoint_id,
           max(ended_at) filter (where error is null) as succeeded_at,
           min(ended_at) filter (where error is not null) as first_failed_at,
           max(ended_at) filter (where error is not null) as failed_at,
           (array_agg(message order by ended_at desc) filter (where error is not null))[1] as failure
      from finished
     where updates_health is not false
     group by catalog_id, endpoint_id
  ), changed as (
    select p.catalog_id, p.id, s.succeeded_at, s.first_failed_at, s.failed_at, s.failure
      from webhook_endpoints p
      join seen s on s.catalog_id = p.catalog_id and s.endpoint_id = p.id
     where p.id = any (array(select endpoint_id from seen))
       and ((p.failing_since is null) <> (s.failed_at is null or coalesce(s.succeeded_at >= s.failed_at, false))
            or p.last_success_at is null and s.succeeded_at is not null
            or p.last_success_at < s.succeeded_at - ${HEALTH_EVERY}
            or p.last_failure_at < s.failed_at - ${HEALTH_EVERY}
            or s.failure is not null and s.failure is distinct from p.last_failure)
     order by p.id
       for no key update of p
  ), health_updates as (
    update webhook_endpoints p
       set last_success_at = greatest(p.last_success_at, t.succeeded_at),
           last_failure_at = greatest(p.last_failure_at, t.failed_at),
           last_failure = coalesce(t.failure, p.last_failure),
           failing_since = case when t.failed_at is null or t.succeeded_at >= t.failed_at then null
                                when t.succeeded_at is not null then t.failed_at
                                else coalesce(p.failing_since, t.first_failed_at) end
      from changed t
     where p.id = any (array(select id from changed)) and p.catalog_id = t.catalog_id and p.id = t.id)`;

/** Short, because there are many: nulls are left out, and durations are rounded to a thousandth. */
function toRecord({ id, token, state, retryInS, updatesHealth, attempt }: Finish) {
  return {
    id,
    token,
    state,
    updates_health: updatesHealth,
    retry_in_s: retryInS ?? undefined,
    started_at: attempt.startedAt,
    ended_at: attempt.endedAt,
    dns_ms: thousandths(attempt.dnsMs),
    connect_ms: thousandths(attempt.connectMs),
    tls_ms: thousandths(attempt.tlsMs),
    first_byte_ms: thousandths(attempt.firstByteMs),
    total_ms: thousandths(attempt.totalMs),
    address: attempt.address ?? undefined,
    status: attempt.status ?? undefined,
    error: attempt.error ?? undefined,
    message: attempt.message === null ? undefined : storable(attempt.message),
    location: attempt.location === null ? undefined : storable(attempt.location),
    answer: attempt.answer?.toString("base64"),
  };
}

function thousandths(ms: number | null): number | undefined {
  return ms === null ? undefined : Math.round(ms * 1_000) / 1_000;
}

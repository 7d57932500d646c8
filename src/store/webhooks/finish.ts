/**
 * What became of deliveries in flight, several in one statement: the attempt is written down, the delivery is
 * delivered, due again or dead, and its endpoint's health is brought up to date. Each is fenced by the token of its
 * claim: a sender that was away too long, or whose endpoint is gone, changes nothing. Nobody waits for the disk: what
 * the database forgets in a crash is a delivery that is sent again, under the same event id.
 */
import type { Owned } from "./deliveries.ts";
import type { Queries } from "../db.ts";
import { storableJson } from "../json.ts";
import { prepared, sql } from "../sql.ts";

export type DeliveryState = "pending" | "delivered" | "dead";

/** Milliseconds; null for what was never reached. `error` is null for a success. */
export type AttemptRow = {
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  readonly firstByteMs: number | null;
  readonly totalMs: number;
  readonly address: string | null;
  readonly status: number | null;
  readonly error: string | null;
  readonly message: string | null;
  readonly location: string | null;
  readonly answer: Buffer | null;
};

export type Finish = Owned & {
  readonly state: DeliveryState;
  /** For a pending one only. */
  readonly nextAttemptAt: Date | null;
  readonly attempt: AttemptRow;
};

/** Health that did not turn is written down at most so often: a busy endpoint's row must not become a bottleneck. */
const HEALTH_EVERY = sql`interval '10 seconds'`;

/** Returns the ids of those that were still ours. */
export async function finishDeliveries(
  db: Queries,
  finishes: readonly Finish[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(
    prepared(
      sql`
    with ends as materialized (
      select * from json_to_recordset(${storableJson(finishes.map(toRecord))}) as r (
        catalog_id uuid, id uuid, token uuid, state text, next_attempt_at timestamptz,
        started_at timestamptz, ended_at timestamptz, dns_ms real, connect_ms real, tls_ms real, first_byte_ms real,
        total_ms real, address text, status integer, error text, message text, location text, answer text),
        (select set_config('synchronous_commit', 'off', true)) unhurried
    ), finished as (
      update webhook_deliveries d
         set state = e.state, next_attempt_at = e.next_attempt_at, attempts = d.attempts + 1,
             schedule_step = d.schedule_step + case when e.error is null then 0 else 1 end,
             lease_until = null, lease_token = null,
             finished_at = case when e.state = 'pending' then null else e.ended_at end
        from ends e
       where d.catalog_id = e.catalog_id and d.id = e.id and d.lease_token = e.token
      returning d.catalog_id, d.id, d.endpoint_id, d.attempts as number
    ), logged as (
      insert into webhook_attempts (
        catalog_id, delivery_id, number, started_at, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, address,
        status, error, message, location, answer)
      select f.catalog_id, f.id, f.number, e.started_at, e.dns_ms, e.connect_ms, e.tls_ms, e.first_byte_ms,
             e.total_ms, e.address, e.status, e.error, e.message, e.location, decode(e.answer, 'base64')
        from finished f join ends e using (catalog_id, id)
    ), seen as (
      select f.catalog_id, f.endpoint_id,
             max(e.ended_at) filter (where e.error is null) as succeeded_at,
             min(e.ended_at) filter (where e.error is not null) as first_failed_at,
             max(e.ended_at) filter (where e.error is not null) as failed_at,
             (array_agg(e.message order by e.ended_at desc) filter (where e.error is not null))[1] as failure
        from finished f join ends e using (catalog_id, id)
       group by f.catalog_id, f.endpoint_id
    ), ${health()}
    select id from finished`,
      "finish_deliveries",
    ),
  );
  return new Set(rows.map(({ id }) => id));
}

/** The newest word counts. Rows are locked in the order of their ids, so that two groups never wait for each other. */
const health = () => sql`
  turned as (
    select p.catalog_id, p.id, s.succeeded_at, s.first_failed_at, s.failed_at, s.failure
      from webhook_endpoints p
      join seen s on s.catalog_id = p.catalog_id and s.endpoint_id = p.id
     where (p.failing_since is null) <> (s.failed_at is null or coalesce(s.succeeded_at >= s.failed_at, false))
        or p.last_success_at is null and s.succeeded_at is not null
        or p.last_success_at < s.succeeded_at - ${HEALTH_EVERY}
        or p.last_failure_at < s.failed_at - ${HEALTH_EVERY}
        or s.failure is not null and s.failure is distinct from p.last_failure
     order by p.id
       for no key update of p
  ), healed as (
    update webhook_endpoints p
       set last_success_at = greatest(p.last_success_at, t.succeeded_at),
           last_failure_at = greatest(p.last_failure_at, t.failed_at),
           last_failure = coalesce(t.failure, p.last_failure),
           failing_since = case when t.failed_at is null or t.succeeded_at >= t.failed_at then null
                                when t.succeeded_at is not null then t.failed_at
                                else coalesce(p.failing_since, t.first_failed_at) end
      from turned t
     where p.catalog_id = t.catalog_id and p.id = t.id)`;

function toRecord({ catalogId, id, token, state, nextAttemptAt, attempt }: Finish) {
  return {
    catalog_id: catalogId,
    id,
    token,
    state,
    next_attempt_at: nextAttemptAt,
    started_at: attempt.startedAt,
    ended_at: attempt.endedAt,
    dns_ms: attempt.dnsMs,
    connect_ms: attempt.connectMs,
    tls_ms: attempt.tlsMs,
    first_byte_ms: attempt.firstByteMs,
    total_ms: attempt.totalMs,
    address: attempt.address,
    status: attempt.status,
    error: attempt.error,
    message: attempt.message,
    location: attempt.location,
    answer: attempt.answer?.toString("base64") ?? null,
  };
}

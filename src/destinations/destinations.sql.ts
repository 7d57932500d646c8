/** Destinations: settings, schedule, encrypted secrets, and the health that their deliveries show. */
import { MAX_DELIVERY_DELAY_S } from "../lib/backoff.ts";
import type { DeliveryErrorCode } from "../contract/destination-deliveries.ts";
import type { DestinationKind, FileFormat } from "../contract/destinations.ts";
import type { Queries } from "../store/db.ts";
import { nextTimeOfDay } from "../store/daily.ts";
import { inSeconds, isDue } from "../store/due.ts";
import { storableJson } from "../store/json.ts";
import { IS_LIVE } from "../store/restores.ts";
import { sql } from "../store/sql.ts";

export type DestinationRow = {
  readonly id: string;
  readonly catalogId: string;
  readonly kind: DestinationKind;
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly secretsEncrypted: Buffer | null;
  readonly format: FileFormat;
  readonly fileName: string;
  readonly isSharded: boolean;
  readonly bytesPerS: number | null;
  /** For how many days rows of removed items are sent as out of stock. */
  readonly vanishedDays: number;
  readonly schedule: "publication" | "daily";
  readonly dailyAt: string;
  readonly timeZone: string;
  readonly enabled: boolean;
  readonly nextDailyAt: Date | null;
  readonly deliveredNames: readonly string[];
  readonly lastSuccessAt: Date | null;
  readonly failingSince: Date | null;
  readonly lastFailureAt: Date | null;
  readonly lastErrorCode: DeliveryErrorCode | null;
  readonly lastError: string | null;
  /** When the next attempt of a waiting delivery is due. */
  readonly nextAttemptAt: Date | null;
  /** The render that the destination has. */
  readonly deliveredRunId: string | null;
  readonly createdAt: Date;
};

export type DestinationRef = Pick<DestinationRow, "catalogId" | "id">;

const COLUMNS = sql`
  d.id, d.catalog_id, d.kind, d.name, d.settings, d.secrets_sealed as secrets_encrypted, d.format, d.file_name,
  d.is_sharded, d.bytes_per_s, d.vanished_days, d.schedule, d.daily_at, d.time_zone, d.enabled, d.next_daily_at,
  d.delivered_names, d.last_success_at, d.failing_since, d.last_failure_at, d.last_error_code, d.last_error,
  d.created_at,
  (select min(e.next_attempt_at) from destination_deliveries e
    where e.destination_id = d.id and e.state = 'pending') as next_attempt_at,
  (select e.run_id from destination_deliveries e
    where e.destination_id = d.id and e.state = 'delivered' order by e.id desc limit 1) as delivered_run_id`;

/** The fields that a user sets. */
export type DestinationFields = Pick<
  DestinationRow,
  | "name"
  | "settings"
  | "secretsEncrypted"
  | "format"
  | "fileName"
  | "isSharded"
  | "bytesPerS"
  | "vanishedDays"
  | "schedule"
  | "dailyAt"
  | "timeZone"
  | "enabled"
>;

export type NewDestinationRow = DestinationRef & Pick<DestinationRow, "kind"> & DestinationFields;

const NEXT_DAILY_AT = sql`
  case when d.enabled and d.schedule = 'daily' then ${nextTimeOfDay(sql`d.daily_at`, sql`d.time_zone`)} end`;

/** Serializes changes of a catalog's destinations, until the end of the transaction. */
export async function lockDestinations(tx: Queries, catalogId: string): Promise<void> {
  await tx.execute(sql`
    select pg_advisory_xact_lock(hashtextextended(current_schema() || ':destinations:' || ${catalogId}::text, 0))`);
}

/** Returns false if the catalog already has `max` destinations. The caller has the lock. */
export async function insertDestination(tx: Queries, row: NewDestinationRow, max: number): Promise<boolean> {
  const inserted = await tx.execute(sql`
    insert into destinations (id, catalog_id, kind, name, settings, secrets_sealed, format, file_name, is_sharded,
                              bytes_per_s, vanished_days, schedule, daily_at, time_zone, enabled)
    select ${row.id}::uuid, ${row.catalogId}::uuid, ${row.kind}::text, ${row.name}::text, ${storableJson(row.settings)}::jsonb,
           ${row.secretsEncrypted}::bytea, ${row.format}::text, ${row.fileName}::text, ${row.isSharded}::boolean,
           ${row.bytesPerS}::bigint, ${row.vanishedDays}::integer, ${row.schedule}::text, ${row.dailyAt}::text, ${row.timeZone}::text, ${row.enabled}::boolean
     where (select count(*) from destinations where catalog_id = ${row.catalogId}) < ${max}`);
  if (inserted === 1) await schedule(tx, row.id);
  return inserted === 1;
}

async function schedule(tx: Queries, id: string): Promise<void> {
  await tx.execute(sql`update destinations d set next_daily_at = ${NEXT_DAILY_AT} where d.id = ${id}`);
}

export async function updateDestination(
  tx: Queries,
  { catalogId, id }: DestinationRef,
  row: DestinationFields,
): Promise<void> {
  await tx.execute(sql`
    update destinations
       set name = ${row.name}, settings = ${storableJson(row.settings)}, secrets_sealed = ${row.secretsEncrypted},
           format = ${row.format}, file_name = ${row.fileName}, is_sharded = ${row.isSharded},
           bytes_per_s = ${row.bytesPerS}, vanished_days = ${row.vanishedDays}, schedule = ${row.schedule}, daily_at = ${row.dailyAt},
           time_zone = ${row.timeZone}, enabled = ${row.enabled}, changed_at = now()
     where catalog_id = ${catalogId} and id = ${id}`);
  await schedule(tx, id);
}

export async function findDestination(
  db: Queries,
  { catalogId, id }: DestinationRef,
): Promise<DestinationRow | undefined> {
  return db.first<DestinationRow>(
    sql`select ${COLUMNS} from destinations d where d.catalog_id = ${catalogId} and d.id = ${id}`,
  );
}

export async function lockDestination(
  tx: Queries,
  { catalogId, id }: DestinationRef,
): Promise<DestinationRow | undefined> {
  return tx.first<DestinationRow>(
    sql`select ${COLUMNS} from destinations d where d.catalog_id = ${catalogId} and d.id = ${id} for update of d`,
  );
}

export async function listDestinations(db: Queries, catalogId: string): Promise<readonly DestinationRow[]> {
  return db.query<DestinationRow>(
    sql`select ${COLUMNS} from destinations d where d.catalog_id = ${catalogId} order by d.created_at, d.id`,
  );
}

/** Deletes the destination with its queue and its receipts. */
export async function deleteDestination(tx: Queries, { catalogId, id }: DestinationRef): Promise<boolean> {
  const deleted = await tx.execute(
    sql`delete from destinations where catalog_id = ${catalogId} and id = ${id}`,
  );
  return deleted === 1;
}

/**
 * Claims the destinations whose daily time has come, and schedules their next daily time. A time that passed during a
 * downtime counts once.
 */
export async function claimDaily(tx: Queries, limit: number): Promise<readonly DestinationRow[]> {
  return tx.query<DestinationRow>(sql`
    update destinations d set next_daily_at = ${NEXT_DAILY_AT}
     where d.id in (select id from destinations where ${isDue(sql`next_daily_at`, MAX_DAILY_AHEAD_S)} and ${IS_LIVE}
                     order by next_daily_at limit ${limit} for update skip locked)
    returning ${COLUMNS}`);
}

/** Upper limits of the schedule: the next day and a lease, each with a margin. */
const MAX_DAILY_AHEAD_S = 2 * 86_400;
const MAX_LEASE_S = 600;

export type UploadLease = { readonly owner: string; readonly leaseMs: number };

/**
 * Takes the lease of a destination that has a due delivery, or of a destination whose worker died. No other worker
 * uploads to the destination until the lease is released or expires.
 */
export async function claimDestination(
  db: Queries,
  { owner, leaseMs }: UploadLease,
): Promise<DestinationRow | undefined> {
  return db.first<DestinationRow>(sql`
    update destinations d set lease_owner = ${owner}, lease_until = ${inSeconds(leaseMs / 1_000)}
     where d.id = (
       select f.id from destinations f
         join destination_deliveries e on e.destination_id = f.id
        where (f.lease_until is null or ${isDue(sql`f.lease_until`, MAX_LEASE_S)}) and ${IS_LIVE}
          and (e.state = 'sending'
               or (e.state = 'pending' and ${isDue(sql`e.next_attempt_at`, MAX_DELIVERY_DELAY_S)} and (f.enabled or e.cause = 'request')))
        order by e.next_attempt_at nulls first, e.id limit 1 for update of f skip locked)
    returning ${COLUMNS}`);
}

/** Returns false if the lease is lost, or if the destination was deleted. */
export async function extendUploadLease(
  db: Queries,
  id: string,
  { owner, leaseMs }: UploadLease,
): Promise<boolean> {
  const extended = await db.execute(sql`
    update destinations set lease_until = ${inSeconds(leaseMs / 1_000)}
     where id = ${id} and lease_owner = ${owner}`);
  return extended === 1;
}

/** Puts the current delivery back into the queue, with no attempt counted. */
export async function releaseUpload(
  db: Queries,
  id: string,
  { owner, delayS }: { readonly owner: string; readonly delayS: number },
): Promise<void> {
  await db.execute(sql`
    with released as (
      update destinations set lease_owner = null, lease_until = null
       where id = ${id} and lease_owner = ${owner} returning id)
    update destination_deliveries e
       set state = 'pending', next_attempt_at = ${inSeconds(delayS)},
           attempts = case when e.state = 'sending' then attempts - 1 else attempts end
      from released r where e.destination_id = r.id and e.state in ('pending', 'sending')`);
}

export type FailingDestination = Pick<DestinationRow, "catalogId" | "id" | "name" | "lastSuccessAt"> & {
  readonly failingSince: Date;
  readonly lastError: string | null;
  /** The newest delivery is dead, so nothing is sent until the next publication. */
  readonly hasGivenUp: boolean;
};

/** Lists the enabled destinations of these catalogs whose newest attempt failed. */
export async function listFailingDestinations(
  db: Queries,
  catalogIds: readonly string[],
): Promise<readonly FailingDestination[]> {
  return db.query<FailingDestination>(sql`
    select d.catalog_id, d.id, d.name, d.failing_since, d.last_success_at, d.last_error,
           coalesce(newest.state = 'dead', false) as has_given_up
      from destinations d
      left join lateral (select e.state from destination_deliveries e where e.destination_id = d.id
                          order by e.id desc limit 1) newest on true
     where d.catalog_id = any (${catalogIds}::uuid[]) and d.enabled and d.failing_since is not null
     order by d.failing_since, d.id`);
}

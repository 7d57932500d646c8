/**
 * Deliveries to destinations: the queue and the receipts. The newest waiting delivery of a destination replaces older
 * ones.
 */
import type {
  DeliveryErrorCode,
  DeliveredFile,
  DestinationDelivery,
} from "../contract/destination-deliveries.ts";
import { newId } from "../lib/id.ts";
import { type RowOf, withSnakeCase } from "../lib/snake-case.ts";
import type { Queries } from "../store/db.ts";
import { storable, storableJson } from "../store/json.ts";
import { inSeconds, isDue, isRecent } from "../store/due.ts";
import { notify } from "../store/notices.ts";
import { LAST_RESTORE } from "../store/restores.ts";
import { MAX_DELIVERY_DELAY_S } from "../lib/backoff.ts";
import { type Sql, sql } from "../store/sql.ts";

/** The render that is sent. */
export type SentRender = { readonly runId: string; readonly file: string; readonly etag: string };

export type NewDelivery = SentRender & {
  readonly destinationId: string;
  readonly cause: DestinationDelivery["cause"];
};

/**
 * Adds a delivery and returns its id; undefined if the destination was deleted meanwhile. A waiting delivery is
 * superseded, and the new delivery keeps its schedule, so that a destination that fails is not tried more often because
 * the catalog changes often. A delivery that a person requests is due at once.
 */
export async function enqueueDelivery(tx: Queries, delivery: NewDelivery): Promise<string | undefined> {
  const { destinationId, cause, runId, file, etag } = delivery;
  // The destination is locked before its deliveries, because every transaction locks in this order.
  const found = await tx.first<{ catalogId: string }>(
    sql`select catalog_id from destinations where id = ${destinationId} for key share`,
  );
  if (!found) return undefined;
  const waiting = await tx.first<{ failures: number; nextAttemptAt: Date }>(sql`
    with waiting as (
      select id, failures, next_attempt_at from destination_deliveries
       where destination_id = ${destinationId} and state = 'pending' for update)
    update destination_deliveries e set state = 'superseded', next_attempt_at = null, finished_at = now()
      from waiting w where e.id = w.id
    returning w.failures, w.next_attempt_at`);
  const id = newId();
  const kept = cause === "request" ? undefined : waiting;
  await tx.execute(sql`
    insert into destination_deliveries (id, destination_id, cause, run_id, file, etag, failures, next_attempt_at, created_at)
    values (${id}, ${destinationId}, ${cause}, ${runId}, ${file}, ${etag}, ${kept?.failures ?? 0},
            coalesce(${kept?.nextAttemptAt ?? null}::timestamptz, now()), now())`);
  await notify(tx, { about: "uploads" });
  await notify(tx, { about: "delivered", catalogId: found.catalogId });
  return id;
}

/** Makes a waiting delivery due now, with a new schedule. */
export async function retryNow(tx: Queries, destinationId: string): Promise<void> {
  const due = await tx.execute(sql`
    update destination_deliveries set next_attempt_at = now(), failures = 0
     where destination_id = ${destinationId} and state = 'pending'`);
  if (due > 0) await notify(tx, { about: "uploads" });
}

/** After this long an unchanged file is sent again: OpenAI wants a snapshot at least every day. */
const RESEND_AFTER_S = 20 * 3_600;

/**
 * Returns whether the destination's newest receipt is for this file and recent, and no other file is on its way. A
 * receipt from before a restore does not count: the installation that the backup was made on may have sent other files
 * since then.
 */
export async function hasFile(tx: Queries, destinationId: string, etag: string): Promise<boolean> {
  const row = await tx.first<{ has: boolean }>(sql`
    select e.etag = ${etag} and e.started_at > d.changed_at
           and ${isRecent(sql`e.finished_at`, RESEND_AFTER_S)} and e.finished_at > ${LAST_RESTORE} as has
      from destination_deliveries e join destinations d on d.id = e.destination_id
     where e.destination_id = ${destinationId} and e.state = 'delivered'
       and not exists (select from destination_deliveries o
                        where o.destination_id = e.destination_id and o.state = 'sending' and o.etag <> ${etag})
     order by e.id desc limit 1`);
  return row?.has === true;
}

/**
 * Supersedes the deliveries of a restored copy that waited when the backup was made: the original has sent them, or the
 * copy's next publication replaces them.
 */
export async function supersedeUploads(tx: Queries): Promise<void> {
  await tx.execute(sql`
    update destination_deliveries set state = 'superseded', next_attempt_at = null, finished_at = now()
     where state in ('pending', 'sending')`);
  await tx.execute(sql`update destinations set lease_owner = null, lease_until = null`);
}

/** Counts the waiting deliveries in all catalogs. */
export async function countWaitingUploads(db: Queries): Promise<number> {
  const row = await db.first<{ count: number }>(
    sql`select count(*) as count from destination_deliveries where state = 'pending'`,
  );
  return row?.count ?? 0;
}

export type StartedDelivery = { readonly id: string; readonly failures: number; readonly attempts: number };

/**
 * Marks the newest waiting delivery as being sent, or takes over a delivery whose worker died. Returns undefined if
 * there is no such delivery any more.
 */
export async function startDelivery(
  tx: Queries,
  { id: destinationId, sentTo }: { readonly id: string; readonly sentTo: string },
  { runId, file, etag }: SentRender,
): Promise<StartedDelivery | undefined> {
  const started = await tx.first<StartedDelivery & { readonly catalogId: string }>(sql`
    update destination_deliveries e
       set state = 'sending', next_attempt_at = null, attempts = attempts + 1, started_at = now(),
           run_id = ${runId}, file = ${file}, etag = ${etag}, sent_to = ${sentTo}
     where id = (select id from destination_deliveries
                  where destination_id = ${destinationId}
                    and (state = 'sending' or (state = 'pending' and ${isDue(sql`next_attempt_at`, MAX_DELIVERY_DELAY_S)}))
                  order by state desc, id limit 1 for update)
    returning id, failures, attempts,
              (select d.catalog_id from destinations d where d.id = e.destination_id) as catalog_id`);
  if (started) await notify(tx, { about: "delivered", catalogId: started.catalogId });
  return started;
}

export type UploadEnd = {
  readonly id: string;
  readonly destinationId: string;
  readonly owner: string;
  readonly durationMs: number;
} & (
  | {
      readonly error: null;
      readonly files: readonly DeliveredFile[];
      readonly vanished: number;
      readonly replacing: string;
      readonly removed: readonly string[];
    }
  | {
      readonly error: { readonly code: DeliveryErrorCode; readonly message: string };
      readonly failures: number;
      /** The delay is counted from the time of the database. Null means that there is no further attempt. */
      readonly retryInS: number | null;
    }
);

/**
 * Writes the receipt and releases the lease, in one transaction. Returns false and writes nothing if the lease was
 * lost.
 */
export async function finishDelivery(tx: Queries, end: UploadEnd): Promise<boolean> {
  const { id, destinationId, owner, durationMs } = end;
  const message = end.error && storable(end.error.message);
  const health = end.error
    ? sql`failing_since = coalesce(failing_since, now()), last_failure_at = now(),
          last_error_code = ${end.error.code}, last_error = ${message}`
    : sql`failing_since = null, last_success_at = now(), delivered_names = ${end.files.map(({ name }) => name)}`;
  const released = await tx.first<{ catalogId: string }>(sql`
    update destinations set lease_owner = null, lease_until = null, ${health}
     where id = ${destinationId} and lease_owner = ${owner}
    returning catalog_id`);
  if (!released) return false;
  await tx.execute(sql`
    update destination_deliveries set duration_ms = ${Math.round(durationMs)}, ${await resultOf(tx, end)} where id = ${id}`);
  await notify(tx, { about: "delivered", catalogId: released.catalogId });
  return true;
}

async function resultOf(tx: Queries, end: UploadEnd): Promise<Sql> {
  if (end.error === null) {
    const bytes = end.files.reduce((sum, file) => sum + file.bytes, 0);
    return sql`state = 'delivered', finished_at = now(), bytes = ${bytes}, files = ${storableJson(end.files)}, vanished = ${end.vanished},
               replacing = ${end.replacing}, removed = ${end.removed}, error_code = null, error = null`;
  }
  const { error, failures, retryInS } = end;
  const isReplaced = await passOn(tx, end);
  const state = isReplaced ? "superseded" : retryInS === null ? "dead" : "pending";
  return sql`state = ${state}, next_attempt_at = ${inSeconds(state === "pending" ? retryInS : null)}, failures = ${failures},
             finished_at = case when ${state}::text = 'pending' then null else now() end,
             error_code = ${error.code}, error = ${storable(error.message)}`;
}

/** Lets a newer delivery that was added meanwhile continue the schedule. Returns false if there is none. */
async function passOn(
  tx: Queries,
  {
    destinationId,
    failures,
    retryInS,
  }: UploadEnd & { readonly failures: number; readonly retryInS: number | null },
): Promise<boolean> {
  const passed = await tx.execute(sql`
    update destination_deliveries
       set failures = ${retryInS === null ? 0 : failures},
           next_attempt_at = coalesce(${inSeconds(retryInS)}, next_attempt_at)
     where destination_id = ${destinationId} and state = 'pending' and cause <> 'request'`);
  if (passed > 0) return true;
  const requested = await tx.first(sql`
    select 1 from destination_deliveries where destination_id = ${destinationId} and state = 'pending'`);
  return requested !== undefined;
}

export type UploadFilter = {
  readonly id?: string | undefined;
  readonly destinationId?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
};

type DeliveryRow = Omit<RowOf<DestinationDelivery>, "error" | "removed"> & {
  readonly removed: readonly string[] | null;
  readonly code: DeliveryErrorCode | null;
  readonly message: string | null;
};

/** Newest first. */
export async function findDeliveries(
  db: Queries,
  catalogId: string,
  { id, destinationId, before, limit }: UploadFilter,
): Promise<readonly DestinationDelivery[]> {
  const rows = await db.query<DeliveryRow>(sql`
    select e.id, e.destination_id, e.cause, e.run_id as render_run_id, e.sent_to, e.file, e.etag, e.state, e.attempts, e.next_attempt_at,
           e.created_at, e.started_at, e.finished_at, e.duration_ms, e.bytes, e.files, e.vanished, e.replacing as replaced_by, e.removed,
           e.error_code as code, e.error as message
      from destination_deliveries e join destinations d on d.id = e.destination_id
     where d.catalog_id = ${catalogId}
       and (${id ?? null}::uuid is null or e.id = ${id ?? null}::uuid)
       and (${destinationId ?? null}::uuid is null or e.destination_id = ${destinationId ?? null}::uuid)
       and (${before ?? null}::uuid is null or e.id < ${before ?? null}::uuid)
     order by e.id desc limit ${limit}`);
  return rows.map(({ code, message, removed, files, ...row }) => ({
    ...withSnakeCase(row),
    files: files?.map((file) => ({ ...file, remote_bytes: file.remote_bytes ?? null })) ?? null,
    removed: removed ?? [],
    error: code === null ? null : { code, message: message ?? "" },
  }));
}

const BATCH = 1_000;

/** Deletes old receipts, in batches; the newest receipt of each destination stays. */
export async function pruneDestinationDeliveries(db: Queries, olderThan: Date): Promise<void> {
  for (let deleted = BATCH; deleted === BATCH; ) {
    deleted = await db.execute(sql`
      delete from destination_deliveries where id in (
        select e.id from destination_deliveries e
         where e.finished_at < ${olderThan}
           and exists (select 1 from destination_deliveries n
                        where n.destination_id = e.destination_id and n.id > e.id and n.state = 'delivered')
         limit ${BATCH} for update skip locked)`);
  }
}

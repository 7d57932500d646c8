/**
 * Idempotency keys of pushes. For a day a key belongs to one run of its catalog. The hash identifies the request, and
 * the statistics of a successful push stay with the key even if the run is no longer in the history.
 */
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

export type PushKey = { readonly catalogId: string; readonly key: string };

export type UsedKey = {
  readonly runId: string;
  /** Null until the whole body has arrived. */
  readonly requestHash: Buffer | null;
  readonly stats: Readonly<Record<string, unknown>> | null;
  readonly isExpired: boolean;
};

const KEPT_HOURS = 24;

/** Finds a key. The caller has the lock of the catalog's pushes, so that the key does not change meanwhile. */
export async function findKey(tx: Queries, { catalogId, key }: PushKey): Promise<UsedKey | undefined> {
  return tx.first<UsedKey>(sql`
    select run_id, request_hash, stats,
           created_at < now() - make_interval(hours => ${KEPT_HOURS}) as is_expired
      from push_keys where catalog_id = ${catalogId} and key = ${key}`);
}

/**
 * Assigns a key that is new, or has no result, to a run. A key without a hash belongs to a body that is still arriving.
 */
export async function claimKey(
  tx: Queries,
  { catalogId, key }: PushKey,
  { runId, hash = null }: { readonly runId: string; readonly hash?: Buffer | null },
): Promise<void> {
  await tx.execute(sql`
    insert into push_keys (catalog_id, key, run_id, request_hash) values (${catalogId}, ${key}, ${runId}, ${hash})
    on conflict (catalog_id, key) do update
       set run_id = excluded.run_id, request_hash = excluded.request_hash, stats = null, created_at = now()`);
}

export async function saveRequestHash(tx: Queries, runId: string, hash: Buffer): Promise<void> {
  await tx.execute(sql`update push_keys set request_hash = ${hash} where run_id = ${runId}`);
}

/** Copies the statistics of the given runs, which have just succeeded. */
export async function saveKeyStats(tx: Queries, runIds: readonly string[]): Promise<void> {
  await tx.execute(sql`
    update push_keys k set stats = r.stats from runs r
     where r.id = k.run_id and k.run_id = any (${runIds}::uuid[]) and r.state = 'succeeded'`);
}

export async function pruneKeys(db: Queries): Promise<number> {
  return db.execute(sql`
    delete from push_keys where created_at < now() - make_interval(hours => ${KEPT_HOURS})`);
}

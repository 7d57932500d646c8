/**
 * Idempotency keys of pushes. For a day a key belongs to one run of its catalog; the hash identifies the request, and
 * the statistics of a successful push stay with the key even if the run is no longer in the history.
 */
import type { Queries } from "./db.ts";
import { storableJson } from "./json.ts";
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

/** Claims the key for a run. False if it is in use; a concurrent caller waits for the first one's transaction. */
export async function claimKey(tx: Queries, { catalogId, key }: PushKey, runId: string): Promise<boolean> {
  const taken = await tx.execute(sql`
    insert into push_keys (catalog_id, key, run_id) values (${catalogId}, ${key}, ${runId})
    on conflict (catalog_id, key) do nothing`);
  return taken === 1;
}

export async function findKey(tx: Queries, { catalogId, key }: PushKey): Promise<UsedKey | undefined> {
  return tx.first<UsedKey>(sql`
    select run_id as "runId", request_hash as "requestHash", stats,
           created_at < now() - make_interval(hours => ${KEPT_HOURS}) as "isExpired"
      from push_keys where catalog_id = ${catalogId} and key = ${key} for update`);
}

/** Assigns a key without a result to another run. */
export async function reclaimKey(tx: Queries, { catalogId, key }: PushKey, runId: string): Promise<void> {
  await tx.execute(sql`
    update push_keys set run_id = ${runId}, request_hash = null, stats = null, created_at = now()
     where catalog_id = ${catalogId} and key = ${key}`);
}

export async function saveRequestHash(tx: Queries, runId: string, hash: Buffer): Promise<void> {
  await tx.execute(sql`update push_keys set request_hash = ${hash} where run_id = ${runId}`);
}

export async function saveKeyStats(tx: Queries, runId: string, stats: object): Promise<void> {
  await tx.execute(sql`update push_keys set stats = ${storableJson(stats)} where run_id = ${runId}`);
}

export async function pruneKeys(db: Queries): Promise<number> {
  return db.execute(sql`
    delete from push_keys where created_at < now() - make_interval(hours => ${KEPT_HOURS})`);
}

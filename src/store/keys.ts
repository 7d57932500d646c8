/** API keys: only a hash of the secret is stored; the handle finds the row. */
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

export type KeyRow = {
  readonly id: string;
  readonly catalogId: string;
  readonly name: string;
  readonly handle: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
};

const COLUMNS = sql`
  id, catalog_id as "catalogId", name, handle, scopes, created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", last_used_at as "lastUsedAt"`;

type KeyIdentity = Pick<KeyRow, "id" | "catalogId" | "name" | "handle" | "scopes"> & {
  readonly secretHash: Buffer;
};

export type NewKey = KeyIdentity & Pick<KeyRow, "expiresAt">;

/** False if the catalog already has `most` keys that are neither revoked nor expired. */
export async function insertKey(db: Queries, key: NewKey, most: number): Promise<boolean> {
  const inserted = await db.execute(sql`
    insert into api_keys (id, catalog_id, name, handle, secret_hash, scopes, expires_at)
    select ${key.id}::uuid, ${key.catalogId}::uuid, ${key.name}::text, ${key.handle}::text, ${key.secretHash}::bytea,
           ${key.scopes}::text[], ${key.expiresAt}::timestamptz
     where count_under_lock('keys', ${key.catalogId}::uuid) < ${most}`);
  return inserted === 1;
}

/** `isUseUnnoted`: `last_used_at` is older than a minute. */
export type LiveKey = KeyIdentity & { readonly isUseUnnoted: boolean };

/** The key with this handle, unless it is revoked or expired. */
export async function findLiveKey(db: Queries, handle: string): Promise<LiveKey | undefined> {
  return db.first<LiveKey>(sql`
    select id, name, handle, catalog_id as "catalogId", secret_hash as "secretHash", scopes,
           (last_used_at is null or last_used_at < now() - interval '1 minute') as "isUseUnnoted"
      from api_keys
     where handle = ${handle} and revoked_at is null and (expires_at is null or expires_at > now())`);
}

export async function recordKeyUse(db: Queries, id: string): Promise<void> {
  await db.execute(sql`update api_keys set last_used_at = now() where id = ${id}`);
}

export async function listKeys(db: Queries, catalogId: string): Promise<readonly KeyRow[]> {
  return db.query<KeyRow>(
    sql`select ${COLUMNS} from api_keys where catalog_id = ${catalogId} order by created_at, id`,
  );
}

/** Returns the catalog of the key; undefined if there is no such key, or it is already revoked. */
export async function revokeKey(db: Queries, id: string): Promise<string | undefined> {
  const revoked = await db.first<{ catalogId: string }>(sql`
    update api_keys set revoked_at = now() where id = ${id} and revoked_at is null
    returning catalog_id as "catalogId"`);
  return revoked?.catalogId;
}

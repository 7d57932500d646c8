/** API keys: only a hash of the secret is stored; the handle finds the row. */
import type { Queries } from "./db.ts";
import { notify } from "./notices.ts";
import { prepared, sql } from "./sql.ts";

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
  id, catalog_id, name, handle, scopes, created_at, expires_at, revoked_at, last_used_at`;

type KeyIdentity = Pick<KeyRow, "id" | "catalogId" | "name" | "handle" | "scopes"> & {
  readonly secretHash: Buffer;
};

export type NewKey = KeyIdentity & Pick<KeyRow, "expiresAt">;

/** Returns false if the catalog already has `most` keys that are neither revoked nor expired. */
export async function insertKey(db: Queries, key: NewKey, most: number): Promise<boolean> {
  const inserted = await db.execute(sql`
    insert into api_keys (id, catalog_id, name, handle, secret_hash, scopes, expires_at)
    select ${key.id}::uuid, ${key.catalogId}::uuid, ${key.name}::text, ${key.handle}::text, ${key.secretHash}::bytea,
           ${key.scopes}::text[], ${key.expiresAt}::timestamptz
     where count_under_lock('keys', ${key.catalogId}::uuid) < ${most}`);
  return inserted === 1;
}

export type NewOperatorKey = Pick<NewKey, "id" | "name" | "handle" | "secretHash" | "scopes" | "expiresAt">;

/** Inserts a key of the installation. */
export async function insertOperatorKey(db: Queries, key: NewOperatorKey): Promise<void> {
  await db.execute(sql`
    insert into api_keys (id, name, handle, secret_hash, scopes, expires_at)
    values (${key.id}, ${key.name}, ${key.handle}, ${key.secretHash}, ${key.scopes}::text[], ${key.expiresAt})`);
}

/** Finds the oldest live operator key with this name. */
export async function findOperatorKey(db: Queries, name: string): Promise<string | undefined> {
  const rows = await db.query<{ id: string }>(sql`
    select k.id from api_keys k where k.catalog_id is null and k.name = ${name} and ${LIVE_KEY}
     order by k.created_at, k.id limit 1`);
  return rows[0]?.id;
}

/** Operator keys have neither catalog nor slug. `isUseUnnoted`: `last_used_at` is older than a minute. */
export type LiveKey = Omit<KeyIdentity, "catalogId"> & {
  readonly catalogId: string | null;
  readonly slug: string | null;
  readonly isUseUnnoted: boolean;
};

export const LIVE_KEY_COLUMNS = sql`
  k.id, k.name, k.handle, k.catalog_id, c.slug, k.secret_hash, k.scopes,
  (k.last_used_at is null or k.last_used_at < now() - interval '1 minute') as is_use_unnoted`;
export const LIVE_KEY = sql`(k.revoked_at is null and (k.expires_at is null or k.expires_at > now()))`;

/** Finds the key with this handle, unless the key is revoked or expired. */
export async function findLiveKey(db: Queries, handle: string): Promise<LiveKey | undefined> {
  const statement = sql`
    select ${LIVE_KEY_COLUMNS} from api_keys k left join catalogs c on c.id = k.catalog_id
     where k.handle = ${handle} and ${LIVE_KEY}`;
  return db.first<LiveKey>(prepared(statement, "live_key"));
}

export async function recordKeyUse(db: Queries, id: string): Promise<void> {
  await db.execute(sql`update api_keys set last_used_at = now() where id = ${id}`);
}

/** Lists the keys of a catalog, or the operator keys. */
export async function listKeys(db: Queries, catalogId: string | null): Promise<readonly KeyRow[]> {
  return db.query<KeyRow>(
    sql`select ${COLUMNS} from api_keys where catalog_id is not distinct from ${catalogId}::uuid order by created_at, id`,
  );
}

export async function findKey(db: Queries, id: string): Promise<KeyRow | undefined> {
  return (await db.query<KeyRow>(sql`select ${COLUMNS} from api_keys where id = ${id}`))[0];
}

/** Lists a page of a catalog's keys, oldest first; ids are ordered by time. */
export async function pageKeys(
  db: Queries,
  catalogId: string,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<readonly KeyRow[]> {
  const isAfter = after === null ? sql`true` : sql`id > ${after}::uuid`;
  return db.query<KeyRow>(sql`
    select ${COLUMNS} from api_keys where catalog_id = ${catalogId} and ${isAfter} order by id limit ${limit}`);
}

/**
 * Counts the working keys with the scope admin, apart from the given key. The count holds the lock of the catalog's
 * keys until the transaction ends, so that two keys that revoke each other at the same time cannot both succeed.
 */
export async function countOtherAdminKeys(tx: Queries, catalogId: string, id: string): Promise<number> {
  await tx.execute(sql`select count_under_lock('keys', ${catalogId}::uuid)`);
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) as count from api_keys
     where catalog_id = ${catalogId} and id <> ${id} and 'admin' = any (scopes) and revoked_at is null
       and (expires_at is null or expires_at > now())`);
  return row?.count ?? 0;
}

/**
 * Returns the catalog of the key, or null for an operator key; undefined if there is no such key, or if it is already
 * revoked.
 */
export async function revokeKey(db: Queries, id: string): Promise<string | null | undefined> {
  const revoked = await db.first<{ catalogId: string | null }>(sql`
    update api_keys set revoked_at = now() where id = ${id} and revoked_at is null
    returning catalog_id`);
  if (revoked) await notify(db, { about: "key revoked", id });
  return revoked?.catalogId;
}

/** Sessions of the console: which keys a browser has signed in with, and the codes of sign-in links. */
import type { Queries } from "./db.ts";
import { LIVE_KEY, LIVE_KEY_COLUMNS } from "./keys.ts";
import type { LiveKey } from "./keys.ts";
import { sql } from "./sql.ts";

export type NewSession = { readonly tokenHash: Buffer; readonly lifetimeS: number };

export async function insertSession(db: Queries, { tokenHash, lifetimeS }: NewSession): Promise<void> {
  await db.execute(sql`
    insert into sessions (token_hash, expires_at) values (${tokenHash}, now() + make_interval(secs => ${lifetimeS}))`);
}

export async function addSessionKey(db: Queries, tokenHash: Buffer, keyId: string): Promise<void> {
  await db.execute(sql`
    insert into session_keys (token_hash, key_id) values (${tokenHash}, ${keyId}) on conflict do nothing`);
}

/** The keys of the session that are neither revoked nor expired; none if there is no such session. */
export async function listSessionKeys(db: Queries, tokenHash: Buffer): Promise<readonly LiveKey[]> {
  return db.query<LiveKey>(sql`
    select ${LIVE_KEY_COLUMNS}
      from sessions s
      join session_keys sk on sk.token_hash = s.token_hash
      join api_keys k on k.id = sk.key_id
      left join catalogs c on c.id = k.catalog_id
     where s.token_hash = ${tokenHash} and s.expires_at > now() and ${LIVE_KEY}
     order by c.slug nulls first, k.id`);
}

/** Gives the keys of one session to another one, and ends the first. */
export async function moveSession(db: Queries, from: Buffer, to: Buffer): Promise<void> {
  await db.execute(sql`
    insert into session_keys (token_hash, key_id)
    select ${to}::bytea, key_id from session_keys where token_hash = ${from} on conflict do nothing`);
  await deleteSession(db, from);
}

export async function deleteSession(db: Queries, tokenHash: Buffer): Promise<void> {
  await db.execute(sql`delete from sessions where token_hash = ${tokenHash}`);
}

export async function insertSignInCode(db: Queries, codeHash: Buffer, lifetimeS: number): Promise<void> {
  await db.execute(sql`
    insert into sign_in_codes (code_hash, expires_at)
    values (${codeHash}, now() + make_interval(secs => ${lifetimeS}))`);
}

/** True once, for one caller. */
export async function takeSignInCode(db: Queries, codeHash: Buffer): Promise<boolean> {
  const taken = await db.query<{ isValid: boolean }>(sql`
    delete from sign_in_codes where code_hash = ${codeHash} returning expires_at > now() as is_valid`);
  return taken[0]?.isValid ?? false;
}

/** Deletes codes and sessions that have expired, and sessions whose keys were deleted with their catalog. */
export async function pruneSessions(db: Queries): Promise<number> {
  const sessions = await db.execute(sql`
    delete from sessions s
     where expires_at <= now() or not exists (select 1 from session_keys k where k.token_hash = s.token_hash)`);
  return sessions + (await db.execute(sql`delete from sign_in_codes where expires_at <= now()`));
}

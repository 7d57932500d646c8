/**
 * Restored copies. After a restore or a recovery, an installation may be a second one beside the original. Until a
 * person makes it live, it sends nothing to others and reads no source by itself. Every statement that claims something
 * to send has `IS_LIVE`.
 */
import { AppError } from "../errors.ts";
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

export const IS_LIVE = sql`(not exists (select 1 from restores where resumed_at is null))`;

/** The time of the last restore. Receipts from before this time say nothing about what a receiver has now. */
export const LAST_RESTORE = sql`(select coalesce(max(restored_at), '-infinity') from restores)`;

/** Records a restore, in the transaction of the restore. */
export async function insertRestore(tx: Queries): Promise<void> {
  await tx.execute(sql`insert into restores (restored_at) values (date_trunc('milliseconds', now()))`);
}

/** Returns since when the installation is a restored copy; null if it is live. */
export async function restoredSince(db: Queries): Promise<Date | null> {
  const row = await db.first<{ at: Date | null }>(
    sql`select max(restored_at) as at from restores where resumed_at is null`,
  );
  return row?.at ?? null;
}

type EndedRestore = { readonly restoredAt: Date; readonly resumedAt: Date };

/** Ends the restored state. Returns undefined if the installation is live already. */
export async function endRestore(tx: Queries): Promise<EndedRestore | undefined> {
  const ended = await tx.query<EndedRestore>(sql`
    update restores set resumed_at = now() where resumed_at is null
    returning restored_at, resumed_at`);
  return ended.toSorted((a, b) => a.restoredAt.getTime() - b.restoredAt.getTime()).at(-1);
}

/** Refuses a call of a person that would send something from a restored copy. */
export async function requireLive(db: Queries): Promise<void> {
  if ((await restoredSince(db)) !== null) throw restoredCopy();
}

const restoredCopy = (): AppError =>
  new AppError(
    "restored_copy",
    "This installation was restored from a backup and sends nothing to others until someone makes it live: shelfwire resume, or the button in the console. Make only one copy live.",
  );

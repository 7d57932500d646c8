/**
 * PostgreSQL plans a query by the number of rows that it expects. Its statistics may be older than a catalog. Then it
 * expects none of the catalog's items, takes every index whose first column is `catalog_id` for equally good, and may
 * read all items of the catalog to look up a single item.
 */
import type { Db } from "./db.ts";
import { sql } from "./sql.ts";

/** For fewer items every plan is fast. */
const MIN_ITEMS = 1_000;
/** Fewer than this share of all items may be missing in a sample. */
const MIN_SHARE = 0.01;
/**
 * How long to wait for a vacuum, which holds the lock that is needed. PostgreSQL interrupts its own vacuum after a
 * second.
 */
const MAX_WAIT_MS = 5_000;
const LOCK_NOT_AVAILABLE = "55P03";

/** Updates the statistics of the items if PostgreSQL expects less than half of the catalog's items. */
export async function correctEstimates(
  db: Db,
  catalogId: string,
  maxWaitMs: number = MAX_WAIT_MS,
): Promise<void> {
  const large = await db.first<{ items: number }>(sql`
    select c.item_count as items from catalogs c, pg_class t
     where c.id = ${catalogId} and t.oid = 'items'::regclass
       and c.item_count >= greatest(${MIN_ITEMS}, ${MIN_SHARE}::real * t.reltuples)`);
  if (!large || (await expectedItems(db, catalogId)) >= large.items / 2) return;
  try {
    await db.tx(async (tx) => {
      await tx.execute(sql`select set_config('lock_timeout', ${String(maxWaitMs)}, true)`);
      await tx.execute(sql`analyze items (catalog_id, source_id)`);
    });
  } catch (error) {
    // The lock was not available, so the next run tries again.
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
  }
}

type Explained = { readonly "QUERY PLAN": readonly [{ readonly Plan: { readonly "Plan Rows": number } }] };

async function expectedItems(db: Db, catalogId: string): Promise<number> {
  const explained = await db.first<Explained>(
    sql`explain (format json) select from items where catalog_id = ${catalogId}`,
  );
  return explained?.["QUERY PLAN"][0].Plan["Plan Rows"] ?? 0;
}

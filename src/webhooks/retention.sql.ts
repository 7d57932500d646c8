/**
 * Deletes old attempts, deliveries and events, in batches that each commit by themselves: locks are short, and an
 * interrupted run keeps what it did. Pending deliveries are never touched.
 */
import type { Queries } from "../store/db.ts";
import type { Sql } from "../store/sql.ts";
import { sql } from "../store/sql.ts";

export type Pruned = { readonly attempts: number; readonly deliveries: number; readonly events: number };

const BATCH = 1_000;

/** Attempts, then finished deliveries, then events that nothing refers to any more, all older than the given time. */
export async function pruneWebhooks(
  db: Queries,
  { attemptsOlderThan: time, batch = BATCH }: { readonly attemptsOlderThan: Date; readonly batch?: number },
): Promise<Pruned> {
  const pruned = async (statement: Sql) => inBatches(db, batch, statement);
  const attempts = await pruned(sql`
    delete from webhook_attempts where (catalog_id, delivery_id, number) in (
      select catalog_id, delivery_id, number from webhook_attempts where started_at < ${time} limit ${batch})`);
  const deliveries = await pruned(sql`
    delete from webhook_deliveries where (catalog_id, id) in (
      select catalog_id, id from webhook_deliveries
       where state <> 'pending' and created_at < ${time} and finished_at < ${time} limit ${batch} for update skip locked)`);
  const events = await pruned(sql`
    delete from webhook_events where (catalog_id, id) in (
      select e.catalog_id, e.id from webhook_events e
       where e.created_at < ${time} and not exists (select 1 from webhook_deliveries d where d.event_id = e.id)
       limit ${batch})`);
  return { attempts, deliveries, events };
}

async function inBatches(db: Queries, batch: number, statement: Sql): Promise<number> {
  for (let deleted = 0; ; ) {
    const more = await db.execute(statement);
    deleted += more;
    if (more < batch) return deleted;
  }
}

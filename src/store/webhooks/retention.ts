/**
 * Clears the log of deliveries by age, in small batches that each commit by themselves: nobody waits long behind one,
 * and one that is broken off has done its part. What is still to be delivered is never touched.
 */
import { BEFORE_ALL_IDS } from "../../lib/id.ts";
import type { Queries } from "../db.ts";
import type { Sql } from "../sql.ts";
import { sql } from "../sql.ts";

export type Pruned = { readonly attempts: number; readonly deliveries: number; readonly events: number };

const BATCH = 1_000;

/** Attempts, then finished deliveries, then events that nothing refers to any more, all older than the given time. */
export async function pruneWebhooks(
  db: Queries,
  { attemptsOlderThan: time, batch = BATCH }: { readonly attemptsOlderThan: Date; readonly batch?: number },
): Promise<Pruned> {
  const attempts = await inBatches(
    db,
    batch,
    sql`
    delete from webhook_attempts where (catalog_id, delivery_id, number) in (
      select catalog_id, delivery_id, number from webhook_attempts where started_at < ${time} limit ${batch})`,
  );
  const deliveries = await inBatches(
    db,
    batch,
    sql`
    delete from webhook_deliveries where (catalog_id, id) in (
      select catalog_id, id from webhook_deliveries
       where state <> 'pending' and created_at < ${time} and finished_at < ${time} limit ${batch} for update skip locked)`,
  );
  const events = await inBatches(
    db,
    batch,
    sql`
    delete from webhook_events where (catalog_id, id) in (
      select e.catalog_id, e.id from webhook_events e
       where e.created_at < ${time} and not exists (select 1 from webhook_deliveries d where d.event_id = e.id)
       limit ${batch})`,
  );
  return { attempts, deliveries, events };
}

async function inBatches(db: Queries, batch: number, statement: Sql): Promise<number> {
  for (let deleted = 0; ; ) {
    const more = await db.execute(statement);
    deleted += more;
    if (more < batch) return deleted;
  }
}

/**
 * Removes what has ended from an endpoint's log, in batches that each commit by themselves: while the endpoint itself is
 * deleted, whoever finishes a delivery of it waits, and that must not take long.
 */
export async function forgetEndedDeliveries(
  db: Queries,
  {
    catalogId,
    id,
    batch = BATCH,
  }: { readonly catalogId: string; readonly id: string; readonly batch?: number },
): Promise<void> {
  for (let after: string | undefined = BEFORE_ALL_IDS; after !== undefined; ) {
    const rows: readonly { last: string | null }[] = await db.query(sql`
      with ended as (
        select id from webhook_deliveries
         where catalog_id = ${catalogId} and id > ${after}::uuid and endpoint_id = ${id} and state <> 'pending'
         order by id limit ${batch}
      ), gone as (
        delete from webhook_deliveries where id = any (array(select id from ended))
      )
      select max(id::text)::uuid as last from ended`);
    after = rows[0]?.last ?? undefined;
  }
}

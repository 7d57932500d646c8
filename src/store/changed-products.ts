/** Products that shops reported as changed, until a sync has read them. */
import { newId } from "../lib/id.ts";
import type { Queries } from "./db.ts";
import { isRecent } from "./due.ts";
import { IS_LIVE } from "./restores.ts";
import { enqueueRun } from "./runs.ts";
import { sql } from "./sql.ts";

/** The limit for one source. A source with more changed products is read completely by its next sync. */
const MAX_KEPT = 1_000;

/** Notes changed products. A product that was noted before is noted again with the new time. */
export async function noteChangedProducts(
  db: Queries,
  sourceId: string,
  products: readonly string[],
): Promise<void> {
  await db.execute(sql`
    insert into changed_products (source_id, product_key)
    select ${sourceId}::uuid, key from unnest(${products}::text[]) key
     where (select count(*) from changed_products where source_id = ${sourceId}) < ${MAX_KEPT}
    on conflict (source_id, product_key) do update set noted_at = clock_timestamp()`);
}

export async function changedProducts(
  db: Queries,
  sourceId: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await db.query<{ product: string }>(sql`
    select product_key as product from changed_products where source_id = ${sourceId} order by noted_at limit ${limit}`);
  return rows.map(({ product }) => product);
}

/** Forgets what was noted before a sync started, because that sync has read it. */
export async function forgetChangedProducts(db: Queries, sourceId: string, before: Date): Promise<void> {
  await db.execute(sql`delete from changed_products where source_id = ${sourceId} and noted_at < ${before}`);
}

/** Reports that belong together arrive within this time. */
const SETTLE_S = 2;
/** The least time between two such syncs of one source, because each sync renders the catalog. */
const PAUSE_S = 30;
const DUE_BATCH = 50;

/**
 * Queues a sync of every enabled source that has changed products. Sources that are being synced wait for the next
 * call.
 */
export async function enqueueReportedChanges(tx: Queries): Promise<void> {
  const due = await tx.query<{ id: string; catalogId: string }>(sql`
    select s.id, s.catalog_id
      from (select source_id, min(noted_at) as first from changed_products group by source_id) c
      join sources s on s.id = c.source_id and s.enabled
     where not ${isRecent(sql`c.first`, SETTLE_S)} and ${IS_LIVE}
       and not exists (
         select 1 from runs r
          where r.source_id = s.id and r.catalog_id = s.catalog_id and r.kind = 'sync'
            and (r.state in ('queued', 'running')
                 or r.cause = 'webhook' and ${isRecent(sql`r.finished_at`, PAUSE_S)}))
     order by s.id limit ${DUE_BATCH}`);
  for (const { id: sourceId, catalogId } of due) {
    const run = {
      id: newId(),
      catalogId,
      sourceId,
      kind: "sync",
      cause: "webhook",
      reads: "products",
    } as const;
    await enqueueRun(tx, run);
  }
}

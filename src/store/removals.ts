/**
 * Removes a source or a catalog with its rows, in batches that each commit: locks are short, and an interrupted
 * removal continues where it stopped.
 */
import { BEFORE_ALL_IDS } from "../lib/id.ts";
import type { Queries } from "./db.ts";
import { isRecent } from "./due.ts";
import { advanceSnapshot, type ChangedKeys, MAX_LISTED } from "./item-changes.ts";
import { applyRulesAgain } from "./rules.ts";
import { enqueueRender } from "./runs.ts";
import { clearValidators, type SourceRow } from "./sources.ts";
import { sql, type Sql } from "./sql.ts";

/** Whether the items of a removed source stay, as orphans, or are deleted. */
export type ItemsPolicy = "keep" | "remove";

export const REMOVAL_BATCH = 10_000;

export type RemovedSourceRow = {
  readonly id: string;
  readonly catalogId: string;
  readonly items: ItemsPolicy;
  readonly handled: number;
  readonly afterId: string;
};

/** Deletes the source. Its items keep its id until the batches have processed them. */
export async function beginSourceRemoval(
  tx: Queries,
  { id, catalogId, itemCount }: SourceRow,
  items: ItemsPolicy,
): Promise<void> {
  await tx.execute(sql`delete from sources where id = ${id}`);
  await tx.execute(sql`
    insert into removed_sources (id, catalog_id, items, item_count)
    values (${id}, ${catalogId}, ${items}, ${itemCount})`);
}

export async function lockRemovedSource(tx: Queries, id: string): Promise<RemovedSourceRow | undefined> {
  return tx.first<RemovedSourceRow>(sql`
    select id, catalog_id, items, handled, after_id
      from removed_sources where id = ${id} for update`);
}

/**
 * Processes the next batch of the catalog's items, under the lock of the items. Returns true if there may be more. The
 * batch is limited by the number of scanned items, not by the items of the source: a small source in a large catalog
 * needs no long scan.
 */
export async function removeSourceBatch(
  tx: Queries,
  removal: RemovedSourceRow,
  size = REMOVAL_BATCH,
): Promise<boolean> {
  const { id, catalogId, items } = removal;
  const mine = sql`catalog_id = ${catalogId} and id = any (array(select id from part where source_id = ${id}))`;
  const change: Readonly<Record<ItemsPolicy, Sql>> = {
    keep: sql`update items set source_id = null, is_left_behind = true where ${mine} returning sort_key`,
    remove: sql`delete from items where ${mine} returning sort_key`,
  };
  const batch = await tx.first<{ last: string | null; seen: number; handled: number; keys: ChangedKeys }>(sql`
    with part as materialized (
      select id, source_id from items where catalog_id = ${catalogId} and id > ${removal.afterId}
       order by id limit ${size}),
    handled as (${change[items]})
    select (select max(id) from part) as last, (select count(*) from part) as seen,
           (select count(*) from handled) as handled,
           (select case when count(*) <= ${MAX_LISTED} then array_agg(sort_key) end from handled) as keys`);
  const { last = null, seen = 0, handled = 0, keys = null } = batch ?? {};
  await tx.execute(sql`
    update removed_sources set after_id = coalesce(${last}, after_id), item_count = item_count - ${handled},
                               handled = handled + ${handled}
     where id = ${id}`);
  if (items === "remove" && handled > 0)
    await advanceSnapshot(tx, catalogId, { itemDelta: -handled, changed: keys });
  return seen === size;
}

/**
 * Ends the removal of a source, under the lock of the items. Other sources are read in full next time, because ids that
 * were rejected as duplicates are free now. Returns how many items were processed.
 */
export async function endSourceRemoval(
  tx: Queries,
  { id, catalogId, items }: RemovedSourceRow,
  causeRunId?: string,
): Promise<number> {
  const row = await tx.first<{ handled: number }>(
    sql`delete from removed_sources where id = ${id} returning handled`,
  );
  await clearValidators(tx, catalogId, id);
  if (items === "remove")
    await enqueueRender(tx, catalogId, "removal", causeRunId === undefined ? {} : { causeRunId });
  // Conditions of rules may name the source, and the remaining items may be the only variants now.
  await applyRulesAgain(tx, catalogId);
  return row?.handled ?? 0;
}

/**
 * Begins the removal of a catalog. From here on the catalog does not exist: its feeds respond with 404. Returns false
 * if there is no such catalog.
 */
export async function beginCatalogRemoval(tx: Queries, id: string): Promise<boolean> {
  const begun = await tx.execute(sql`
    insert into removed_catalogs (catalog_id) select id from catalogs where id = ${id}
    on conflict (catalog_id) do nothing`);
  if (begun === 0) return false;
  await tx.execute(sql`delete from api_keys where catalog_id = ${id}`);
  return true;
}

/**
 * Stops syncs and deliveries of the catalog. The caller has the lock of the items, because merges change sources too.
 */
export async function deleteCatalogSources(tx: Queries, id: string): Promise<void> {
  await tx.execute(sql`delete from sources where catalog_id = ${id}`);
  await tx.execute(sql`delete from removed_sources where catalog_id = ${id}`);
  await tx.execute(sql`delete from webhook_queue where catalog_id = ${id}`);
  await tx.execute(sql`delete from destinations where catalog_id = ${id}`);
}

type RemovalTable = { readonly table: Sql; readonly key: Sql; readonly first: string; readonly type: Sql };

const byUuid = { first: BEFORE_ALL_IDS, type: sql`uuid` };
const byText = { first: "", type: sql`text` };

/** Tables with many rows per catalog, in the order of their foreign keys. */
const LARGE_TABLES: readonly RemovalTable[] = [
  { table: sql`webhook_attempts`, key: sql`delivery_id`, ...byUuid },
  { table: sql`webhook_deliveries`, key: sql`id`, ...byUuid },
  { table: sql`webhook_events`, key: sql`id`, ...byUuid },
  { table: sql`proposals`, key: sql`item_id`, ...byText },
  { table: sql`model_questions`, key: sql`item_id`, ...byText },
  { table: sql`verdicts`, key: sql`item_id`, ...byText },
  { table: sql`items`, key: sql`id`, ...byText },
];

/** Deletes the catalog's rows of every large table in batches; yields the size of each. */
export async function* deleteCatalogRows(
  db: Queries,
  catalogId: string,
  size = REMOVAL_BATCH,
): AsyncGenerator<number, void, void> {
  for (const { table, key, first, type } of LARGE_TABLES) {
    for (let after: string | null = first; after !== null; ) {
      const batch: { last: string | null; count: number } | undefined = await db.first(sql`
        with part as materialized (
          select ${key} as key from ${table} where catalog_id = ${catalogId} and ${key} > ${after}::${type}
           order by ${key} limit ${size}),
        gone as (delete from ${table} where catalog_id = ${catalogId} and ${key} = any (array(select key from part)))
        select max(key::text collate "C") as last, count(*) as count from part`);
      after = batch?.last ?? null;
      yield batch?.count ?? 0;
    }
  }
}

/** Deletes the catalog's row, and by cascade its small tables. This is the last step. */
export async function endCatalogRemoval(tx: Queries, id: string): Promise<void> {
  await tx.execute(sql`delete from catalogs where id = ${id}`);
}

export type UnfinishedRemoval = { readonly catalogId: string; readonly sourceId: string | null };

/** Lists removals that have no run, because their run failed some time ago. */
export async function unfinishedRemovals(db: Queries, afterS: number): Promise<readonly UnfinishedRemoval[]> {
  return db.query<UnfinishedRemoval>(sql`
    select r.catalog_id, r.source_id
      from (select catalog_id, id as source_id, created_at from removed_sources
             where catalog_id not in (select catalog_id from removed_catalogs)
            union all
            select catalog_id, null, created_at from removed_catalogs) r
     where not ${isRecent(sql`r.created_at`, afterS)}
       and not exists (
         select 1 from runs o
          where o.catalog_id = r.catalog_id and o.kind = 'removal' and o.source_id is not distinct from r.source_id
            and (o.state in ('queued', 'running') or ${isRecent(sql`o.finished_at`, afterS)}))
     limit 100`);
}

/**
 * Removing a source or a catalog with everything in it, in batches that each commit by themselves: none holds a lock for
 * long, and a removal that is interrupted is continued where it stopped.
 */
import { BEFORE_ALL_IDS, newId } from "../lib/id.ts";
import { advanceSnapshot } from "./catalogs.ts";
import type { Queries } from "./db.ts";
import { notify } from "./notices.ts";
import { enqueueRun } from "./runs.ts";
import { forgetValidators } from "./sources.ts";
import type { SourceRow } from "./sources.ts";
import { sql } from "./sql.ts";
import type { Sql } from "./sql.ts";

/** What becomes of a removed source's items: they stay, as nobody's, until someone names them; or they go with it. */
export type ItemsFate = "keep" | "remove";

/** How many items one batch looks at. */
export const REMOVAL_BATCH = 10_000;

export type RemovedSourceRow = {
  readonly id: string;
  readonly catalogId: string;
  readonly items: ItemsFate;
  /** How many items the removal has kept or removed so far. */
  readonly handled: number;
  readonly afterId: string;
};

/** Deletes the source. Its items bear its id until batches have gone over them. */
export async function beginSourceRemoval(
  tx: Queries,
  { id, catalogId, itemCount }: SourceRow,
  items: ItemsFate,
): Promise<void> {
  await tx.execute(sql`delete from sources where id = ${id}`);
  await tx.execute(sql`
    insert into removed_sources (id, catalog_id, items, item_count)
    values (${id}, ${catalogId}, ${items}, ${itemCount})`);
}

export async function holdRemovedSource(tx: Queries, id: string): Promise<RemovedSourceRow | undefined> {
  const rows = await tx.query<RemovedSourceRow>(sql`
    select id, catalog_id as "catalogId", items, handled, after_id as "afterId"
      from removed_sources where id = ${id} for update`);
  return rows[0];
}

/**
 * Goes over the next items of the catalog, under the catalog's lock. True if there may be more. The batch is limited by
 * the items it looks at, not by those that were the source's: a small source in a large catalog is no long scan either.
 */
export async function removeSourceBatch(
  tx: Queries,
  removal: RemovedSourceRow,
  size = REMOVAL_BATCH,
): Promise<boolean> {
  const { id, catalogId, items } = removal;
  const mine = sql`catalog_id = ${catalogId} and id = any (array(select id from part where source_id = ${id}))`;
  const change: Readonly<Record<ItemsFate, Sql>> = {
    keep: sql`update items set source_id = null, is_left_behind = true where ${mine} returning 1`,
    remove: sql`delete from items where ${mine} returning 1`,
  };
  const [batch] = await tx.query<{ last: string | null; seen: number; handled: number }>(sql`
    with part as materialized (
      select id, source_id from items where catalog_id = ${catalogId} and id > ${removal.afterId}
       order by id limit ${size}),
    handled as (${change[items]})
    select (select max(id) from part) as last, (select count(*) from part) as seen,
           (select count(*) from handled) as handled`);
  const { last = null, seen = 0, handled = 0 } = batch ?? {};
  await tx.execute(sql`
    update removed_sources set after_id = coalesce(${last}, after_id), item_count = item_count - ${handled},
                               handled = handled + ${handled}
     where id = ${id}`);
  if (items === "remove" && handled > 0) await advanceSnapshot(tx, catalogId, -handled);
  return seen === size;
}

/**
 * The last step, under the catalog's lock. Other sources are read in full next time, since ids that they were refused are
 * free now; feeds are rendered if items are gone. Says how many items were handled.
 */
export async function endSourceRemoval(
  tx: Queries,
  { id, catalogId, items }: RemovedSourceRow,
  causeRunId?: string,
): Promise<number> {
  const [row] = await tx.query<{ handled: number }>(
    sql`delete from removed_sources where id = ${id} returning handled`,
  );
  await forgetValidators(tx, catalogId, id);
  if (items === "remove")
    await enqueueRun(tx, {
      id: newId(),
      catalogId,
      sourceId: null,
      kind: "render",
      cause: "removal",
      ...(causeRunId !== undefined && { causeRunId }),
    });
  return row?.handled ?? 0;
}

/** From here on the catalog does not exist: its keys are gone, its feeds answer 404. False: no such catalog. */
export async function beginCatalogRemoval(tx: Queries, id: string): Promise<boolean> {
  const begun = await tx.execute(sql`
    insert into removed_catalogs (catalog_id) select id from catalogs where id = ${id}
    on conflict (catalog_id) do nothing`);
  if (begun === 0) return false;
  await tx.execute(sql`delete from api_keys where catalog_id = ${id}`);
  // Servers remember feeds for the time when the database is away.
  await notify(tx, { about: "published", id });
  return true;
}

/** Nothing new is synced or sent for the catalog. Under its lock, as merges change sources too. */
export async function deleteCatalogSources(tx: Queries, id: string): Promise<void> {
  await tx.execute(sql`delete from sources where catalog_id = ${id}`);
  await tx.execute(sql`delete from removed_sources where catalog_id = ${id}`);
  await tx.execute(sql`delete from webhook_queue where catalog_id = ${id}`);
}

type Part = { readonly table: Sql; readonly key: Sql; readonly first: string; readonly type: Sql };

const byUuid = { first: BEFORE_ALL_IDS, type: sql`uuid` };
const byText = { first: "", type: sql`text` };

/** What a catalog may have very much of. Those that refer to others come before them. */
const LARGE_TABLES: readonly Part[] = [
  { table: sql`webhook_attempts`, key: sql`delivery_id`, ...byUuid },
  { table: sql`webhook_deliveries`, key: sql`id`, ...byUuid },
  { table: sql`webhook_events`, key: sql`id`, ...byUuid },
  { table: sql`verdicts`, key: sql`item_id`, ...byText },
  { table: sql`items`, key: sql`id`, ...byText },
];

/** Deletes the catalog's rows of every large table, a batch at each step. */
export async function* deleteCatalogRows(
  db: Queries,
  catalogId: string,
  size = REMOVAL_BATCH,
): AsyncGenerator<number, void, void> {
  for (const { table, key, first, type } of LARGE_TABLES) {
    for (let after: string | null = first; after !== null; ) {
      const rows: readonly { last: string | null; count: number }[] = await db.query(sql`
        with part as materialized (
          select ${key} as key from ${table} where catalog_id = ${catalogId} and ${key} > ${after}::${type}
           order by ${key} limit ${size}),
        gone as (delete from ${table} where catalog_id = ${catalogId} and ${key} = any (array(select key from part)))
        select max(key::text collate "C") as last, count(*) as count from part`);
      after = rows[0]?.last ?? null;
      yield rows[0]?.count ?? 0;
    }
  }
}

/** The last step: the catalog's own row, and with it all that is little. */
export async function endCatalogRemoval(tx: Queries, id: string): Promise<void> {
  await tx.execute(sql`delete from catalogs where id = ${id}`);
}

export type UnfinishedRemoval = { readonly catalogId: string; readonly sourceId: string | null };

/** Removals that have no run: theirs failed, some time ago. */
export async function unfinishedRemovals(db: Queries, afterS: number): Promise<readonly UnfinishedRemoval[]> {
  return db.query<UnfinishedRemoval>(sql`
    select r.catalog_id as "catalogId", r.source_id as "sourceId"
      from (select catalog_id, id as source_id, created_at from removed_sources
             where catalog_id not in (select catalog_id from removed_catalogs)
            union all
            select catalog_id, null, created_at from removed_catalogs) r
     where r.created_at < now() - make_interval(secs => ${afterS})
       and not exists (
         select 1 from runs o
          where o.catalog_id = r.catalog_id and o.kind = 'removal' and o.source_id is not distinct from r.source_id
            and (o.state in ('queued', 'running') or o.finished_at > now() - make_interval(secs => ${afterS})))
     limit 100`);
}

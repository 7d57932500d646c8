/**
 * Copies of a catalog's rows in temporary tables with the names of the real ones: PostgreSQL looks for a name among
 * temporary tables first. In the rest of the transaction every statement reads and writes the copies, so a dry run by
 * the code of the real thing locks no row and waits for none.
 */
import type { Queries } from "./db.ts";
import { type Chosen, chosen } from "./proposal-decisions.ts";
import { type Sql, sql } from "./sql.ts";

type Shadow = { readonly table: Sql; readonly where: Sql };

function shadowsOf(catalogId: string, decided: Sql): readonly Shadow[] {
  const ofCatalog = sql`catalog_id = ${catalogId}`;
  return [
    { table: sql`catalogs`, where: sql`id = ${catalogId}` },
    { table: sql`sources`, where: ofCatalog },
    { table: sql`removed_sources`, where: ofCatalog },
    { table: sql`runs`, where: ofCatalog },
    {
      table: sql`proposals`,
      // Those that a merge reads: the approved ones, and those that were decided on since the effects were applied; and
      // those that the dry run decides on.
      where: sql`${ofCatalog} and (state in ('approved', 'conflicted') or effects_version is not null
                                   or item_id in (select item_id from proposals where ${decided}))`,
    },
    { table: sql`items`, where: ofCatalog },
    { table: sql`item_changes`, where: ofCatalog },
  ];
}

/** Call in a transaction that is rolled back. `which` are the proposals that it decides on. */
export async function shadowTables(tx: Queries, catalogId: string, which?: Chosen): Promise<void> {
  // What is stored, by its own name.
  await tx.execute(sql`create temporary view stored_items as select * from items`);
  const decided = which === undefined ? sql`false` : chosen(catalogId, which);
  for (const { table, where } of shadowsOf(catalogId, decided)) {
    await tx.execute(
      sql`create temporary table shadow (like ${table} including defaults including indexes) on commit drop`,
    );
    await tx.execute(sql`insert into shadow select * from ${table} where ${where}`);
    await tx.execute(sql`analyze shadow`);
    await tx.execute(sql`alter table shadow rename to ${table}`);
  }
}

export type ItemPair = { readonly id: string; readonly before: string; readonly after: string };

/** Staged items that differ from what is stored, with the effective bodies of both. */
export async function changedPairs(
  tx: Queries,
  catalogId: string,
  limit: number,
): Promise<readonly ItemPair[]> {
  return tx.query<ItemPair>(sql`
    with changed as (
      select s.id from staged s join stored_items b on b.catalog_id = ${catalogId} and b.id = s.id
       where b.fingerprint <> s.fingerprint order by s.position limit ${limit})
    select c.id, case when b.effective_from = b.fingerprint then b.effective_body else b.body end as before,
           case when i.effective_from = i.fingerprint then i.effective_body else i.body end as after
      from changed c
      join stored_items b on b.catalog_id = ${catalogId} and b.id = c.id
      join items i on i.catalog_id = ${catalogId} and i.id = c.id
     order by c.id`);
}

export type ItemBody = { readonly id: string; readonly body: string };

/** Items that are new, in the order of the source. */
export async function newItems(tx: Queries, catalogId: string, limit: number): Promise<readonly ItemBody[]> {
  return tx.query<ItemBody>(sql`
    select s.id, s.body from staged s
     where not exists (select 1 from stored_items b where b.catalog_id = ${catalogId} and b.id = s.id)
     order by s.position limit ${limit}`);
}

/** Items that are gone. */
export async function removedItems(
  tx: Queries,
  catalogId: string,
  limit: number,
): Promise<readonly ItemBody[]> {
  return tx.query<ItemBody>(sql`
    select b.id, b.body from stored_items b
     where b.catalog_id = ${catalogId}
       and not exists (select 1 from items i where i.catalog_id = ${catalogId} and i.id = b.id)
     order by b.id limit ${limit}`);
}

/** The sync that has succeeded just now: the audit reads when it was, and what it rejected. */
export async function insertShadowSync(
  tx: Queries,
  run: { readonly id: string; readonly catalogId: string; readonly sourceId: string; readonly stats: string },
): Promise<void> {
  await tx.execute(sql`
    insert into runs (id, catalog_id, source_id, kind, state, cause, stats, created_at, started_at, finished_at)
    values (${run.id}, ${run.catalogId}, ${run.sourceId}, 'sync', 'succeeded', 'request', ${run.stats},
            clock_timestamp(), clock_timestamp(), clock_timestamp())`);
}

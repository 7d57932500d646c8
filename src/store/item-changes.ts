/**
 * The log of changed items: for each snapshot of a catalog the groups in which an item was inserted, deleted or
 * changed, so that a render need not compare all items with those of the render before. A group is named by its sort
 * key: the group's id, or that of an item without a group. Only a log that has a row for every snapshot is used: a
 * change that was not logged leaves a gap.
 */
import type { Queries } from "./db.ts";
import { type Sql, sql } from "./sql.ts";

/** Sort keys in any order, which may repeat; null: too many to list. */
export type ChangedKeys = readonly string[] | null;

/**
 * How many items a change may have for its groups to be listed: with more, a complete comparison is not much more work.
 */
export const MAX_LISTED = 5_000;
/** How many snapshots the log of a catalog has. Renders that are further behind compare all items. */
export const MAX_SNAPSHOTS = 1_000;

/** Null as soon as there are too many. */
export function joinKeys(a: ChangedKeys, b: ChangedKeys): ChangedKeys {
  return a === null || b === null || a.length + b.length > 2 * MAX_LISTED ? null : [...a, ...b];
}

export type ItemsChange = {
  /** How many more items the catalog has. */
  readonly itemDelta: number;
  readonly changed: ChangedKeys;
};

/** Records that the items have changed: the next render must not reuse files. Locks the catalog's row. */
export async function advanceSnapshot(
  tx: Queries,
  id: string,
  { itemDelta, changed }: ItemsChange,
): Promise<void> {
  const keys = changed && [...new Set(changed)];
  await tx.execute(sql`
    with advanced as (
      update catalogs set item_count = item_count + ${itemDelta}, snapshot = snapshot + 1, snapshot_at = now()
       where id = ${id} returning id, snapshot),
    forgotten as (
      delete from item_changes c using advanced a
       where c.catalog_id = a.id and c.snapshot <= a.snapshot - ${MAX_SNAPSHOTS})
    insert into item_changes (catalog_id, snapshot, sort_keys) select id, snapshot, ${keys}::text[] from advanced`);
}

const since = (catalogId: string, snapshot: number): Sql =>
  sql`catalog_id = ${catalogId} and snapshot > ${snapshot}`;

/**
 * The sort keys of the groups that have changed since the catalog had this snapshot, in feed order, without repetition.
 * Undefined if the log cannot tell: a change was too large to list or was not logged, or the log does not reach back
 * that far.
 */
export async function changesSince(
  db: Queries,
  catalogId: string,
  snapshot: number,
): Promise<readonly string[] | undefined> {
  const row = await db.first<{ keys: readonly string[] }>(sql`
    select array(select distinct key from item_changes, unnest(sort_keys) as key
                  where ${since(catalogId, snapshot)} order by key) as keys
      from catalogs c
     where c.id = ${catalogId}
       and c.snapshot - ${snapshot}::bigint =
           (select count(sort_keys) from item_changes where ${since(catalogId, snapshot)})`);
  return row?.keys;
}

/** Deletes what no render asks for any more: one with this snapshot is stored. */
export async function forgetChanges(tx: Queries, catalogId: string, upToSnapshot: number): Promise<void> {
  await tx.execute(sql`
    delete from item_changes where catalog_id = ${catalogId} and snapshot <= ${upToSnapshot}`);
}

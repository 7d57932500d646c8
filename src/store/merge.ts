/**
 * Merges a complete staging table into the catalog, inside the caller's transaction and under the lock of the items.
 * Rows are counted first, and every statement must then change exactly as many; otherwise it throws `ledger_mismatch`
 * and the caller rolls back.
 */
import { AppError } from "../errors.ts";
import type { Queries } from "./db.ts";
import { advanceSnapshot, type ChangedKeys, joinKeys, MAX_LISTED } from "./item-changes.ts";
import { clearValidators } from "./sources.ts";
import { type Sql, sql } from "./sql.ts";

export type MergeScope = {
  readonly catalogId: string;
  /** The owner of the items; null for pushed items. */
  readonly sourceId: string | null;
  /** `replace` deletes the owner's items that are not staged; `patch` keeps these items. */
  readonly mode: "replace" | "patch";
};

export type StagedRow = { readonly position: number; readonly id: string };

/** Rows that were rejected. `sample` has the first of these rows by position. */
export type Rejected<Row extends StagedRow = StagedRow> = {
  readonly count: number;
  readonly sample: readonly Row[];
};

/** A row whose id belongs to another source or to a pushed item. */
export type ForeignRow = StagedRow & { readonly isPushed: boolean; readonly isRemoval: boolean };

/** How many items the owner and the catalog had before the merge. */
export type ItemCounts = { readonly source: number; readonly catalog: number };

/** Joins of so few rows are fast with any plan. */
const FEW = 100;

/**
 * Must be called first. Right after a large sync the planner's statistics are outdated, and a nested loop over staging
 * takes hours. A replacement joins whole tables, so nested loops are disabled; a patch looks up single items, so
 * staging gets an index. Joins are planned by the number of different ids, for which a small sample is enough. A merge
 * into an empty catalog joins nothing.
 */
export async function prepareMerge(
  tx: Queries,
  { mode }: MergeScope,
  { catalog, staged }: Pick<ItemCounts, "catalog"> & { readonly staged: number },
): Promise<void> {
  if (catalog <= FEW && staged <= FEW) return;
  if (mode === "replace") await tx.execute(sql`set local enable_nestloop = off`);
  else await tx.execute(sql`create index staged_by_id on staged (id)`);
  if (catalog === 0) return;
  await tx.execute(sql`alter table staged alter column id set statistics 10`);
  await tx.execute(sql`analyze staged (id)`);
}

/**
 * Assigns staged items of removed sources to the scope's owner. Returns how many more items the owner has: a push
 * already counted orphans as its own, except items of a source whose removal is still running.
 */
export async function claimOrphans(
  tx: Queries,
  { catalogId, sourceId }: MergeScope,
  { catalog, source }: ItemCounts,
): Promise<number> {
  // The source has all items of the catalog, so there are no orphans.
  if (sourceId !== null && catalog === source) return 0;
  const claimed = await tx.execute(sql`
    update items i set source_id = ${sourceId}, is_left_behind = false
      from staged s
     where i.catalog_id = ${catalogId} and i.is_left_behind and i.id = s.id and s.fingerprint is not null`);
  const more = (sourceId === null ? 0 : claimed) + (await claimFromRemovals(tx, { catalogId, sourceId }));
  if (sourceId === null || more === 0) return more;
  await tx.execute(sql`update sources set item_count = item_count + ${more} where id = ${sourceId}`);
  return more;
}

/** Items of a source that is being removed get a new owner, whatever the removal would have done with them. */
async function claimFromRemovals(
  tx: Queries,
  { catalogId, sourceId }: Pick<MergeScope, "catalogId" | "sourceId">,
): Promise<number> {
  const removals = await tx.query<{ id: string }>(
    sql`select id from removed_sources where catalog_id = ${catalogId}`,
  );
  let total = 0;
  for (const { id } of removals) {
    const claimed = await tx.execute(sql`
      update items i set source_id = ${sourceId}, is_left_behind = false
        from staged s
       where i.catalog_id = ${catalogId} and i.source_id = ${id} and i.id = s.id and s.fingerprint is not null`);
    await tx.execute(sql`update removed_sources set item_count = item_count - ${claimed} where id = ${id}`);
    total += claimed;
  }
  return total;
}

export async function rejectDuplicates(tx: Queries, sample: number): Promise<Rejected> {
  return deleteRejected(
    tx,
    sample,
    sql`delete from staged s
         using (select id, min(position) as first from staged group by id having count(*) > 1) repeated
         where s.id = repeated.id and s.position <> repeated.first
         returning s.position, s.id`,
  );
}

/** Deletes rows whose id belongs to another source of the catalog or, for a source, to a pushed item. */
export async function rejectForeign(
  tx: Queries,
  scope: MergeScope,
  sample: number,
): Promise<Rejected<ForeignRow>> {
  return deleteRejected(
    tx,
    sample,
    sql`delete from staged s using items i
         where i.catalog_id = ${scope.catalogId} and i.id = s.id and i.source_id is distinct from ${scope.sourceId}
         returning s.position, s.id, i.source_id is null as is_pushed, s.fingerprint is null as is_removal`,
  );
}

async function deleteRejected<Row extends StagedRow>(
  tx: Queries,
  sample: number,
  deletion: Sql,
): Promise<Rejected<Row>> {
  return rejectedOf(
    await tx.query<Row & { total: number }>(sql`
      with rejected as (${deletion})
      select *, count(*) over () as total from rejected order by position limit ${sample}`),
  );
}

function rejectedOf<Row extends StagedRow>(rows: readonly (Row & { total: number })[]): Rejected<Row> {
  return {
    count: rows[0]?.total ?? 0,
    sample: rows.map(({ total: _total, ...row }) => row as unknown as Row),
  };
}

/** `left`: deletions that were not rejected. `unknown`: deletions of items that do not exist. */
export type Removals = { readonly left: number; readonly unknown: Rejected };

export async function measureRemovals(tx: Queries, catalogId: string, sample: number): Promise<Removals> {
  const row = await tx.first<{ left: number }>(
    sql`select count(*) as left from staged where fingerprint is null`,
  );
  const rows = await tx.query<StagedRow & { total: number }>(sql`
    select position, id, count(*) over () as total from staged s
     where fingerprint is null
       and not exists (select 1 from items i where i.catalog_id = ${catalogId} and i.id = s.id)
     order by position limit ${sample}`);
  return { left: row?.left ?? 0, unknown: rejectedOf(rows) };
}

/** The row's hash, which is valid as long as the item has this fingerprint: `migrations/0019_row_keys.sql`. */
const ROW_KEY = sql`s.row_hash || substr(s.fingerprint, 1, 8)`;
const IS_REHASHED = sql`
  i.fingerprint = s.fingerprint and (i.row_key, i.product_key) is distinct from (${ROW_KEY}, s.product_key)`;

export type MergeCounts = {
  readonly fresh: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
  /** Unchanged items that were read from another row or product than before. */
  readonly rehashed: number;
};

/** Counts the differences. `staged` is the number of staged items, if it is known. */
export async function measureDifference(
  tx: Queries,
  scope: MergeScope,
  had: ItemCounts & { readonly staged?: number | undefined },
): Promise<MergeCounts> {
  if (had.catalog === 0) {
    const fresh = had.staged ?? (await countStagedItems(tx));
    return { fresh, changed: 0, unchanged: 0, removed: 0, rehashed: 0 };
  }
  const row = await tx.first<Omit<MergeCounts, "removed"> & { readonly named: number }>(sql`
    select count(*) filter (where i.id is null and s.fingerprint is not null) as fresh,
           count(*) filter (where i.fingerprint <> s.fingerprint) as changed,
           count(*) filter (where i.fingerprint = s.fingerprint) as unchanged,
           ${scope.sourceId === null ? sql`0::bigint` : sql`count(*) filter (where ${IS_REHASHED})`} as rehashed,
           count(*) filter (where i.id is not null and s.fingerprint is null) as named
      from staged s left join items i on i.catalog_id = ${scope.catalogId} and i.id = s.id`);
  if (!row) throw new AppError("internal", "An aggregate returned no row.");
  const { named, ...counted } = row;
  const removed = scope.mode === "patch" ? named : had.source - row.changed - row.unchanged;
  return { ...counted, removed };
}

async function countStagedItems(tx: Queries): Promise<number> {
  const row = await tx.first<{ items: number }>(sql`select count(fingerprint) as items from staged`);
  return row?.items ?? 0;
}

/**
 * Writes only rows whose fingerprint differs, and returns the sort keys of their groups. `recordDifference` records
 * both at the end, because the catalog's row is locked from then on.
 */
export async function applyDifference(
  tx: Queries,
  scope: MergeScope,
  difference: MergeCounts,
  { catalog }: Pick<ItemCounts, "catalog">,
): Promise<ChangedKeys> {
  const { fresh, changed, removed, rehashed } = difference;
  // A statement that returns nothing is faster.
  const run = catalog > 0 && fresh + changed + removed <= MAX_LISTED ? runListing : runCounting;
  const insert = INSERT[catalog === 0 ? "all" : scope.mode];
  let keys: ChangedKeys = [];
  for (const [what, expected, statement, returned] of [
    ["removed", removed, REMOVE[scope.mode], OWN_KEY],
    ["changed", changed, updateChanged, OLD_AND_NEW_KEY],
    ["new", fresh, insert, INSERTED_KEY],
  ] as const) {
    if (expected === 0) continue;
    const done = await run(tx, statement(scope), returned);
    expectRows(what, expected, done.rows);
    keys = joinKeys(keys, done.keys);
  }
  if (rehashed > 0) expectRows("rehashed", rehashed, await tx.execute(updateRowKeys(scope)));
  return keys;
}

type Done = { readonly rows: number; readonly keys: ChangedKeys };

async function runCounting(tx: Queries, statement: Sql): Promise<Done> {
  return { rows: await tx.execute(statement), keys: null };
}

async function runListing(tx: Queries, statement: Sql, keys: Sql): Promise<Done> {
  const rows = await tx.query<{ keys: readonly string[] }>(sql`${statement} returning ${keys} as keys`);
  return { rows: rows.length, keys: rows.flatMap((row) => row.keys) };
}

const INSERTED_KEY = sql`array[sort_key]`;
const OWN_KEY = sql`array[i.sort_key]`;
// A statement does not see its own changes, so the query finds the key that the item had before.
const OLD_AND_NEW_KEY = sql`
  array[i.sort_key, (select old.sort_key from items old where old.catalog_id = i.catalog_id and old.id = i.id)]`;

type Statement = (scope: MergeScope) => Sql;

const REMOVE: Readonly<Record<MergeScope["mode"], Statement>> = {
  replace: ({ catalogId, sourceId }) => sql`
      delete from items i
       where i.catalog_id = ${catalogId} and i.source_id is not distinct from ${sourceId}
         and not exists (select 1 from staged s where s.id = i.id)`,
  patch: ({ catalogId, sourceId }) => sql`
      delete from items i using staged s
       where i.catalog_id = ${catalogId} and i.source_id is not distinct from ${sourceId}
         and i.id = s.id and s.fingerprint is null`,
};

const updateChanged: Statement = ({ catalogId }) => sql`
    update items i
       set fingerprint = s.fingerprint, sort_key = s.sort_key, group_id = s.group_id, body = s.body,
           row_key = ${ROW_KEY}, product_key = s.product_key
      from staged s
     where i.catalog_id = ${catalogId} and i.id = s.id and i.fingerprint <> s.fingerprint`;

const updateRowKeys: Statement = ({ catalogId }) => sql`
    update items i set row_key = ${ROW_KEY}, product_key = s.product_key from staged s
     where i.catalog_id = ${catalogId} and i.id = s.id and ${IS_REHASHED}`;

const INSERT: Readonly<Record<MergeScope["mode"] | "all", Statement>> = {
  // The catalog is empty, so there is nothing to compare with.
  all: ({ catalogId, sourceId }) => sql`
      insert into items (catalog_id, id, source_id, fingerprint, sort_key, group_id, body, row_key, product_key)
      select ${catalogId}::uuid, s.id, ${sourceId}::uuid, s.fingerprint, s.sort_key, s.group_id, s.body, ${ROW_KEY},
             s.product_key
        from staged s where s.fingerprint is not null`,
  replace: ({ catalogId, sourceId }) => sql`
      insert into items (catalog_id, id, source_id, fingerprint, sort_key, group_id, body, row_key, product_key)
      select ${catalogId}::uuid, s.id, ${sourceId}::uuid, s.fingerprint, s.sort_key, s.group_id, s.body, ${ROW_KEY},
             s.product_key
        from staged s
       where not exists (select 1 from items i where i.catalog_id = ${catalogId} and i.id = s.id)`,
  // Each row has one index lookup, because the cost of a patch must not depend on the size of the catalog.
  patch: ({ catalogId, sourceId }) => sql`
      insert into items (catalog_id, id, source_id, fingerprint, sort_key, group_id, body, row_key, product_key)
      select ${catalogId}::uuid, s.id, ${sourceId}::uuid, s.fingerprint, s.sort_key, s.group_id, s.body, ${ROW_KEY},
             s.product_key
        from staged s where s.fingerprint is not null
      on conflict (catalog_id, id) do nothing`,
};

/** Updates the item counts of the catalog and of the source, and logs the groups that have changed. */
export async function recordDifference(
  tx: Queries,
  scope: MergeScope,
  { fresh, changed, removed }: MergeCounts,
  keys: ChangedKeys,
): Promise<void> {
  const itemDelta = fresh - removed;
  if (fresh + changed + removed > 0) await advanceSnapshot(tx, scope.catalogId, { itemDelta, changed: keys });
  if (fresh !== removed)
    await tx.execute(
      sql`update sources set item_count = item_count + ${fresh - removed} where id = ${scope.sourceId}`,
    );
  if (removed > 0) await clearValidators(tx, scope.catalogId, scope.sourceId);
}

function expectRows(what: string, expected: number, touched: number): void {
  if (touched === expected) return;
  throw new AppError(
    "ledger_mismatch",
    `The merge counted ${expected} ${what} but touched ${touched}, so it was rolled back. Please report this.`,
  );
}

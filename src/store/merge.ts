/**
 * Turns a sealed staging table into the live catalog. Everything here runs inside one transaction of the caller,
 * under the catalog's lock: whoever reads sees the catalog before or after, never between. Counts are taken first
 * and every statement must then touch exactly as many rows as was counted; a difference is `ledger_mismatch`, and
 * the caller's rollback leaves the catalog as it was.
 */
import { AppError } from "../errors.ts";
import { advanceSnapshot } from "./catalogs.ts";
import type { Queries } from "./db.ts";
import { forgetValidators } from "./sources.ts";
import { sql } from "./sql.ts";

export type MergeScope = {
  readonly catalogId: string;
  /** Whose items these are; null for those that were pushed. */
  readonly sourceId: string | null;
  /** What becomes of the owner's items that staging does not name: a whole read removes them, an update keeps them. */
  readonly unnamed: "removed" | "kept";
};

export type StagedRow = { readonly position: number; readonly id: string };

/** Rows that may not enter the catalog. `sample` holds the first of them by position. */
export type Refused<Row extends StagedRow = StagedRow> = {
  readonly count: number;
  readonly sample: readonly Row[];
};

/** A row whose id is somebody else's: a source's, or that of an item which was pushed. */
export type ForeignRow = StagedRow & { readonly isPushed: boolean; readonly isRemoval: boolean };

/**
 * Call first. Right after a large sync the statistics of `items` still say that the catalog is small, and a plan made
 * for that reads all of staging once for every item: hours instead of seconds. A whole read joins whole tables, so
 * loops are ruled out; an update looks single items up, so it gets an index to do that with.
 */
export async function readyToMerge(tx: Queries, { unnamed }: MergeScope): Promise<void> {
  if (unnamed === "removed") await tx.execute(sql`set local enable_nestloop = off`);
  else await tx.execute(sql`create index staged_by_id on staged (id)`);
}

/**
 * Gives the items that a removed source left behind, and that staging names, to the scope's owner. Says how many more
 * the owner has by that. A push counted what was left behind as its own all along; not so the items of a source whose
 * removal still goes on.
 */
export async function adoptLeftBehind(tx: Queries, { catalogId, sourceId }: MergeScope): Promise<number> {
  const adopted = await tx.execute(sql`
    update items i set source_id = ${sourceId}, is_left_behind = false
      from staged s
     where i.catalog_id = ${catalogId} and i.is_left_behind and i.id = s.id and s.fingerprint is not null`);
  const more = (sourceId === null ? 0 : adopted) + (await adoptFromRemovals(tx, { catalogId, sourceId }));
  if (sourceId === null || more === 0) return more;
  await tx.execute(sql`update sources set item_count = item_count + ${more} where id = ${sourceId}`);
  return more;
}

/** Whatever was to become of the items of a source that is being removed: they have a new owner. */
async function adoptFromRemovals(
  tx: Queries,
  { catalogId, sourceId }: Pick<MergeScope, "catalogId" | "sourceId">,
): Promise<number> {
  const removals = await tx.query<{ id: string }>(
    sql`select id from removed_sources where catalog_id = ${catalogId}`,
  );
  let total = 0;
  for (const { id } of removals) {
    const adopted = await tx.execute(sql`
      update items i set source_id = ${sourceId}, is_left_behind = false
        from staged s
       where i.catalog_id = ${catalogId} and i.source_id = ${id} and i.id = s.id and s.fingerprint is not null`);
    await tx.execute(sql`update removed_sources set item_count = item_count - ${adopted} where id = ${id}`);
    total += adopted;
  }
  return total;
}

/** Takes out all but the first of rows that share an id. */
export async function refuseRepeated(tx: Queries, sample: number): Promise<Refused> {
  return refuse(tx, sample, {
    text: `delete from staged s
            using (select id, min(position) as first from staged group by id having count(*) > 1) repeated
            where s.id = repeated.id and s.position <> repeated.first
            returning s.position, s.id`,
    values: [],
  });
}

/** Takes out rows whose id belongs to another source of the catalog, or for a source to an item that was pushed. */
export async function refuseForeign(
  tx: Queries,
  scope: MergeScope,
  sample: number,
): Promise<Refused<ForeignRow>> {
  return refuse(tx, sample, {
    text: `delete from staged s using items i
            where i.catalog_id = $1 and i.id = s.id and i.source_id is distinct from $2
            returning s.position, s.id, i.source_id is null as "isPushed", s.fingerprint is null as "isRemoval"`,
    values: [scope.catalogId, scope.sourceId],
  });
}

/** Runs a statement that deletes rows and returns them. */
async function refuse<Row extends StagedRow>(
  tx: Queries,
  sample: number,
  { text, values }: { text: string; values: unknown[] },
): Promise<Refused<Row>> {
  return refusedOf(
    await tx.query<Row & { total: number }>({
      text: `with refused as (${text})
             select *, count(*) over () as total from refused order by position limit ${sample}`,
      values,
    }),
  );
}

function refusedOf<Row extends StagedRow>(rows: readonly (Row & { total: number })[]): Refused<Row> {
  return {
    count: rows[0]?.total ?? 0,
    sample: rows.map(({ total: _total, ...row }) => row as unknown as Row),
  };
}

/** Removals by name that were not refused, and those among them of items that are not there. */
export type Removals = { readonly left: number; readonly unknown: Refused };

export async function measureRemovals(tx: Queries, catalogId: string, sample: number): Promise<Removals> {
  const [row] = await tx.query<{ left: number }>(
    sql`select count(*) as left from staged where fingerprint is null`,
  );
  const rows = await tx.query<StagedRow & { total: number }>(sql`
    select position, id, count(*) over () as total from staged s
     where fingerprint is null
       and not exists (select 1 from items i where i.catalog_id = ${catalogId} and i.id = s.id)
     order by position limit ${sample}`);
  return { left: row?.left ?? 0, unknown: refusedOf(rows) };
}

/** What a merge would do, counted before it is done. */
export type Difference = {
  readonly fresh: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
};

export async function measureDifference(
  tx: Queries,
  scope: MergeScope,
  had: { readonly source: number; readonly catalog: number },
): Promise<Difference> {
  if (had.catalog === 0) {
    const [row] = await tx.query<{ fresh: number }>(sql`select count(fingerprint) as fresh from staged`);
    return { fresh: row?.fresh ?? 0, changed: 0, unchanged: 0, removed: 0 };
  }
  const [row] = await tx.query<Omit<Difference, "removed"> & { readonly named: number }>(sql`
    select count(*) filter (where i.id is null and s.fingerprint is not null) as fresh,
           count(*) filter (where i.fingerprint <> s.fingerprint) as changed,
           count(*) filter (where i.fingerprint = s.fingerprint) as unchanged,
           count(*) filter (where i.id is not null and s.fingerprint is null) as named
      from staged s left join items i on i.catalog_id = ${scope.catalogId} and i.id = s.id`);
  if (!row) throw new AppError("internal", "An aggregate returned no row.");
  const { named, ...counted } = row;
  const removed = scope.unnamed === "kept" ? named : had.source - row.changed - row.unchanged;
  return { ...counted, removed };
}

/** Writes only what differs. Rows whose fingerprint is the same are not touched at all. */
export async function applyDifference(tx: Queries, scope: MergeScope, difference: Difference): Promise<void> {
  const { fresh, changed, removed } = difference;
  if (removed > 0) expectRows("removed", removed, await REMOVE[scope.unnamed](tx, scope));
  if (changed > 0) expectRows("changed", changed, await updateChanged(tx, scope));
  if (fresh > 0) expectRows("new", fresh, await INSERT[scope.unnamed](tx, scope));
  await keepCounts(tx, scope, difference);
}

type Statement = (tx: Queries, scope: MergeScope) => Promise<number>;

const REMOVE: Readonly<Record<MergeScope["unnamed"], Statement>> = {
  removed: async (tx, { catalogId, sourceId }) =>
    tx.execute(sql`
      delete from items i
       where i.catalog_id = ${catalogId} and i.source_id is not distinct from ${sourceId}
         and not exists (select 1 from staged s where s.id = i.id)`),
  kept: async (tx, { catalogId, sourceId }) =>
    tx.execute(sql`
      delete from items i using staged s
       where i.catalog_id = ${catalogId} and i.source_id is not distinct from ${sourceId}
         and i.id = s.id and s.fingerprint is null`),
};

const updateChanged: Statement = async (tx, { catalogId }) =>
  tx.execute(sql`
    update items i
       set fingerprint = s.fingerprint, sort_key = s.sort_key, group_id = s.group_id, body = s.body
      from staged s
     where i.catalog_id = ${catalogId} and i.id = s.id and i.fingerprint <> s.fingerprint`);

const INSERT: Readonly<Record<MergeScope["unnamed"], Statement>> = {
  removed: async (tx, { catalogId, sourceId }) =>
    tx.execute(sql`
      insert into items (catalog_id, id, source_id, fingerprint, sort_key, group_id, body)
      select ${catalogId}::uuid, s.id, ${sourceId}::uuid, s.fingerprint, s.sort_key, s.group_id, s.body
        from staged s
       where not exists (select 1 from items i where i.catalog_id = ${catalogId} and i.id = s.id)`),
  // One look at the key a row: what an update costs must not depend on how large the catalog is.
  kept: async (tx, { catalogId, sourceId }) =>
    tx.execute(sql`
      insert into items (catalog_id, id, source_id, fingerprint, sort_key, group_id, body)
      select ${catalogId}::uuid, s.id, ${sourceId}::uuid, s.fingerprint, s.sort_key, s.group_id, s.body
        from staged s where s.fingerprint is not null
      on conflict (catalog_id, id) do nothing`),
};

async function keepCounts(
  tx: Queries,
  scope: MergeScope,
  { fresh, changed, removed }: Difference,
): Promise<void> {
  if (fresh + changed + removed > 0) await advanceSnapshot(tx, scope.catalogId, fresh - removed);
  await tx.execute(
    sql`update sources set item_count = item_count + ${fresh - removed} where id = ${scope.sourceId}`,
  );
  if (removed > 0) await forgetValidators(tx, scope.catalogId, scope.sourceId);
}

function expectRows(what: string, expected: number, touched: number): void {
  if (touched === expected) return;
  throw new AppError(
    "ledger_mismatch",
    `The merge counted ${expected} ${what} but touched ${touched}, so it was undone. Please report this.`,
  );
}

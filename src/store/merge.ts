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

export type MergeScope = { readonly catalogId: string; readonly sourceId: string };

/** Rows that may not enter the catalog. `sample` holds the first of them by position. */
export type Refused = {
  readonly count: number;
  readonly sample: readonly { position: number; id: string }[];
};

/** Takes out all but the first of rows that share an id. */
export async function refuseRepeated(tx: Queries, sample: number): Promise<Refused> {
  return refuse(tx, sample, {
    text: `delete from staged s
            using (select id, min(position) as first from staged group by id having count(*) > 1) repeated
            where s.id = repeated.id and s.position <> repeated.first`,
    values: [],
  });
}

/** Takes out rows whose id belongs to another source of the catalog. */
export async function refuseForeign(tx: Queries, scope: MergeScope, sample: number): Promise<Refused> {
  return refuse(tx, sample, {
    text: `delete from staged s using items i
            where i.catalog_id = $1 and i.id = s.id and i.source_id is distinct from $2`,
    values: [scope.catalogId, scope.sourceId],
  });
}

async function refuse(
  tx: Queries,
  sample: number,
  statement: { text: string; values: unknown[] },
): Promise<Refused> {
  const rows = await tx.query<{ position: number; id: string; total: number }>({
    text: `with refused as (${statement.text} returning s.position, s.id)
           select position, id, count(*) over () as total from refused order by position limit ${sample}`,
    values: statement.values,
  });
  return { count: rows[0]?.total ?? 0, sample: rows.map(({ position, id }) => ({ position, id })) };
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
    const [row] = await tx.query<{ fresh: number }>(sql`select count(*) as fresh from staged`);
    return { fresh: row?.fresh ?? 0, changed: 0, unchanged: 0, removed: 0 };
  }
  const [row] = await tx.query<Omit<Difference, "removed">>(sql`
    select count(*) filter (where i.id is null) as fresh,
           count(*) filter (where i.fingerprint <> s.fingerprint) as changed,
           count(*) filter (where i.fingerprint = s.fingerprint) as unchanged
      from staged s left join items i on i.catalog_id = ${scope.catalogId} and i.id = s.id`);
  if (!row) throw new AppError("internal", "An aggregate returned no row.");
  return { ...row, removed: had.source - row.changed - row.unchanged };
}

/** Writes only what differs. Rows whose fingerprint is the same are not touched at all. */
export async function applyDifference(tx: Queries, scope: MergeScope, difference: Difference): Promise<void> {
  const { catalogId, sourceId } = scope;
  if (difference.removed > 0) {
    expectRows(
      "removed",
      difference.removed,
      await tx.execute(sql`
      delete from items i
       where i.catalog_id = ${catalogId} and i.source_id = ${sourceId}
         and not exists (select 1 from staged s where s.id = i.id)`),
    );
  }
  if (difference.changed > 0) {
    expectRows(
      "changed",
      difference.changed,
      await tx.execute(sql`
      update items i
         set fingerprint = s.fingerprint, sort_key = s.sort_key, group_id = s.group_id, body = s.body
        from staged s
       where i.catalog_id = ${catalogId} and i.id = s.id and i.fingerprint <> s.fingerprint`),
    );
  }
  if (difference.fresh > 0) {
    // Planned while the table is empty, a nested loop looks free; it then reads the growing table once a row.
    await tx.execute(sql`set local enable_nestloop = off`);
    expectRows(
      "new",
      difference.fresh,
      await tx.execute(sql`
      insert into items (catalog_id, id, source_id, fingerprint, sort_key, group_id, body)
      select ${catalogId}::uuid, s.id, ${sourceId}::uuid, s.fingerprint, s.sort_key, s.group_id, s.body
        from staged s
       where not exists (select 1 from items i where i.catalog_id = ${catalogId} and i.id = s.id)`),
    );
  }
  await keepCounts(tx, scope, difference);
}

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
    `The merge counted ${expected} ${what} items but touched ${touched}, so it was undone. Please report this.`,
  );
}

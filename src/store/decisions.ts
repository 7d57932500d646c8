/**
 * Changes of rules, category mappings and approved proposals, and rejections. A call has one row, however many values
 * it is about.
 */
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

export type DecisionRow = {
  readonly id: string;
  readonly action: "rules" | "categories" | "approve" | "reject" | "withdraw";
  /** The number of changes: a saved rule set, a category path and a proposal each count as one. */
  readonly changes: number;
  /** The version of the effects after the decision; null if no effective item can have changed. */
  readonly version: number | null;
};

/** How many decisions are kept for a catalog. */
const MAX_DECISIONS = 1_000;

export async function insertDecision(
  tx: Queries,
  catalogId: string,
  { id, action, changes, version }: DecisionRow,
): Promise<void> {
  await tx.execute(sql`
    insert into decisions (id, catalog_id, action, changes, version)
    values (${id}, ${catalogId}, ${action}, ${changes}, ${version})`);
  await tx.execute(sql`
    delete from decisions where catalog_id = ${catalogId} and id <=
      (select id from decisions where catalog_id = ${catalogId} order by id desc offset ${MAX_DECISIONS} limit 1)`);
}

/** Adds to a decision that is made in several steps. */
export async function addToDecision(
  tx: Queries,
  { id, changes, version }: Pick<DecisionRow, "id" | "changes" | "version">,
): Promise<void> {
  await tx.execute(sql`
    update decisions set changes = changes + ${changes}, version = coalesce(${version}, version) where id = ${id}`);
}

/** Finds a decision about proposals. */
export async function findDecision(
  db: Queries,
  catalogId: string,
  id: string,
): Promise<(DecisionRow & { readonly isUndone: boolean }) | undefined> {
  return db.first(sql`
    select id, action, changes, version, undone_at is not null as is_undone
      from decisions
     where catalog_id = ${catalogId} and id = ${id} and action in ('approve', 'reject', 'withdraw')`);
}

export async function markUndone(
  tx: Queries,
  { id, version }: { readonly id: string; readonly version: number | null },
): Promise<void> {
  await tx.execute(sql`
    update decisions set undone_at = clock_timestamp(), undone_version = ${version} where id = ${id}`);
}

/**
 * Counts the changes since this version of the effects, which the published files do not show yet. A change that was
 * undone before it was published is not counted.
 */
export async function countChangesSince(db: Queries, catalogId: string, version: number): Promise<number> {
  const row = await db.first<{ changes: number }>(sql`
    select coalesce(sum(changes), 0)::bigint as changes from decisions
     where catalog_id = ${catalogId} and version is not null
       and (version > ${version}) <> (coalesce(undone_version, 0) > ${version})`);
  return row?.changes ?? 0;
}

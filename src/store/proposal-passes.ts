/** The texts that the last complete pass of the extractors over a catalog has read, as hashes. */
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

export const GROUP_HASH_BYTES = 16;

export type PassRecord = {
  readonly runId: string;
  /** Null while a pass is running, and after a pass that did not end. */
  readonly context: Buffer | null;
  readonly groups: number;
};

export async function findPass(db: Queries, catalogId: string): Promise<PassRecord | undefined> {
  return db.first<PassRecord>(sql`
    select run_id, context, groups from proposal_passes where catalog_id = ${catalogId}`);
}

/**
 * Forgets the last pass. Nothing is known until the new pass ends. If the run begins again, what it has read before
 * does not count.
 */
export async function beginPass(db: Queries, catalogId: string, runId: string): Promise<void> {
  await db.execute(sql`
    insert into proposal_passes (catalog_id, run_id) values (${catalogId}, ${runId})
    on conflict (catalog_id) do update set context = null, run_id = excluded.run_id`);
  await db.execute(
    sql`delete from proposal_pass_groups where catalog_id = ${catalogId} and run_id = ${runId}`,
  );
}

export async function savePassPart(
  db: Queries,
  pass: { readonly catalogId: string; readonly runId: string; readonly part: number },
  hashes: Buffer,
): Promise<void> {
  const { catalogId, runId, part } = pass;
  await db.execute(sql`
    insert into proposal_pass_groups (catalog_id, run_id, part, hashes)
    values (${catalogId}, ${runId}, ${part}, ${hashes})
    on conflict (catalog_id, run_id, part) do update set hashes = excluded.hashes`);
}

/** Records the end of a pass and deletes the parts of other passes. */
export async function endPass(
  tx: Queries,
  catalogId: string,
  { runId, context, groups }: PassRecord,
): Promise<void> {
  await tx.execute(sql`
    update proposal_passes set context = ${context}, groups = ${groups}
     where catalog_id = ${catalogId} and run_id = ${runId}`);
  await tx.execute(sql`
    delete from proposal_pass_groups where catalog_id = ${catalogId} and run_id <> ${runId}`);
}

/** Yields the hashes of a pass, in parts. */
export async function* eachPassPart(db: Queries, catalogId: string, runId: string): AsyncGenerator<Buffer> {
  for (let part = 0; ; part += 1) {
    const row = await db.first<{ hashes: Buffer }>(sql`
      select hashes from proposal_pass_groups
       where catalog_id = ${catalogId} and run_id = ${runId} and part = ${part}`);
    if (!row) return;
    yield row.hashes;
  }
}

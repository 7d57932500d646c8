/**
 * The rejections and warnings of syncs and pushes, for the newest runs of each source. One compressed value per run: a
 * sync of an unchanged file has those of the sync before, and copies them.
 */
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import type { SyncIssue } from "../contract/runs.ts";
import type { Queries } from "./db.ts";
import type { Run } from "./runs.ts";
import { sql } from "./sql.ts";

/** Of so many runs of a source, or pushes of a catalog, all are kept; of older ones those in the statistics. */
const KEPT_RUNS = 3;

type RunOfSource = Pick<Run, "id" | "catalogId" | "sourceId">;

export async function saveIssues(tx: Queries, run: RunOfSource, issues: readonly SyncIssue[]): Promise<void> {
  const packed = await promisify(zstdCompress)(JSON.stringify(issues));
  await tx.execute(sql`
    insert into run_issues (run_id, issues) values (${run.id}, ${packed})
    on conflict (run_id) do update set issues = excluded.issues`);
  await pruneIssues(tx, run);
}

export async function copyIssues(tx: Queries, from: string, run: RunOfSource): Promise<void> {
  const copied = await tx.execute(sql`
    insert into run_issues (run_id, issues) select ${run.id}, issues from run_issues where run_id = ${from}`);
  if (copied > 0) await pruneIssues(tx, run);
}

async function pruneIssues(tx: Queries, { catalogId, sourceId }: RunOfSource): Promise<void> {
  await tx.execute(sql`
    delete from run_issues where run_id in (
      select id from runs
       where catalog_id = ${catalogId} and kind = 'sync' and source_id is not distinct from ${sourceId}::uuid
       order by created_at desc, id desc offset ${KEPT_RUNS})`);
}

/** Undefined if the run has no more than its statistics list. */
export async function findIssues(db: Queries, runId: string): Promise<readonly SyncIssue[] | undefined> {
  const row = await db.first<{ issues: Buffer }>(sql`select issues from run_issues where run_id = ${runId}`);
  if (!row) return undefined;
  const text = (await promisify(zstdDecompress)(row.issues)).toString();
  return JSON.parse(text) as readonly SyncIssue[];
}

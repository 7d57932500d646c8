/** The requests of dry runs. */
import type { Queries } from "./db.ts";
import { enqueueRun, type NewRun } from "./runs.ts";
import { sql } from "./sql.ts";

/** Queues a dry run. `request` is JSON. */
export async function enqueuePlan(
  tx: Queries,
  run: Pick<NewRun, "id" | "catalogId" | "cause">,
  request: string,
): Promise<void> {
  await enqueueRun(tx, { ...run, sourceId: null, kind: "plan" });
  await tx.execute(sql`insert into plans (run_id, request) values (${run.id}, ${request})`);
}

export async function findPlan(db: Queries, runId: string): Promise<string | undefined> {
  const row = await db.first<{ request: string }>(sql`select request from plans where run_id = ${runId}`);
  return row?.request;
}

/** The events of runs that failed for good, appended in the transaction that ends the run. */
import type { RenderFailed, SyncFailed } from "../contract/events.ts";
import type { Queries } from "../store/db.ts";
import type { Run, RunError } from "../store/runs.ts";
import { appendEvent } from "../webhooks/events.sql.ts";

export type FailedRun = Pick<Run, "id" | "catalogId" | "sourceId" | "kind" | "createdAt" | "startedAt"> & {
  readonly error: RunError;
  readonly finishedAt: Date;
};

/** What a user has ended (canceled, removed) is not announced. */
export async function announceFailedRun(tx: Queries, run: FailedRun): Promise<void> {
  const { id, catalogId, sourceId, kind, error, createdAt, startedAt, finishedAt } = run;
  const common: RenderFailed = {
    run_id: id,
    status: "failed",
    error: { code: error.code, message: error.message },
    started_at: (startedAt ?? createdAt).toISOString(),
    finished_at: finishedAt.toISOString(),
  };
  const when = { catalogId, createdAt: finishedAt };
  if (kind === "sync") {
    const data: SyncFailed = { ...common, source_id: sourceId };
    await appendEvent(tx, { type: "shelfwire.sync.failed", data, ...when });
  }
  if (kind === "render") await appendEvent(tx, { type: "shelfwire.render.failed", data: common, ...when });
}

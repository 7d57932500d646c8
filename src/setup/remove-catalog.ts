/** Removes a catalog with its items, sources, keys, webhooks, history and feeds. */
import { AppError } from "../errors.ts";
import { newId } from "../lib/id.ts";
import { findCatalog } from "../store/catalogs.ts";
import type { Db } from "../store/db.ts";
import { publishedEverywhere } from "../store/feed-files.ts";
import { beginCatalogRemoval } from "../store/removals.ts";
import { enqueueRun, failOpenRuns } from "../store/runs.ts";

export type RemovedCatalog = {
  /** How many items it had. */
  readonly items: number;
  /** The run that deletes the rows. It is deleted with the last of them. */
  readonly runId: string;
};

/** When this returns, the catalog no longer exists for any list, key, feed or sync. A worker deletes its rows. */
export async function removeCatalog(db: Db, id: string): Promise<RemovedCatalog> {
  const removed = await db.tx(async (tx) => {
    const catalog = await findCatalog(tx, id);
    if (!catalog || !(await beginCatalogRemoval(tx, id)))
      throw new AppError("not_found", "There is no such catalog.");
    await failOpenRuns(tx, id, {
      code: "not_found",
      message: "The catalog was removed while this was open.",
    });
    const runId = newId();
    await enqueueRun(tx, { id: runId, catalogId: id, sourceId: null, kind: "removal", cause: "removal" });
    return { items: catalog.itemCount, runId };
  });
  await publishedEverywhere();
  return removed;
}

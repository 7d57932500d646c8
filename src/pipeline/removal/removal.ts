/**
 * Deletes the rows of a removed source or catalog in batches. A removal whose worker dies is continued by the next
 * claim.
 */
import { AppError } from "../../errors.ts";
import { hasCatalog, lockItems } from "../../store/catalogs.ts";
import type { Db, Queries } from "../../store/db.ts";
import {
  deleteCatalogRows,
  deleteCatalogSources,
  endCatalogRemoval,
  endSourceRemoval,
  lockRemovedSource,
  REMOVAL_BATCH,
  removeSourceBatch,
} from "../../store/removals.ts";
import type { Job, JobDeps } from "../job.ts";

export async function runRemoval(deps: JobDeps, job: Job): Promise<object> {
  const { sourceId, catalogId } = job.run;
  return sourceId === null
    ? removeCatalogRows(deps, job, catalogId)
    : removeSourceItems(deps.db, job, sourceId);
}

async function removeSourceItems(db: Db, job: Job, sourceId: string): Promise<object> {
  const { catalogId, id: runId } = job.run;
  let handled = 0;
  job.progress(() => ({ items: handled }), "removing");
  for (let hasMore = true; hasMore; ) {
    job.signal.throwIfAborted();
    hasMore = await db.tx(async (tx) => {
      await lock(tx, catalogId);
      const removal = await lockRemovedSource(tx, sourceId);
      if (!removal) return false;
      handled = removal.handled;
      return removeSourceBatch(tx, removal);
    });
  }
  return db.tx(async (tx) => {
    await lock(tx, catalogId);
    const removal = await lockRemovedSource(tx, sourceId);
    const items = removal ? await endSourceRemoval(tx, removal, runId) : 0;
    const stats = removal?.items === "keep" ? { items_kept: items } : { items_removed: items };
    await job.finish(tx, { state: "succeeded", stats });
    return stats;
  });
}

async function removeCatalogRows({ db, folders }: JobDeps, job: Job, catalogId: string): Promise<object> {
  let rows = 0;
  job.progress(() => ({ rows }), "removing");
  await db.tx(async (tx) => {
    await lock(tx, catalogId);
    await deleteCatalogSources(tx, catalogId);
  });
  for await (const count of deleteCatalogRows(db, catalogId, REMOVAL_BATCH)) {
    rows += count;
    job.signal.throwIfAborted();
  }
  const sweep = async () => folders.sweep(catalogId, async () => new Set());
  // Before the row is deleted, since nothing finds these files afterwards; and after it, for a render that was
  // running.
  await sweep();
  await db.tx(async (tx) => {
    await lock(tx, catalogId);
    await job.finish(tx, { state: "succeeded", stats: { rows } });
    await endCatalogRemoval(tx, catalogId);
  });
  await sweep();
  return { rows };
}

async function lock(tx: Queries, catalogId: string): Promise<void> {
  await lockItems(tx, catalogId);
  if (!(await hasCatalog(tx, catalogId))) throw new AppError("not_found", "The catalog does not exist.");
}

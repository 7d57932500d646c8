/**
 * A rollback publishes the files of an earlier render again and pauses publication: renders are held until a person releases it.
 * It is a render of its own, which uses the files of another one. So the newest render that succeeded is what the URLs serve, and
 * files that differ from those before have a new date: a client that asks "changed since?" gets them.
 */
import { AppError } from "../../errors.ts";
import { newId } from "../../lib/id.ts";
import type { FeedFolders } from "../../publish/local-files.ts";
import { findCatalog, lockCatalog } from "../../store/catalogs.ts";
import type { Db, Queries } from "../../store/db.ts";
import {
  type FeedFileRow,
  insertFeedFiles,
  listFeedFiles,
  publishedEverywhere,
} from "../../store/feed-files.ts";
import { pausePublication, releasePublication } from "../../store/publication-pauses.ts";
import { type Decision, findRender, recordRender, type RenderRecord } from "../../store/renders.ts";
import { findRunOf, recordRollbackRun } from "../../store/run-history.ts";
import { enqueueRender } from "../../store/runs.ts";
import { announcePublished, publishedNow, type PublishDeps, type RenderStats } from "./publish.ts";
import { renderGone } from "./kept-render.ts";
import { requireUndamaged } from "./stored-bytes.ts";

export type Rollback = Decision & { readonly catalogId: string; readonly runId: string };

/** Returns the run that serves the files from now on. */
export async function rollBack(
  deps: PublishDeps & { readonly db: Db; readonly folders: FeedFolders },
  { catalogId, runId, reason, by }: Rollback,
): Promise<string> {
  const id = newId();
  await requirePublished(deps.db, catalogId, runId);
  await requireUndamaged(deps, catalogId, runId);
  await deps.db.tx(async (tx) => {
    // No render ends meanwhile, and no files are removed.
    await lockCatalog(tx, catalogId);
    const catalog = await findCatalog(tx, catalogId);
    if (!catalog) throw new AppError("not_found", "There is no such catalog.");
    const { render, stats } = await requirePublished(tx, catalogId, runId);
    const stored = await storedFiles(tx, deps.folders, render);
    const current = catalog.publishedRunId === null ? [] : await listFeedFiles(tx, catalog.publishedRunId);
    const at = new Date();
    const files = stored.map((file) => publishedNow(file, current, at));
    await recordRollbackRun(tx, { id, catalogId, stats, at });
    await insertFeedFiles(tx, id, files);
    const decision = { decidedAt: at, decidedBy: by.name, decidedKeyId: by.keyId, reason };
    const { folder } = render;
    const record = { runId: id, catalogId, folder, figures: null, exceeded: [], restores: runId, decision };
    await recordRender(tx, { ...record, state: "published" });
    await announcePublished(tx, deps, { catalog, runId: id, files, stats, startedAt: at, finishedAt: at });
    await pausePublication(tx, catalogId, { reason, by });
  });
  await publishedEverywhere();
  return id;
}

/** Ends the pause and queues a render; returns its run. */
export async function releaseCatalog(db: Db, catalogId: string): Promise<string> {
  return db.tx(async (tx) => {
    if (!(await releasePublication(tx, catalogId)))
      throw new AppError("conflict", "Publication is not paused, so there is nothing to release.");
    return enqueueRender(tx, catalogId, "release");
  });
}

const WHY_NOT = {
  held: "This render is held and was never published. Promote it if its files are right.",
  discarded: "This render was discarded and never published. Choose one that was.",
  superseded: "This render was held and never published. Choose one that was.",
} as const;

async function requirePublished(
  db: Queries,
  catalogId: string,
  runId: string,
): Promise<{ readonly render: RenderRecord; readonly stats: RenderStats }> {
  const run = await findRunOf(db, { catalogId, id: runId, kind: "render" });
  if (!run) throw new AppError("not_found", `This catalog has no render ${runId}.`);
  const render = await findRender(db, runId);
  if (!render)
    throw new AppError(
      "conflict",
      "This render has no files: it failed, or is not finished. Choose another one.",
    );
  if (render.state !== "published") throw new AppError("conflict", WHY_NOT[render.state]);
  // The note about limits belongs to the publication before, which was looked at.
  const { guard: _note, ...stats } = run.stats as RenderStats;
  return { render, stats };
}

/** The files of a render, which must all be there. */
async function storedFiles(
  tx: Queries,
  folders: FeedFolders,
  { runId, catalogId, removedAt }: RenderRecord,
): Promise<readonly FeedFileRow[]> {
  const files = await listFeedFiles(tx, runId);
  const isThere = await Promise.all(
    files.map(async ({ folder, file }) => folders.has({ catalogId, folder, file })),
  );
  if (removedAt === null && files.length > 0 && isThere.every(Boolean)) return files;
  throw renderGone(`The files of the render ${runId} are no longer kept.`);
}

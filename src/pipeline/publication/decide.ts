/**
 * What a person decides about renders: a held one is promoted or discarded, an earlier one is published again.
 *
 * A rollback publishes the files of an earlier render and pauses publication: renders are held until a person releases
 * it. It is a render of its own, which uses the files of another one. So the newest render that was published is what
 * the URLs serve.
 */
import { AppError } from "../../errors.ts";
import { newId } from "../../lib/id.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import { type Catalog, findCatalog, lockCatalog } from "../../store/catalogs.ts";
import type { Db, Queries } from "../../store/db.ts";
import { type FeedFileRow, listFeedFiles, publishedEverywhere } from "../../store/feed-files.ts";
import { pausePublication, releasePublication } from "../../store/publication-pauses.ts";
import {
  type RenderDecision,
  findDiscardedRender,
  findRender,
  type RenderRecord,
} from "../../store/renders.ts";
import { findRunOf, recordRollbackRun, type RunDetail } from "../../store/run-history.ts";
import { enqueueRender } from "../../store/runs.ts";
import type { RenderStats } from "../render/render.ts";
import { renderGone } from "./kept-render.ts";
import { decisionNow, discard, publish, type PublishDeps } from "./publish.ts";
import { requireUndamaged } from "./stored-bytes.ts";

export type DecidedRender = RenderDecision & { readonly catalogId: string; readonly runId: string };

type DecideDeps = PublishDeps & { readonly db: Db; readonly folders: FeedFolders };

/**
 * Publishes the files of a held render, as if it had been inside the limits; also of one that was discarded by mistake.
 */
export async function promoteRender(deps: DecideDeps, decided: DecidedRender): Promise<void> {
  const { catalogId, runId } = decided;
  const requirePromotable = async (db: Queries): Promise<StoredRender> => {
    const { run, render } = await requireRender(db, catalogId, runId);
    const discarded = await findDiscardedRender(db, catalogId);
    if (render.state !== "held" && discarded?.runId !== runId)
      throw new AppError("conflict", notHeld(render));
    return { run, render };
  };
  await requirePromotable(deps.db);
  await requireUndamaged(deps, catalogId, runId);
  await deps.db.tx(async (tx) => {
    const catalog = await lockedCatalog(tx, catalogId);
    const { run, render } = await requirePromotable(tx);
    const { files, missing } = await storedFiles(tx, deps.folders, render);
    if (missing !== undefined)
      throw new AppError(
        "conflict",
        `${missing} of this render is no longer on disk. Render the feeds again.`,
      );
    const candidate = { ...render, catalog, files, stats: run.stats as RenderStats };
    // The publication is now: receivers order events by time, and caches files.
    const times = { startedAt: run.startedAt ?? run.createdAt, finishedAt: new Date() };
    await publish(tx, deps, { ...candidate, decision: decisionNow(decided) }, times);
  });
  await publishedEverywhere();
}

/** The published files stay. */
export async function discardRender(db: Db, decided: DecidedRender): Promise<void> {
  const { catalogId, runId } = decided;
  await db.tx(async (tx) => {
    await lockCatalog(tx, catalogId);
    const { render } = await requireRender(tx, catalogId, runId);
    if (render.state !== "held") throw new AppError("conflict", notHeld(render));
    await discard(tx, render, decided);
  });
}

function notHeld({ state, publishedAt }: RenderRecord): string {
  if (publishedAt !== null) return "This render is or was published; there is nothing to decide.";
  return state === "discarded"
    ? "This render was discarded already."
    : "A newer render has taken the place of this one. Look at the newest one.";
}

/** Returns the run that serves the files from now on. */
export async function rollBack(deps: DecideDeps, decided: DecidedRender): Promise<string> {
  const { catalogId, runId } = decided;
  const id = newId();
  await requirePublished(deps.db, catalogId, runId);
  await requireUndamaged(deps, catalogId, runId);
  await deps.db.tx(async (tx) => {
    const catalog = await lockedCatalog(tx, catalogId);
    const { run, render } = await requirePublished(tx, catalogId, runId);
    const { files, missing } = await storedFiles(tx, deps.folders, render);
    if (render.removedAt !== null || files.length === 0 || missing !== undefined)
      throw renderGone(`The files of the render ${runId} are no longer kept.`);
    // The note about limits belongs to the publication before, which was looked at.
    const { guard: _note, ...stats } = run.stats as RenderStats;
    const at = new Date();
    await recordRollbackRun(tx, { id, catalogId, stats, at });
    const candidate = { runId: id, catalog, files, stats, exceeded: [], restores: runId };
    const decision = decisionNow(decided);
    await publish(tx, deps, { ...candidate, decision }, { startedAt: at, finishedAt: at });
    await pausePublication(tx, catalogId, decided);
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

async function requirePublished(db: Queries, catalogId: string, runId: string): Promise<StoredRender> {
  const stored = await requireRender(db, catalogId, runId);
  const { state, publishedAt } = stored.render;
  if (publishedAt !== null) return stored;
  const why = {
    held: "This render is held and was never published. Promote it if its files are right.",
    discarded: "This render was discarded and never published. Choose one that was.",
    superseded: "This render was held and never published. Choose one that was.",
    published: "",
  };
  throw new AppError("conflict", why[state]);
}

type StoredRender = { readonly run: RunDetail; readonly render: RenderRecord };

async function requireRender(db: Queries, catalogId: string, runId: string): Promise<StoredRender> {
  const run = await findRunOf(db, { catalogId, id: runId, kind: "render" });
  if (!run) throw new AppError("not_found", `This catalog has no render ${runId}.`);
  const render = await findRender(db, runId);
  if (render) return { run, render };
  throw new AppError(
    "conflict",
    "This render has no files: it failed, or is not finished. Choose another one.",
  );
}

/** Under its lock: no render ends meanwhile, and no files are removed. */
async function lockedCatalog(tx: Queries, catalogId: string): Promise<Catalog> {
  await lockCatalog(tx, catalogId);
  const catalog = await findCatalog(tx, catalogId);
  if (!catalog) throw new AppError("not_found", "There is no such catalog.");
  return catalog;
}

/** The files of a render, and the first one that is not on disk. */
async function storedFiles(
  tx: Queries,
  folders: FeedFolders,
  { runId, catalogId }: RenderRecord,
): Promise<{ readonly files: readonly FeedFileRow[]; readonly missing: string | undefined }> {
  const files = await listFeedFiles(tx, runId);
  for (const { folder, file } of files)
    if (!(await folders.has({ catalogId, folder, file }))) return { files, missing: file };
  return { files, missing: undefined };
}

/** A person decides about a held render: it is promoted, which publishes its files, or discarded. */
import { AppError } from "../../errors.ts";
import type { FeedFolders } from "../../publish/local-files.ts";
import { findCatalog, lockCatalog } from "../../store/catalogs.ts";
import type { Db, Queries } from "../../store/db.ts";
import { listFeedFiles, publishedEverywhere, updateFeedFile } from "../../store/feed-files.ts";
import {
  decideRender,
  type Decision,
  findDiscardedRender,
  findRender,
  markRunPromoted,
} from "../../store/renders.ts";
import { findRunOf } from "../../store/run-history.ts";
import { requireUndamaged } from "./stored-bytes.ts";
import { announcePublished, publishedNow, type PublishDeps, type RenderStats } from "./publish.ts";

export type DecidedRender = Decision & { readonly catalogId: string; readonly runId: string };

/** Publishes the files of a held render, as if it had been inside the limits; also of one that was discarded by mistake. */
export async function promoteRender(
  deps: PublishDeps & { readonly db: Db; readonly folders: FeedFolders },
  { catalogId, runId, reason, by }: DecidedRender,
): Promise<void> {
  if (await findRunOf(deps.db, { catalogId, id: runId, kind: "render" }))
    await requireUndamaged(deps, catalogId, runId);
  await deps.db.tx(async (tx) => {
    const run = await requireUnpublished(tx, catalogId, runId, { orDiscarded: true });
    const stored = await listFeedFiles(tx, runId);
    for (const { folder, file } of stored) {
      if (await deps.folders.has({ catalogId, folder, file })) continue;
      throw new AppError("conflict", `${file} of this render is no longer on disk. Render the feeds again.`);
    }
    await decideRender(tx, runId, { state: "published", reason, by });
    await markRunPromoted(tx, runId);
    const catalog = await findCatalog(tx, catalogId);
    if (!catalog) throw new AppError("not_found", "There is no such catalog.");
    const startedAt = run.startedAt ?? run.createdAt;
    // The publication is now: receivers order events by time, and caches files.
    const finishedAt = new Date();
    const current = catalog.publishedRunId === null ? [] : await listFeedFiles(tx, catalog.publishedRunId);
    const files = stored.map((file) => publishedNow(file, current, finishedAt));
    for (const file of files) await updateFeedFile(tx, runId, file);
    const published = { catalog, runId, files, stats: run.stats as RenderStats, startedAt };
    await announcePublished(tx, deps, { ...published, finishedAt });
  });
  await publishedEverywhere();
}

/** The published files stay. */
export async function discardRender(db: Db, { catalogId, runId, reason, by }: DecidedRender): Promise<void> {
  await db.tx(async (tx) => {
    await requireUnpublished(tx, catalogId, runId, { orDiscarded: false });
    await decideRender(tx, runId, { state: "discarded", reason, by });
  });
}

const WHY_NOT_HELD = {
  published: "This render is or was published; there is nothing to decide.",
  discarded: "This render was discarded already.",
  superseded: "A newer render has taken the place of this one. Look at the newest one.",
} as const;

/**
 * The run of a held render, or of the newest render if that was discarded and this is allowed. The
 * catalog's row is locked: no render ends meanwhile.
 */
async function requireUnpublished(
  tx: Queries,
  catalogId: string,
  runId: string,
  { orDiscarded }: { readonly orDiscarded: boolean },
) {
  await lockCatalog(tx, catalogId);
  const run = await findRunOf(tx, { catalogId, id: runId, kind: "render" });
  if (!run) throw new AppError("not_found", "This catalog has no such render.");
  const render = await findRender(tx, runId);
  if (!render) throw new AppError("conflict", "This render has no files, so there is nothing to decide.");
  if (render.state === "held") return run;
  const discarded = orDiscarded ? await findDiscardedRender(tx, catalogId) : undefined;
  if (discarded?.runId !== runId) throw new AppError("conflict", WHY_NOT_HELD[render.state]);
  return run;
}

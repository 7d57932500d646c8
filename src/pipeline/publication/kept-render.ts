/** Finds a render whose files are still on disk. */
import { AppError } from "../../errors.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import type { Queries } from "../../store/db.ts";
import { listFeedFiles } from "../../store/feed-files.ts";
import { findRunOf } from "../../store/run-history.ts";
import { readIndexInfo, type RenderRef } from "../render/compare-indexes.ts";
import type { IndexInfo } from "../render/render-index.ts";

export type KeptRender = RenderRef & { readonly runId: string; readonly info: IndexInfo };

export const renderGone = (detail: string): AppError =>
  new AppError(
    "render_gone",
    `${detail} GET /api/v1/renders says which renders are kept; KEEP_RENDERS and KEEP_RENDER_BYTES decide it.`,
  );

export async function findKeptRender(
  { db, folders }: { readonly db: Queries; readonly folders: FeedFolders },
  catalogId: string,
  runId: string,
): Promise<KeptRender> {
  const run = await findRunOf(db, { catalogId, id: runId, kind: "render" });
  if (!run) throw new AppError("not_found", `This catalog has no render ${runId}.`);
  const [file] = await listFeedFiles(db, runId);
  if (!file)
    throw new AppError("not_found", `The render ${runId} has no files: it failed, or is not finished.`);
  const render = { catalogId, folder: file.folder };
  const info = await readIndexInfo(folders, render);
  if (info) return { ...render, runId, info };
  throw renderGone(
    (await folders.has({ ...render, file: file.file }))
      ? `The render ${runId} was made by an earlier version of Shelfwire, or has lost its index.`
      : `The files of the render ${runId} are no longer kept.`,
  );
}

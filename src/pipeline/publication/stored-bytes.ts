/** Refuses to publish a render whose stored files are not the bytes that were written. */
import { AppError } from "../../errors.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import type { Queries } from "../../store/db.ts";
import { listFeedFiles } from "../../store/feed-files.ts";

/**
 * Throws if a file of the render is damaged. One that is not there is not looked at. This reads all files, so the
 * caller must not have a lock.
 */
export async function requireUndamaged(
  { db, folders }: { readonly db: Queries; readonly folders: FeedFolders },
  catalogId: string,
  runId: string,
): Promise<void> {
  for (const { folder, file, etag } of await listFeedFiles(db, runId))
    for (const isGzip of [false, true]) {
      const { verdict } = await folders.verify({ catalogId, folder, file }, { etag, isGzip });
      if (verdict !== "different") continue;
      const copy = isGzip ? "The compressed copy of " : "";
      throw new AppError(
        "render_gone",
        `${copy}${file} of the render ${runId} is damaged on disk: its bytes are not those that were written. Nothing was published. Choose another render, or render the feeds again; shelfwire verify checks a render.`,
      );
    }
}

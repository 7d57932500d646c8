/** Whether the stored files of a render are the bytes that were recorded. */
import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { AppError } from "../../errors.ts";
import type { FeedFolders } from "../../publish/local-files.ts";
import { DamagedFile } from "../../publish/stored-files.ts";
import type { Queries } from "../../store/db.ts";
import { type FeedFileRow, listFeedFiles } from "../../store/feed-files.ts";
import type { RenderRef } from "../render/compare-indexes.ts";

export type Verdict = "same" | "different" | "missing";

/**
 * Throws if a file of the render is damaged. One that is not there is not looked at. This reads all files, so the caller must not
 * have a lock.
 */
export async function requireUndamaged(
  { db, folders }: { readonly db: Queries; readonly folders: FeedFolders },
  catalogId: string,
  runId: string,
): Promise<void> {
  for (const row of await listFeedFiles(db, runId))
    for (const encoding of ["identity", "gzip"] as const) {
      const render = { catalogId, folder: row.folder };
      if ((await verifyStored(folders, render, row, encoding)) !== "different") continue;
      const copy = encoding === "gzip" ? "The compressed copy of " : "";
      throw new AppError(
        "render_gone",
        `${copy}${row.file} of the render ${runId} is damaged on disk: its bytes are not those that were written. Nothing was published. Choose another render, or render the feeds again; shelfwire verify checks a render.`,
      );
    }
}

export async function verifyStored(
  folders: FeedFolders,
  render: RenderRef,
  { file, sha256, bytes, gzipBytes }: FeedFileRow,
  encoding: "identity" | "gzip",
): Promise<Verdict> {
  const stream = await folders.open({ ...render, file, encoding });
  if (!stream) return "missing";
  const hash = createHash("sha256");
  let size = 0;
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      size += chunk.length;
      yield chunk;
    }
  };
  try {
    if (encoding === "identity") await pipeline(stream, counted, hash);
    else await pipeline(stream, counted, createGunzip(), hash);
  } catch (error) {
    if (isDamage(error)) return "different";
    throw error;
  }
  const isSame = size === (encoding === "identity" ? bytes : gzipBytes) && hash.digest("hex") === sha256;
  return isSame ? "same" : "different";
}

/** Too short, or no gzip. */
function isDamage(error: unknown): boolean {
  if (error instanceof DamagedFile) return true;
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}

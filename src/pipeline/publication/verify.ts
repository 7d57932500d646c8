/**
 * Verifies a render in two ways: that its stored files are the bytes that were recorded, and, as long as the catalog
 * still has the items that it was made from, that a complete render of them gives the same bytes again.
 */
import { createHash, type Hash } from "node:crypto";
import type { FeedContext } from "../../channels/channel.ts";
import { CHANNELS, FEED_FILES, RENDERER_VERSION } from "../../channels/registry.ts";
import { AppError } from "../../errors.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import { DamagedFile, type SegmentedFile } from "../../files/stored-files.ts";
import type { Verdict } from "../../files/verify-file.ts";
import { type Catalog, findCatalog } from "../../store/catalogs.ts";
import type { Db, Session } from "../../store/db.ts";
import { type FeedFileRow, listFeedFiles } from "../../store/feed-files.ts";
import { findRunOf } from "../../store/run-history.ts";
import { readIndexInfo, type RenderRef } from "../render/compare-indexes.ts";
import { storedGroups } from "../render/item-groups.ts";
import { entriesOf } from "../render/index-entry.ts";
import { INDEX_FILE, type IndexInfo } from "../render/render-index.ts";

export type FileVerification = {
  readonly file: string;
  /** As recorded. */
  readonly etag: string;
  /** The stored bytes, and those of the compressed copy. */
  readonly stored: Verdict;
  readonly gzip: Verdict;
  /** The bytes of a complete render now; null if it was not possible. */
  readonly rebuilt: Exclude<Verdict, "missing"> | null;
};

export type VerifiedRender = {
  readonly runId: string;
  readonly files: readonly FileVerification[];
  /** Whether the index has the items and lengths of the files. */
  readonly index: Verdict;
  /** Why the render could not be made again; null if it was. */
  readonly whyNotRebuilt: string | null;
};

export type VerifyDeps = { readonly db: Db; readonly folders: FeedFolders };

export async function verifyRender(
  { db, folders }: VerifyDeps,
  { catalogId, runId }: { readonly catalogId: string; readonly runId: string },
): Promise<VerifiedRender> {
  const run = await findRunOf(db, { catalogId, id: runId, kind: "render" });
  if (!run) throw new AppError("not_found", `There is no render ${runId}.`);
  const rows = await listFeedFiles(db, runId);
  const [first] = rows;
  if (!first)
    throw new AppError("not_found", `The render ${runId} has no files: it failed, or is not finished.`);
  const render = { catalogId, folder: first.folder };
  const info = await readIndexInfo(folders, render);
  const rebuilt = await rebuild(db, catalogId, info);
  const files: FileVerification[] = [];
  for (const row of rows) {
    const { file, etag } = row;
    const plain = await folders.verify({ ...render, file }, { etag, isGzip: false });
    const gzip = await folders.verify({ ...render, file }, { etag, isGzip: true });
    const sha256 = rebuilt.hashes?.get(file);
    const isRebuilt = sha256 === plain.sha256 || sha256 === gzip.sha256;
    files.push({
      file,
      etag,
      stored: plain.verdict,
      gzip: gzip.verdict,
      rebuilt: sha256 === undefined ? null : isRebuilt ? "same" : "different",
    });
  }
  const index = info ? await verifyIndex(folders, render, { info, rows }) : "missing";
  return { runId, files, index, whyNotRebuilt: rebuilt.whyNot };
}

/** Whether everything that could be checked is right. */
export const isVerified = ({ files, index }: VerifiedRender): boolean =>
  index !== "different" &&
  files.every(({ stored, gzip, rebuilt }) => stored === "same" && gzip === "same" && rebuilt !== "different");

async function verifyIndex(
  folders: FeedFolders,
  render: RenderRef,
  { info, rows }: { readonly info: IndexInfo; readonly rows: readonly FeedFileRow[] },
): Promise<Verdict> {
  const index = await folders.openSegmented({ ...render, file: INDEX_FILE });
  if (!index) return "missing";
  try {
    const { items, written, bytes } = await countEntries(index, info);
    const isRight = FEED_FILES.every((file, at) => {
      const row = rows.find((one) => one.file === file);
      // What follows the last group is not in the index.
      return row !== undefined && row.written === written[at] && (bytes[at] ?? 0) <= row.bytes;
    });
    return isRight && items === info.items ? "same" : "different";
  } catch (error) {
    if (error instanceof DamagedFile || error instanceof RangeError) return "different";
    throw error;
  } finally {
    await index.close();
  }
}

/** By file, the items and the bytes up to the end of the last group. */
async function countEntries(index: SegmentedFile, { heads }: IndexInfo) {
  const counts = { items: 0, written: FEED_FILES.map(() => 0), bytes: [...heads] };
  for (let segment = 0; segment < index.list.length; segment++) {
    for (const { ids, files } of entriesOf(await index.read(segment))) {
      counts.items += ids.length;
      for (const [at, file] of files.entries()) {
        counts.written[at] = (counts.written[at] ?? 0) + file.written;
        counts.bytes[at] = (counts.bytes[at] ?? 0) + file.bytes;
      }
    }
  }
  return counts;
}

type Rebuilt =
  | { readonly hashes: ReadonlyMap<string, string>; readonly whyNot: null }
  | { readonly hashes: null; readonly whyNot: string };

/** With the settings and the time of the render. */
async function rebuild(db: Db, catalogId: string, info: IndexInfo | undefined): Promise<Rebuilt> {
  return db.session(async (session) =>
    session.snapshot(async (tx) => {
      const catalog = await findCatalog(tx, catalogId);
      const whyNot = catalog ? whyNotPossible(catalog, info) : "The catalog was removed.";
      if (!catalog || !info || whyNot !== null)
        return { hashes: null, whyNot: whyNot ?? "The render has no index." };
      return { hashes: await hashAll(session, catalogId, contextOf(info)), whyNot: null };
    }),
  );
}

function whyNotPossible({ snapshot }: Catalog, info: IndexInfo | undefined): string | null {
  if (!info) return "The render has no index, or that of an earlier version of Shelfwire.";
  const [of, , ...renderer] = info.base.split(".");
  if (of !== String(snapshot)) return "The items of the catalog have changed since this render.";
  if (renderer.join(".") !== RENDERER_VERSION) return "Another version of Shelfwire made this render.";
  return null;
}

function contextOf({
  context: { slug, name, settings, snapshot_at: snapshotAt },
  as_of: asOf,
}: IndexInfo): FeedContext {
  return { catalog: { slug, name }, settings, asOf: new Date(asOf), snapshotAt: new Date(snapshotAt) };
}

async function hashAll(
  session: Session,
  catalogId: string,
  context: FeedContext,
): Promise<ReadonlyMap<string, string>> {
  const outputs = FEED_FILES.map((file) => {
    const writer = CHANNELS[file].open(context);
    const hash: Hash = createHash("sha256").update(writer.head());
    return { file, writer, hash };
  });
  for await (const groups of storedGroups(session, catalogId)) {
    for (const { group } of groups)
      for (const { writer, hash } of outputs) hash.update(writer.group(group).text);
  }
  return new Map(outputs.map(({ file, writer, hash }) => [file, hash.update(writer.tail()).digest("hex")]));
}

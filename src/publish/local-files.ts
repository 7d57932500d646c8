/**
 * Rendered feeds on disk: `<root>/<catalog>/<folder>/<file>`, with a compressed copy. A folder has one writer and a unique
 * name. It is written under a temporary name, synced to disk and renamed; from then on it is immutable. The database decides
 * which folder is served, so readers never see half a file. A folder has only the segments that its render changed: the list
 * of segments (`segments.ts`) refers to the folders of earlier renders for the others.
 */
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline, type Readable } from "node:stream";
import { constants, createZstdCompress } from "node:zlib";
import { syncFolder } from "../lib/files.ts";
import type { FileOptions } from "./file-writer.ts";
import { keepWithin, type Retention, withReferences } from "./retention.ts";
import { SegmentSink } from "./segment-sink.ts";
import {
  ifExists,
  isStored,
  type OpenParts,
  openParts,
  openSegmented,
  openStored,
  type SegmentedFile,
  type StoredPlace,
} from "./stored-files.ts";
import { StoredReader } from "./stored-reader.ts";
import { type VerifiedFile, verifyFile } from "./verify-file.ts";

export type Encoding = "identity" | "gzip" | "zstd";

export type RenderFolder = Awaited<ReturnType<typeof createFolder>>;
export type FeedFolders = ReturnType<typeof localFeedFolders>;

export type FeedFileRef = {
  readonly catalogId: string;
  readonly folder: string;
  readonly file: string;
  readonly encoding: Encoding;
};

const PARTIAL = ".part";
/** The read buffer: what a stalled reader costs. */
const READ_AHEAD = 64 * 1024;
/** Feeds are read through the server with their token: other users of the machine have no access to the files. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export function localFeedFolders(root: string) {
  const placeOf = ({ catalogId, folder, file }: Omit<FeedFileRef, "encoding">): StoredPlace => ({
    root: join(root, catalogId),
    folder,
    file,
  });
  return {
    /** With `previous`, what did not change since that render is not written again. */
    create: async (catalogId: string, folder: string, previous?: string) =>
      createFolder(join(root, catalogId), folder, previous),
    /** Whether the file is there, in every encoding. */
    has: async (ref: Omit<FeedFileRef, "encoding">): Promise<boolean> => isStored(placeOf(ref)),
    /** For a reader with a buffer of its own, who closes the parts. Undefined if the file is not there. */
    openParts: async (
      { encoding, ...ref }: FeedFileRef & { readonly encoding: "identity" | "gzip" },
      range: { start: number; end: number },
    ): Promise<OpenParts | undefined> => openParts(placeOf(ref), { isGzip: encoding === "gzip", ...range }),
    /** For reading parts of it, in any order. Undefined if the file is not there. */
    openReader: async (ref: Omit<FeedFileRef, "encoding">): Promise<StoredReader | undefined> =>
      StoredReader.open(placeOf(ref)),
    /** Undefined if the file is not there. A file is compressed with zstd as it is read, and only completely. */
    open: async (
      { encoding, ...ref }: FeedFileRef,
      range?: { start: number; end: number; highWaterMark?: number },
    ): Promise<Readable | undefined> => {
      if (encoding !== "zstd")
        return openStored(placeOf(ref), {
          isGzip: encoding === "gzip",
          highWaterMark: READ_AHEAD,
          ...range,
        });
      const plain = await openStored(placeOf(ref), { isGzip: false, highWaterMark: READ_AHEAD });
      return plain && pipeline(plain, newZstdCompressor(), () => undefined);
    },
    /** Undefined if the file is not there. */
    openSegmented: async (ref: Omit<FeedFileRef, "encoding">): Promise<SegmentedFile | undefined> =>
      openSegmented(placeOf(ref)),
    /** Reads the whole file, and compares it with what was written. */
    verify: async (
      ref: Omit<FeedFileRef, "encoding">,
      options: Parameters<typeof verifyFile>[1],
    ): Promise<VerifiedFile> => verifyFile(placeOf(ref), options),
    /** The content of a small file that is no feed; undefined if it is not there. */
    read: async ({ catalogId, folder, file }: Omit<FeedFileRef, "encoding">): Promise<Buffer | undefined> =>
      ifExists(readFile(join(root, catalogId, folder, file))),
    /**
     * Deletes every folder of the catalog that is not needed; returns how many. `needed` is called after the folders
     * were listed: a folder that is created in between is not in the list. If it is undefined, nothing is deleted.
     */
    sweep: async (catalogId: string, needed: FindNeeded): Promise<number> =>
      sweep(join(root, catalogId), needed),
    keepWithin: async (catalogId: string, retention: Retention): Promise<ReadonlySet<string>> =>
      keepWithin(join(root, catalogId), retention),
    /** The catalogs that have a folder. */
    catalogs: async (): Promise<readonly string[]> => readdir(root).catch(() => []),
  };
}

type FindNeeded = () => Promise<ReadonlySet<string> | undefined>;

/** `root` has the folders of a catalog. */
async function sweep(root: string, needed: FindNeeded): Promise<number> {
  const names = await readdir(root).catch(() => []);
  const folders = await needed();
  if (!folders) return 0;
  const kept = await withReferences(root, folders);
  const stale = names.filter((name) => !kept.has(name.replace(PARTIAL, "")));
  for (const name of stale) await rm(join(root, name), { recursive: true, force: true });
  // Fails, as intended, if a render has started meanwhile.
  if (kept.size === 0) await rmdir(root).catch(() => undefined);
  return stale.length;
}

function newZstdCompressor() {
  return createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}

async function createFolder(root: string, folder: string, previous: string | undefined) {
  const final = join(root, folder);
  const partial = final + PARTIAL;
  await mkdir(partial, { recursive: true, mode: FOLDER_MODE });
  const sinks: SegmentSink[] = [];
  /** For a file that is written elsewhere. It must be closed before `discard`. */
  const fileOptions = (file: string, { isFeed }: { readonly isFeed: boolean }): FileOptions => ({
    path: join(partial, file),
    folder,
    mode: FILE_MODE,
    isFeed,
    previous: previous === undefined ? undefined : { root, folder: previous, file },
  });
  return {
    fileOptions,
    sink: (file: string, kind: { readonly isFeed: boolean }): SegmentSink => {
      const sink = new SegmentSink(fileOptions(file, kind));
      sinks.push(sink);
      return sink;
    },
    write: async (file: string, content: string | Uint8Array): Promise<void> =>
      writeFile(join(partial, file), content, { mode: FILE_MODE, flush: true }),
    /** Makes the folder visible under its final name, durably. */
    commit: async (): Promise<void> => {
      await syncFolder(partial);
      await rename(partial, final);
      await syncFolder(join(final, ".."));
    },
    /** After `commit`, of a folder that nothing refers to. */
    remove: async (): Promise<void> => rm(final, { recursive: true, force: true }),
    discard: async (): Promise<void> => {
      // Closed before the removal: a file that is still being opened would be created again.
      await Promise.all(sinks.map(async (sink) => sink.drop()));
      await rm(partial, { recursive: true, force: true });
    },
  };
}

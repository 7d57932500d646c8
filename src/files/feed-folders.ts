/**
 * The files of renders, with compressed copies, in a store of immutable files. The database decides which folder is
 * served. A folder has only the segments that its render changed: the list of segments (`segments.ts`) refers to the
 * folders of earlier renders for the others.
 */
import { pipeline, type Readable } from "node:stream";
import { constants, createZstdCompress } from "node:zlib";
import type { FileName, FileStore, FolderName } from "./file-store.ts";
import type { NewFile } from "./file-writer.ts";
import { openStore } from "./open-store.ts";
import { type LoadedPrevious, loadPrevious } from "./previous-file.ts";
import { keepWithin, type Retention, withReferences } from "./retention.ts";
import { SegmentSink } from "./segment-sink.ts";
import {
  DamagedFile,
  isStored,
  type OpenParts,
  openParts,
  openSegmented,
  openStored,
  type SegmentedFile,
  SEGMENTS,
} from "./stored-files.ts";
import { StoredReader } from "./stored-reader.ts";
import { type VerifiedFile, verifyFile } from "./verify-file.ts";

export type Encoding = "identity" | "gzip" | "zstd";

export type RenderFolder = Awaited<ReturnType<typeof createFolder>>;
export type FeedFolders = ReturnType<typeof feedFolders>;

export type FeedFileRef = FileName & { readonly encoding: Encoding };

/** The read buffer: what a stalled reader costs. */
const READ_AHEAD = 64 * 1024;
/** `location`: of the store. */
export function feedFolders(location: string) {
  const store = openStore(location);
  return {
    /** With `previous`, what did not change since that render is not written again. */
    create: async (catalogId: string, folder: string, previous?: string) =>
      createFolder(store, { catalogId, folder }, previous),
    /** Whether the file is there, in every encoding. */
    has: async (ref: FileName): Promise<boolean> => isStored(store, ref),
    /** For a reader with a buffer of its own, who closes the parts. Undefined if the file is not there. */
    openParts: async (
      { encoding, ...ref }: FeedFileRef & { readonly encoding: "identity" | "gzip" },
      range: { start: number; end: number },
    ): Promise<OpenParts | undefined> => openParts(store, ref, { isGzip: encoding === "gzip", ...range }),
    /** For reading parts of it, in any order. Undefined if the file is not there. */
    openReader: async (ref: FileName): Promise<StoredReader | undefined> => StoredReader.open(store, ref),
    /** Undefined if the file is not there. A file is compressed with zstd as it is read, and only completely. */
    open: async (
      { encoding, ...ref }: FeedFileRef,
      range?: { start: number; end: number; highWaterMark?: number },
    ): Promise<Readable | undefined> => {
      if (encoding !== "zstd")
        return openStored(store, ref, {
          isGzip: encoding === "gzip",
          highWaterMark: READ_AHEAD,
          ...range,
        });
      const plain = await openStored(store, ref, { isGzip: false, highWaterMark: READ_AHEAD });
      return plain && pipeline(plain, newZstdCompressor(), () => undefined);
    },
    /** Undefined if the file is not there. */
    openSegmented: async (ref: FileName): Promise<SegmentedFile | undefined> => openSegmented(store, ref),
    /** Reads the whole file, and compares it with what was written. */
    verify: async (ref: FileName, options: Parameters<typeof verifyFile>[2]): Promise<VerifiedFile> =>
      verifyFile(store, ref, options),
    /** The content of a small file that is no feed; undefined if it is not there. */
    read: async (ref: FileName): Promise<Buffer | undefined> => store.read(ref),
    /**
     * Deletes every folder of the catalog that is not needed; returns how many. `needed` is called after the folders
     * were listed: a folder that is created in between is not in the list. If it is undefined, nothing is deleted.
     */
    sweep: async (catalogId: string, needed: FindNeeded): Promise<number> => sweep(store, catalogId, needed),
    keepWithin: async (catalogId: string, retention: Retention): Promise<ReadonlySet<string>> =>
      keepWithin(store, catalogId, retention),
    /** The catalogs that have a folder. */
    catalogs: async (): Promise<readonly string[]> => store.catalogs(),
  };
}

type FindNeeded = () => Promise<ReadonlySet<string> | undefined>;

async function sweep(store: FileStore, catalogId: string, needed: FindNeeded): Promise<number> {
  const names = await store.folders(catalogId);
  const folders = await needed();
  if (!folders) return 0;
  const kept = await withReferences(store, catalogId, folders);
  const stale = names.filter((name) => !kept.has(name));
  for (const folder of stale) await store.remove({ catalogId, folder });
  return stale.length;
}

function newZstdCompressor() {
  return createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}

async function createFolder(store: FileStore, name: FolderName, previous: string | undefined) {
  const earlier = await loadEarlier(store, { ...name, folder: previous ?? "" });
  const folder = await store.create(name);
  const sinks: SegmentSink[] = [];
  return {
    /** For a file that is written elsewhere, completely. It must be closed before `discard`. */
    newFile: (file: string, { isFeed }: { readonly isFeed: boolean }): NewFile => ({
      location: store.location,
      name: { ...name, file },
      isFeed,
    }),
    sink: (file: string, { isFeed }: { readonly isFeed: boolean }): SegmentSink => {
      const sink = new SegmentSink({ store, name: { ...name, file }, isFeed, previous: earlier.get(file) });
      sinks.push(sink);
      return sink;
    },
    write: folder.write,
    commit: folder.commit,
    /** After `commit`, of a folder that nothing refers to. */
    remove: async (): Promise<void> => store.remove(name),
    discard: async (): Promise<void> => {
      // Closed before the removal: a file that is still being opened would be created again.
      await Promise.all(sinks.map(async (sink) => sink.drop()));
      await folder.discard();
    },
  };
}

/** The files of an earlier render, or why they cannot be used. */
async function loadEarlier(
  store: FileStore,
  name: FolderName,
): Promise<ReadonlyMap<string, LoadedPrevious | Error | undefined>> {
  const files = name.folder === "" ? [] : await store.files(name);
  const lists = files.flatMap(({ file }) =>
    file.endsWith(SEGMENTS) ? [file.slice(0, -SEGMENTS.length)] : [],
  );
  const loaded = lists.map(async (file) => {
    const previous = await loadPrevious(store, { ...name, file }).catch((error: unknown) => {
      if (error instanceof DamagedFile) return error;
      throw error;
    });
    return [file, previous] as const;
  });
  return new Map(await Promise.all(loaded));
}

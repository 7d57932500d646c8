/**
 * Rendered feeds on disk: `<root>/<catalog>/<folder>/<file>`, each with a gzip and a zstd copy. A folder has one
 * writer and a unique name. It is written under a temporary name, synced to disk and renamed; from then on it is
 * immutable. The database decides which folder is served, so readers never see half a file.
 */
import { createHash } from "node:crypto";
import { createWriteStream, type WriteStream } from "node:fs";
import { access, type FileHandle, mkdir, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { syncFolder } from "../lib/files.ts";
import { once } from "node:events";
import { finished, pipeline } from "node:stream/promises";
import { constants, createGzip, createZstdCompress } from "node:zlib";

export const ENCODINGS = { identity: "", gzip: ".gz", zstd: ".zst" } as const;
export type Encoding = keyof typeof ENCODINGS;

export type FeedSink = ReturnType<typeof feedSink>;
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
  const place = (catalogId: string, folder: string) => join(root, catalogId, folder);
  return {
    create: async (catalogId: string, folder: string) => createFolder(place(catalogId, folder)),
    /** Whether the file is there, in every encoding. */
    has: async ({ catalogId, folder, file }: Omit<FeedFileRef, "encoding">): Promise<boolean> => {
      const paths = Object.values(ENCODINGS).map((ending) => join(place(catalogId, folder), file + ending));
      return Promise.all(paths.map(async (path) => access(path))).then(
        () => true,
        () => false,
      );
    },
    /** For a reader with a buffer of its own, who closes it. Undefined if the file is not there. */
    openHandle: async ({ catalogId, folder, file, encoding }: FeedFileRef): Promise<FileHandle | undefined> =>
      openIfExists(join(place(catalogId, folder), file + ENCODINGS[encoding])),
    /** Undefined if the file is not there. */
    open: async (
      { catalogId, folder, file, encoding }: FeedFileRef,
      range?: { start: number; end: number; highWaterMark?: number },
    ): Promise<Readable | undefined> => {
      const handle = await openIfExists(join(place(catalogId, folder), file + ENCODINGS[encoding]));
      return handle?.createReadStream({ highWaterMark: READ_AHEAD, ...range });
    },
    /**
     * Deletes every folder of the catalog that is not needed; returns how many. `needed` is called after the folders
     * were listed: a folder that is created in between is not in the list.
     */
    sweep: async (catalogId: string, needed: () => Promise<ReadonlySet<string>>): Promise<number> => {
      const names = await readdir(join(root, catalogId)).catch(() => []);
      const kept = await needed();
      const stale = names.filter((name) => !kept.has(name.replace(PARTIAL, "")));
      for (const name of stale) await rm(join(root, catalogId, name), { recursive: true, force: true });
      // Fails, as intended, if a render has started meanwhile.
      if (kept.size === 0) await rmdir(join(root, catalogId)).catch(() => undefined);
      return stale.length;
    },
    /** The catalogs that have a folder. */
    catalogs: async (): Promise<readonly string[]> => readdir(root).catch(() => []),
  };
}

async function createFolder(final: string) {
  const partial = final + PARTIAL;
  await mkdir(partial, { recursive: true, mode: FOLDER_MODE });
  const sinks: FeedSink[] = [];
  return {
    sink: (file: string): FeedSink => {
      const sink = feedSink(join(partial, file));
      sinks.push(sink);
      return sink;
    },
    /** Makes the folder visible under its final name, durably. */
    commit: async (): Promise<void> => {
      await syncFolder(partial);
      await rename(partial, final);
      await syncFolder(join(final, ".."));
    },
    discard: async (): Promise<void> => {
      // Closed before the removal: a file that is still being opened would be created again.
      await Promise.all(sinks.map(async (sink) => sink.drop()));
      await rm(partial, { recursive: true, force: true });
    },
  };
}

/** Large enough to keep the calls few, small enough for the CPU cache. */
const CHUNK = 256 * 1024;

function feedSink(path: string) {
  const hash = createHash("sha256");
  const plain = plainSink(writeStream(path));
  const gzip = compressedSink("gzip", writeStream(path + ENCODINGS.gzip));
  const zstd = compressedSink("zstd", writeStream(path + ENCODINGS.zstd));
  let pending = "";
  let writing: Promise<unknown> = Promise.resolve();

  /** Writes the buffer; resolves when the previous write is done, so that one write and one buffer overlap. */
  const flush = async (): Promise<void> => {
    const chunk = Buffer.from(pending);
    pending = "";
    hash.update(chunk);
    const before = writing;
    writing = before.then(async () =>
      Promise.all([plain.write(chunk), gzip.write(chunk), zstd.write(chunk)]),
    );
    // The next `write` or `finish` reports a failure; until then it must not be an unhandled rejection.
    writing.catch(() => undefined);
    await before;
  };

  return {
    /** Buffers text; returns a promise when the disk needs to catch up. */
    write: (text: string): Promise<void> | undefined => {
      pending += text;
      return pending.length >= CHUNK ? flush() : undefined;
    },
    finish: async () => {
      await flush();
      await writing;
      const [bytes, gzipBytes, zstdBytes] = await Promise.all([plain.end(), gzip.end(), zstd.end()]);
      return { sha256: hash.digest("hex"), bytes, gzipBytes, zstdBytes };
    },
    drop: async (): Promise<void> => {
      await Promise.all([plain.drop(), gzip.drop(), zstd.drop()]);
    },
  };
}

/** `flush` syncs the file to disk before it is closed. */
function writeStream(path: string) {
  return createWriteStream(path, { flush: true, mode: FILE_MODE, highWaterMark: 1024 * 1024 });
}

async function openIfExists(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function plainSink(file: WriteStream) {
  return sinkInto(file, file, finished(file));
}

/** The fastest level: feeds are repetitive, and a higher level costs more than it saves. */
function compressedSink(encoding: "gzip" | "zstd", file: WriteStream) {
  const compressor =
    encoding === "gzip"
      ? createGzip({ level: 1, chunkSize: 64 * 1024 })
      : createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  return sinkInto(compressor, file, pipeline(compressor, file));
}

function sinkInto(entry: Writable, file: WriteStream, done: Promise<void>) {
  // The next `write` or `end` reports a failure; until then it must not be an unhandled rejection.
  let failure: unknown = null;
  done.catch((error: unknown) => {
    failure = error ?? new Error("the file was closed");
  });
  return {
    write: async (chunk: Buffer): Promise<void> => {
      if (failure !== null) await done;
      if (!entry.write(chunk)) await Promise.race([once(entry, "drain"), done]);
    },
    /** Resolves with the number of bytes in the file once they are on disk. */
    end: async (): Promise<number> => {
      entry.end();
      await done;
      return file.bytesWritten;
    },
    /** Closes the file without finishing it. Harmless after `end`. */
    drop: async (): Promise<void> => {
      entry.destroy();
      file.destroy();
      await finished(file).catch(() => undefined);
    },
  };
}

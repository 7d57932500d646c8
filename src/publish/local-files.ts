/**
 * Rendered feeds on disk: `<root>/<catalog>/<folder>/<file>`, each with a gzip and a zstd copy. A folder has one
 * writer and a unique name. It is written under a temporary name, synced to disk and renamed; from then on it is
 * immutable. The database decides which folder is served, so readers never see half a file.
 */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { access, mkdir, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { compressedSink, plainSink } from "./sink.ts";

export const ENCODINGS = { identity: "", gzip: ".gz", zstd: ".zst" } as const;
export type Encoding = keyof typeof ENCODINGS;

export type WrittenFile = {
  readonly sha256: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly zstdBytes: number;
};

export type FeedSink = {
  /** Buffers text; returns a promise when the disk needs to catch up. */
  readonly write: (text: string) => Promise<void> | undefined;
  readonly finish: () => Promise<WrittenFile>;
  readonly drop: () => Promise<void>;
};

export type RenderFolder = {
  readonly sink: (file: string) => FeedSink;
  /** Makes the folder visible under its final name, durably. */
  readonly commit: () => Promise<void>;
  readonly discard: () => Promise<void>;
};

export type FeedFolders = {
  readonly create: (catalogId: string, folder: string) => Promise<RenderFolder>;
  /** Whether the file is there, in every encoding. */
  readonly has: (place: Omit<FeedFileRef, "encoding">) => Promise<boolean>;
  /** The file, opened; undefined if it is not there. */
  readonly open: (
    place: FeedFileRef,
    range?: { start: number; end: number; highWaterMark?: number },
  ) => Promise<Readable | undefined>;
  readonly read: (place: FeedFileRef, range?: { start: number; end: number }) => Readable;
  /**
   * Deletes every folder of the catalog that is not needed; returns how many. `needed` is called after the folders
   * were listed: a folder that is created in between is not in the list.
   */
  readonly sweep: (catalogId: string, needed: () => Promise<ReadonlySet<string>>) => Promise<number>;
  /** The catalogs that have a folder. */
  readonly catalogs: () => Promise<readonly string[]>;
};

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

export function localFeedFolders(root: string): FeedFolders {
  const place = (catalogId: string, folder: string) => join(root, catalogId, folder);
  return {
    create: async (catalogId, folder) => createFolder(place(catalogId, folder)),
    has: async ({ catalogId, folder, file }) => {
      const paths = Object.values(ENCODINGS).map((ending) => join(place(catalogId, folder), file + ending));
      return (await Promise.all(paths.map(exists))).every(Boolean);
    },
    open: async ({ catalogId, folder, file, encoding }, range) => {
      const handle = await openIfExists(join(place(catalogId, folder), file + ENCODINGS[encoding]));
      return handle?.createReadStream({ highWaterMark: READ_AHEAD, ...range });
    },
    read: ({ catalogId, folder, file, encoding }, range) =>
      createReadStream(join(place(catalogId, folder), file + ENCODINGS[encoding]), {
        highWaterMark: READ_AHEAD,
        ...range,
      }),
    sweep: async (catalogId, needed) => {
      const names = await readdir(join(root, catalogId)).catch(() => []);
      const kept = await needed();
      const stale = names.filter((name) => !kept.has(name.replace(PARTIAL, "")));
      for (const name of stale) await rm(join(root, catalogId, name), { recursive: true, force: true });
      // Fails, as intended, if a render has started meanwhile.
      if (kept.size === 0) await rmdir(join(root, catalogId)).catch(() => undefined);
      return stale.length;
    },
    catalogs: async () => readdir(root).catch(() => []),
  };
}

async function createFolder(final: string): Promise<RenderFolder> {
  const partial = final + PARTIAL;
  await mkdir(partial, { recursive: true, mode: FOLDER_MODE });
  const sinks: FeedSink[] = [];
  return {
    sink: (file) => {
      const sink = feedSink(join(partial, file));
      sinks.push(sink);
      return sink;
    },
    commit: async () => {
      await syncFolder(partial);
      await rename(partial, final);
      await syncFolder(join(final, ".."));
    },
    discard: async () => {
      // Closed before the removal: a file that is still being opened would be created again.
      await Promise.all(sinks.map(async (sink) => sink.drop()));
      await rm(partial, { recursive: true, force: true });
    },
  };
}

/** Large enough to keep the calls few, small enough for the CPU cache. */
const CHUNK = 256 * 1024;

function feedSink(path: string): FeedSink {
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
    write: (text) => {
      pending += text;
      return pending.length >= CHUNK ? flush() : undefined;
    },
    finish: async () => {
      await flush();
      await writing;
      const [bytes, gzipBytes, zstdBytes] = await Promise.all([plain.end(), gzip.end(), zstd.end()]);
      return { sha256: hash.digest("hex"), bytes, gzipBytes, zstdBytes };
    },
    drop: async () => {
      await Promise.all([plain.drop(), gzip.drop(), zstd.drop()]);
    },
  };
}

/** `flush` syncs the file to disk before it is closed. */
function writeStream(path: string) {
  return createWriteStream(path, { flush: true, mode: FILE_MODE, highWaterMark: 1024 * 1024 });
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function openIfExists(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * Where rendered feeds lie: `<root>/<catalog>/<folder>/<file>`, each beside its gzip and zstd copies, made once.
 * A folder has one writer, ever, and no name comes twice. It is written where nobody reads, synced to disk and
 * renamed into place; from then on it is never changed. Which one is served is a row in the database, so readers
 * never meet half a file.
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
  /** Takes text at memory's pace and returns a promise when the disk has to catch up. */
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
  readonly has: (place: Omit<FeedPlace, "encoding">) => Promise<boolean>;
  /** The file, opened; undefined if it is not there. */
  readonly open: (place: FeedPlace, range?: { start: number; end: number }) => Promise<Readable | undefined>;
  readonly read: (place: FeedPlace, range?: { start: number; end: number }) => Readable;
  /**
   * Removes every folder of the catalog that is not needed; says how many went. What is needed is asked only after
   * the folders were listed: one that is begun or published in between is not in the list.
   */
  readonly sweep: (catalogId: string, needed: () => Promise<ReadonlySet<string>>) => Promise<number>;
  /** The catalogs that have a folder. */
  readonly catalogs: () => Promise<readonly string[]>;
};

export type FeedPlace = {
  readonly catalogId: string;
  readonly folder: string;
  readonly file: string;
  readonly encoding: Encoding;
};

const PARTIAL = ".part";
/** What a reader that stops reading costs: one piece that waits to be sent, and one read ahead of it. */
const READ_AHEAD = 64 * 1024;
/** Feeds are read through the server, with their token: other users of the machine may not read them past it. */
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
      const handle = await openIfThere(join(place(catalogId, folder), file + ENCODINGS[encoding]));
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
      // Fails, as it should, when a render has begun meanwhile.
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
      // First closed, then removed: a file that is still being opened would come into the folder behind our back.
      await Promise.all(sinks.map(async (sink) => sink.drop()));
      await rm(partial, { recursive: true, force: true });
    },
  };
}

/** Large enough that hashing, compressing and writing are called rarely, small enough to stay in the cache. */
const CHUNK = 256 * 1024;

function feedSink(path: string): FeedSink {
  const hash = createHash("sha256");
  const plain = plainSink(writeStream(path));
  const gzip = compressedSink("gzip", writeStream(path + ENCODINGS.gzip));
  const zstd = compressedSink("zstd", writeStream(path + ENCODINGS.zstd));
  let pending = "";
  let writing: Promise<unknown> = Promise.resolve();

  /** Hands over what has gathered, and says when what was handed over before is through: the next gathers meanwhile. */
  const flush = async (): Promise<void> => {
    const chunk = Buffer.from(pending);
    pending = "";
    hash.update(chunk);
    const before = writing;
    writing = before.then(async () =>
      Promise.all([plain.write(chunk), gzip.write(chunk), zstd.write(chunk)]),
    );
    // Whoever writes or ends next hears of it; until then it must not count as unhandled.
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

async function openIfThere(path: string): Promise<FileHandle | undefined> {
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

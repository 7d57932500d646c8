/** Reads rendered files whose segments may be in the folders of several renders. */
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { type Extent, extentsOf, SegmentList } from "./segments.ts";

export const GZIP = ".gz";
export const SEGMENTS = ".segments";

/** The file of one render: `root` has the folders of all renders of the catalog. */
export type StoredPlace = { readonly root: string; readonly folder: string; readonly file: string };

/** Undefined if the render has no such file. */
export async function loadSegments({ root, folder, file }: StoredPlace): Promise<SegmentList | undefined> {
  return ifExists(SegmentList.load(join(root, folder, file + SEGMENTS)));
}

export async function ifExists<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The files of one name in several folders. A handle is opened when it is needed first. */
export class OpenFiles {
  private readonly handles = new Map<string, Promise<FileHandle>>();
  private readonly pathOf: (folder: string) => string;

  constructor(pathOf: (folder: string) => string) {
    this.pathOf = pathOf;
  }

  async open(folder: string): Promise<FileHandle> {
    const handle = this.handles.get(folder) ?? open(this.pathOf(folder), "r");
    this.handles.set(folder, handle);
    return handle;
  }

  async read(folder: string, start: number, bytes: number): Promise<Buffer> {
    const handle = await ifExists(this.open(folder));
    if (!handle) throw new DamagedFile(`${this.pathOf(folder)} is missing`);
    const buffer = Buffer.allocUnsafe(bytes);
    for (let filled = 0; filled < bytes; ) {
      const { bytesRead } = await handle.read(buffer, filled, bytes - filled, start + filled);
      if (bytesRead === 0) throw new DamagedFile(`${this.pathOf(folder)} is too short`);
      filled += bytesRead;
    }
    return buffer;
  }

  async close(): Promise<void> {
    const handles = [...this.handles.values()];
    this.handles.clear();
    for (const handle of handles) await handle.then(async (open) => open.close()).catch(() => undefined);
  }
}

/** The bytes of an earlier render are not those that it wrote. */
export class DamagedFile extends Error {}

export type ReadOptions = {
  readonly start?: number;
  /** Included. */
  readonly end?: number;
  readonly highWaterMark: number;
};

/** Undefined if the file is not there. */
export async function openStored(
  place: StoredPlace,
  { isGzip, start = 0, end = Infinity, highWaterMark }: ReadOptions & { readonly isGzip: boolean },
): Promise<Readable | undefined> {
  const { root, folder, file } = place;
  const pathIn = (folder: string) => join(root, folder, isGzip ? file + GZIP : file);
  const list = await loadSegments(place);
  // A render of an earlier version: one complete file.
  if (!list)
    return (await ifExists(open(pathIn(folder), "r")))?.createReadStream({ highWaterMark, start, end });
  const extents = extentsOf(list, isGzip, { start, end });
  const [first, second] = extents;
  if (!first) return Readable.from([]);
  if (!second) {
    const handle = await ifExists(open(pathIn(first.folder), "r"));
    return handle?.createReadStream({ highWaterMark, start: first.start, end: first.end - 1 });
  }
  const files = new OpenFiles(pathIn);
  // Opened at once: files that are removed while they are read stay readable, and a missing one is noticed.
  const folders = [...new Set(extents.map((extent) => extent.folder))];
  const opened = await ifExists(Promise.all(folders.map(async (name) => files.open(name)))).catch(
    async (error: unknown) => {
      await files.close();
      throw error;
    },
  );
  if (!opened) {
    await files.close();
    return undefined;
  }
  const stream = Readable.from(readExtents(files, extents, highWaterMark), {
    objectMode: false,
    highWaterMark,
  });
  stream.once("close", () => void files.close());
  return stream;
}

/** Whether all bytes of the file are there. */
export async function isStored(place: StoredPlace): Promise<boolean> {
  const files = await Promise.all(
    [false, true].map(async (isGzip) => openStored(place, { isGzip, start: 0, highWaterMark: 1 })),
  );
  for (const file of files) file?.destroy();
  return files.every((file) => file !== undefined);
}

async function* readExtents(
  files: OpenFiles,
  extents: readonly Extent[],
  highWaterMark: number,
): AsyncGenerator<Buffer> {
  for (const { folder, start, end } of extents) {
    for (let at = start; at < end; at += highWaterMark)
      yield await files.read(folder, at, Math.min(highWaterMark, end - at));
  }
}

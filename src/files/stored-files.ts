/** Reads rendered files whose segments may be in the folders of several renders. */
import { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import type { FileName, FileStore, OpenedFile } from "./file-store.ts";
import { type Extent, extentsOf, SegmentList } from "./segments.ts";

export const GZIP = ".gz";
export const SEGMENTS = ".segments";

/** Undefined if the render has no such file. */
export async function loadSegments(store: FileStore, name: FileName): Promise<SegmentList | undefined> {
  const bytes = await store.read({ ...name, file: name.file + SEGMENTS });
  return bytes && SegmentList.parse(bytes, name.file);
}

/**
 * The folders that have segments of the file of this list: its first line alone is read. Undefined if there is no such
 * list.
 */
export async function loadFolders(store: FileStore, name: FileName): Promise<readonly string[] | undefined> {
  const file = await store.open(name);
  if (!file) return undefined;
  try {
    for (let bytes = 4_096; ; bytes *= 4) {
      const buffer = Buffer.alloc(bytes);
      const start = buffer.subarray(0, await file.read(buffer, 0));
      const folders = SegmentList.parseFolders(start);
      if (folders) return folders;
      if (start.length < bytes) throw new RangeError(`${name.file} is damaged`);
    }
  } finally {
    await file.close();
  }
}

/**
 * The files of one name in several folders, opened at once: if they are removed while they are read, they stay
 * readable.
 */
class OpenFiles {
  private readonly files: ReadonlyMap<string, OpenedFile>;

  private constructor(files: ReadonlyMap<string, OpenedFile>) {
    this.files = files;
  }

  /** Undefined if one of them is not there. */
  static async open(
    store: FileStore,
    { catalogId, file }: FileName,
    folders: readonly string[],
  ): Promise<OpenFiles | undefined> {
    const opened = await Promise.allSettled(
      [...new Set(folders)].map(
        async (folder) => [folder, await store.open({ catalogId, folder, file })] as const,
      ),
    );
    const entries = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const found = entries.flatMap(([folder, one]) => (one ? [[folder, one] as const] : []));
    const files = new OpenFiles(new Map(found));
    if (found.length === opened.length) return files;
    await files.close();
    const failed = opened.find((one) => one.status === "rejected");
    if (failed) throw failed.reason;
    return undefined;
  }

  of(folder: string): OpenedFile {
    const file = this.files.get(folder);
    if (!file) throw new DamagedFile(`a file is missing in ${folder}`);
    return file;
  }

  async close(): Promise<void> {
    for (const file of this.files.values()) await file.close().catch(() => undefined);
  }
}

/** The bytes of an earlier render are not those that it wrote. */
export class DamagedFile extends Error {}

/** Parts of open files, each up to but not including `end`, which together are the bytes of a range. */
export type OpenParts = {
  readonly parts: readonly (Extent & { readonly opened: OpenedFile })[];
  readonly close: () => Promise<void>;
};

type RangeOptions = {
  readonly isGzip: boolean;
  readonly start?: number;
  /** Included. */
  readonly end?: number;
};

/** Undefined if the file is not there. */
export async function openParts(
  store: FileStore,
  name: FileName,
  { isGzip, start = 0, end = Infinity }: RangeOptions,
): Promise<OpenParts | undefined> {
  const list = await loadSegments(store, name);
  // A render of an earlier version has one complete file.
  const extents: readonly Extent[] = list
    ? extentsOf(list, isGzip, { start, end })
    : [{ folder: name.folder, start, end: end + 1 }];
  const encoded = { ...name, file: isGzip ? name.file + GZIP : name.file };
  const files = await OpenFiles.open(
    store,
    encoded,
    extents.map(({ folder }) => folder),
  );
  if (!files) return undefined;
  const parts = extents.map((extent) => ({ ...extent, opened: files.of(extent.folder) }));
  return { parts, close: async () => files.close() };
}

/** Undefined if the file is not there. */
export async function openStored(
  store: FileStore,
  name: FileName,
  { highWaterMark, ...range }: RangeOptions & { readonly highWaterMark: number },
): Promise<Readable | undefined> {
  const opened = await openParts(store, name, range);
  if (!opened) return undefined;
  const stream = Readable.from(readParts(opened, highWaterMark), { objectMode: false, highWaterMark });
  stream.once("close", () => void opened.close());
  return stream;
}

/** A file whose segments are read one by one. */
export type SegmentedFile = {
  readonly list: SegmentList;
  /** Checked: throws `DamagedFile` if the bytes are not those that were written. */
  readonly read: (index: number) => Promise<Buffer>;
  readonly close: () => Promise<void>;
};

/** Undefined if the file is not there. */
export async function openSegmented(store: FileStore, name: FileName): Promise<SegmentedFile | undefined> {
  const list = await loadSegments(store, name);
  const files = list && (await OpenFiles.open(store, name, list.folders));
  if (!files) return undefined;
  const read = async (index: number): Promise<Buffer> => {
    const { folder, at, bytes, crc } = list.at(index);
    const buffer = Buffer.allocUnsafe(bytes);
    await fill(files.of(folder), buffer, at);
    if (crc32(buffer) !== crc)
      throw new DamagedFile(`a segment of ${name.file} has other bytes than were written`);
    return buffer;
  };
  return { list, read, close: async () => files.close() };
}

/** Whether all bytes of the file are there, in every encoding. */
export async function isStored(store: FileStore, name: FileName): Promise<boolean> {
  const folders = (await loadSegments(store, name))?.folders ?? [name.folder];
  const names = folders.flatMap((folder) =>
    [name.file, name.file + GZIP].map((file) => ({ catalogId: name.catalogId, folder, file })),
  );
  const found = await Promise.all(names.map(async (one) => store.bytesOf(one)));
  return found.every((bytes) => bytes !== undefined);
}

/** Fills the buffer from a position of the file on. */
export async function fill(file: OpenedFile, buffer: Buffer, at: number): Promise<void> {
  for (let filled = 0; filled < buffer.length; ) {
    const bytesRead = await file.read(buffer.subarray(filled), at + filled);
    if (bytesRead === 0) throw new DamagedFile("a file of a render is too short");
    filled += bytesRead;
  }
}

async function* readParts({ parts }: OpenParts, highWaterMark: number): AsyncGenerator<Buffer> {
  for (const { opened, start, end } of parts) {
    for (let at = start; at < end; ) {
      const buffer = Buffer.allocUnsafe(Math.min(highWaterMark, end - at));
      const bytesRead = await opened.read(buffer, at);
      if (bytesRead === 0 && end === Infinity) return;
      if (bytesRead === 0) throw new DamagedFile("a file of a render is too short");
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }
}

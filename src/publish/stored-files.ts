/** Reads rendered files whose segments may be in the folders of several renders. */
import { access, constants, type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { crc32 } from "node:zlib";
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
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** The files of one name in several folders. A handle is opened when it is needed first. */
class OpenFiles {
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

  async close(): Promise<void> {
    const handles = [...this.handles.values()];
    this.handles.clear();
    for (const handle of handles) await handle.then(async (open) => open.close()).catch(() => undefined);
  }
}

/** The bytes of an earlier render are not those that it wrote. */
export class DamagedFile extends Error {}

/** Parts of open files, each up to but not including `end`, which together are the bytes of a range. */
export type OpenParts = {
  readonly parts: readonly (Extent & { readonly handle: FileHandle })[];
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
  place: StoredPlace,
  { isGzip, start = 0, end = Infinity }: RangeOptions,
): Promise<OpenParts | undefined> {
  const { root, folder, file } = place;
  const list = await loadSegments(place);
  // A render of an earlier version has one complete file.
  const extents: readonly Extent[] = list
    ? extentsOf(list, isGzip, { start, end })
    : [{ folder, start, end: end + 1 }];
  const files = new OpenFiles((name) => join(root, name, isGzip ? file + GZIP : file));
  // Opened at once: files that are removed while they are read stay readable, and a missing one is noticed.
  const opening = extents.map(async (extent) => ({ ...extent, handle: await files.open(extent.folder) }));
  const parts = await ifExists(Promise.all(opening)).catch(async (error: unknown) => {
    await files.close();
    throw error;
  });
  if (!parts) await files.close();
  return parts && { parts, close: async () => files.close() };
}

/** Undefined if the file is not there. */
export async function openStored(
  place: StoredPlace,
  { highWaterMark, ...range }: RangeOptions & { readonly highWaterMark: number },
): Promise<Readable | undefined> {
  const opened = await openParts(place, range);
  if (!opened) return undefined;
  const stream = Readable.from(readParts(opened, highWaterMark), { objectMode: false, highWaterMark });
  stream.once("close", () => void opened.close());
  return stream;
}

/** A file whose segments are read one by one. Its files are opened at once: if they are removed, they stay readable. */
export type SegmentedFile = {
  readonly list: SegmentList;
  /** Checked: throws `DamagedFile` if the bytes are not those that were written. */
  readonly read: (index: number) => Promise<Buffer>;
  readonly close: () => Promise<void>;
};

/** Undefined if the file is not there. */
export async function openSegmented(place: StoredPlace): Promise<SegmentedFile | undefined> {
  const list = await loadSegments(place);
  if (!list) return undefined;
  const files = new OpenFiles((folder) => join(place.root, folder, place.file));
  const opened = await ifExists(Promise.all(list.folders.map(async (folder) => files.open(folder))));
  if (!opened) {
    await files.close();
    return undefined;
  }
  const read = async (index: number): Promise<Buffer> => {
    const { folder, at, bytes, crc } = list.at(index);
    const buffer = Buffer.allocUnsafe(bytes);
    const { bytesRead } = await (await files.open(folder)).read(buffer, 0, bytes, at);
    if (bytesRead < bytes || crc32(buffer) !== crc)
      throw new DamagedFile(`a segment of ${place.file} has other bytes than were written`);
    return buffer;
  };
  return { list, read, close: async () => files.close() };
}

/** Whether all bytes of the file are there, in every encoding. */
export async function isStored(place: StoredPlace): Promise<boolean> {
  const { root, folder, file } = place;
  const folders = (await loadSegments(place))?.folders ?? [folder];
  const paths = folders.flatMap((name) => [file, file + GZIP].map((one) => join(root, name, one)));
  const found = await Promise.all(
    paths.map(async (path) => ifExists(access(path, constants.R_OK).then(() => true))),
  );
  return found.every((isFound) => isFound === true);
}

async function* readParts({ parts }: OpenParts, highWaterMark: number): AsyncGenerator<Buffer> {
  for (const { handle, start, end } of parts) {
    for (let at = start; at < end; ) {
      const buffer = Buffer.allocUnsafe(Math.min(highWaterMark, end - at));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0 && end === Infinity) return;
      if (bytesRead === 0) throw new DamagedFile("a file of a render is too short");
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }
}

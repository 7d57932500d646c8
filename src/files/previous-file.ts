/**
 * A file of the previous render, whose parts are kept in the new one. What is read is checked; kept segments are not
 * read.
 */
import { crc32 } from "node:zlib";
import type { BlockingFile, BlockingFiles, FileName, FileStore } from "./file-store.ts";
import { type Segment, SegmentCursor, SegmentList } from "./segments.ts";
import { DamagedFile, GZIP, loadSegments, SEGMENTS } from "./stored-files.ts";

/** Bytes of the new file: written now, or a range of the previous file. */
export type Part = { readonly bytes: Uint8Array } | KeptPart;

type KeptPart = { readonly start: number; end: number };

/**
 * A file that is scattered over more folders is gathered: the segments of the folders with the fewest needed bytes are
 * copied until half as many folders are left. The same is done if its folders have more bytes than this for each byte
 * of it.
 */
const MAX_FOLDERS = 16;
const MAX_STORED_BYTES = 3;

/** What a writer is told about the previous file. Plain data, since it may be on another thread. */
export type PreviousOptions = {
  readonly folder: string;
  /** The folders whose segments are copied, so that the file does not depend on too many old folders. */
  readonly copied: ReadonlySet<string>;
};

export type LoadedPrevious = PreviousOptions & {
  readonly list: SegmentList;
  /** How many bytes of the file are in folders that are copied. */
  readonly copiedBytes: number;
};

/**
 * Undefined if the render has no such file. Throws if one of its files does not have all bytes that are needed of it:
 * kept segments are not read.
 */
export async function loadPrevious(store: FileStore, name: FileName): Promise<LoadedPrevious | undefined> {
  const list = await loadSegments(store, name);
  if (!list?.hasHashes) return undefined;
  const used = await Promise.all(
    neededOf(list).map(async ({ folder, bytes, end, gzipEnd }): Promise<UsedFolder> => {
      const stored = (await store.bytesOf({ ...name, folder })) ?? 0;
      const gzip = { ...name, folder, file: name.file + GZIP };
      if (stored < end || (gzipEnd > 0 && ((await store.bytesOf(gzip)) ?? 0) < gzipEnd))
        throw new DamagedFile(`a file of the previous render is missing or too short in ${folder}`);
      return { folder, bytes, stored };
    }),
  );
  const copied = foldersToCopy(used);
  const copiedBytes = used.reduce((sum, { folder, bytes }) => sum + (copied.has(folder) ? bytes : 0), 0);
  return { folder: name.folder, copied, list, copiedBytes };
}

/** For each folder, how many bytes are needed, and where the last of them ends. */
function neededOf(list: SegmentList) {
  const needed = list.folders.map((folder) => ({ folder, bytes: 0, end: 0, gzipEnd: 0 }));
  for (let index = 0; index < list.length; index++) {
    const sum = needed[list.folderIndexOf(index)];
    if (!sum) continue;
    sum.bytes += list.bytesOf(index);
    sum.end = Math.max(sum.end, list.endOf(index));
    sum.gzipEnd = Math.max(sum.gzipEnd, list.gzipEndOf(index));
  }
  return needed;
}

/** The previous file as a writer uses it, with calls that block. */
export class PreviousFile {
  readonly list: SegmentList;
  /** For each folder of the list. */
  private readonly isCopied: readonly boolean[];
  private readonly plain: ReadFiles;
  private readonly gzip: ReadFiles;
  /** How much has been kept or skipped. The head is a segment of its own, and is always written anew. */
  private taken: number;
  /** The segment of the last part that was looked up. Parts are looked up from front to back. */
  private readonly cursor: SegmentCursor;
  /** The segment that was read last, and its bytes. */
  private readonly reading: SegmentCursor;
  private lastRead: Buffer = Buffer.alloc(0);
  private segmentBuffer: Buffer = Buffer.alloc(0);
  private runBuffer: Buffer = Buffer.alloc(0);

  constructor(files: BlockingFiles, name: FileName, { copied }: PreviousOptions, list = listOf(files, name)) {
    this.list = list;
    this.plain = new ReadFiles(files, name);
    this.gzip = new ReadFiles(files, { ...name, file: name.file + GZIP });
    this.taken = list.length > 0 ? list.bytesOf(0) : 0;
    this.cursor = new SegmentCursor(list);
    this.reading = new SegmentCursor(list);
    this.isCopied = list.folders.map((folder) => copied.has(folder));
  }

  mustCopy(index: number): boolean {
    return this.isCopied[this.list.folderIndexOf(index)] === true;
  }

  /** Goes on by so many bytes; returns where they begin. */
  take(bytes: number): number {
    const start = this.taken;
    this.taken += bytes;
    return start;
  }

  /** Goes on by so many whole segments; returns the index of the first one. */
  takeSegments(count: number): number {
    const { cursor } = this;
    cursor.seek(this.taken);
    const { index } = cursor;
    for (let at = index; at < index + count; at++) this.taken += this.list.bytesOf(at);
    return index;
  }

  /** The index of the segment that is exactly these parts. */
  findSegment(parts: readonly Part[]): number | undefined {
    const first = parts.find((part) => "end" in part);
    if (!first) return undefined;
    const { cursor } = this;
    const isStart = cursor.seek(first.start);
    return parts.length === 1 && isStart && first.start + cursor.bytes === first.end
      ? cursor.index
      : undefined;
  }

  /** Copies the bytes of a part into `target`, at an offset. Parts are copied from front to back. */
  copy({ start, end }: KeptPart, target: Buffer, offset: number): void {
    for (let at = start; at < end; ) {
      const bytes = this.readSegmentAt(at);
      const { start: position } = this.reading;
      at += bytes.copy(target, offset + at - start, at - position, end - position);
    }
  }

  /** Segments that follow each other on disk. The caller checks them. Valid until the next call. */
  readRun(segments: readonly Segment[]): Buffer {
    const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
    const { folder = "", at = 0 } = segments[0] ?? {};
    this.runBuffer = withRoom(this.runBuffer, bytes);
    return this.plain.read(folder, at, this.runBuffer.subarray(0, bytes));
  }

  /** The compressed bytes of segments that follow each other on disk. */
  readGzip(segments: readonly Segment[]): Buffer {
    const bytes = segments.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0);
    const { folder = "", gzipAt = 0 } = segments[0] ?? {};
    return this.gzip.read(folder, gzipAt, Buffer.allocUnsafe(bytes));
  }

  close(): void {
    this.plain.close();
    this.gzip.close();
  }

  /** Read as a whole, so that it can be checked. Valid until the next call. */
  private readSegmentAt(byte: number): Buffer {
    const { reading, lastRead } = this;
    if (byte < reading.start + lastRead.length) return lastRead;
    reading.seek(byte);
    const { folder, at, bytes: length, crc } = this.list.at(reading.index);
    this.segmentBuffer = withRoom(this.segmentBuffer, length);
    this.lastRead = this.plain.read(folder, at, this.segmentBuffer.subarray(0, length));
    checkSegment(this.lastRead, crc);
    return this.lastRead;
  }
}

function listOf(files: BlockingFiles, name: FileName): SegmentList {
  const bytes = files.read({ ...name, file: name.file + SEGMENTS });
  if (!bytes) throw new DamagedFile("a list of segments of the previous render is missing");
  return SegmentList.parse(bytes, name.file);
}

type UsedFolder = {
  readonly folder: string;
  /** How many bytes of its file are needed, and how many it has. */
  readonly bytes: number;
  readonly stored: number;
};

function foldersToCopy(folders: readonly UsedFolder[]): ReadonlySet<string> {
  const copied = new Set<string>();
  const needed = folders.reduce((sum, { bytes }) => sum + bytes, 0);
  let stored = folders.reduce((sum, one) => sum + one.stored, 0);
  const smallestFirst = folders.toSorted((a, b) => a.bytes - b.bytes);
  if (folders.length > MAX_FOLDERS)
    for (const { folder, stored: freed } of smallestFirst.slice(0, folders.length - MAX_FOLDERS / 2)) {
      copied.add(folder);
      stored -= freed;
    }
  const share = ({ bytes, stored: of }: UsedFolder): number => (of === 0 ? 1 : bytes / of);
  for (const { folder, stored: freed, bytes } of folders.toSorted((a, b) => share(a) - share(b))) {
    if (stored <= MAX_STORED_BYTES * needed) break;
    if (copied.has(folder)) continue;
    copied.add(folder);
    stored -= freed - bytes;
  }
  return copied;
}

/** The buffer, or a larger one. What is allocated for each segment would wait for a collection: tens of megabytes. */
export function withRoom(buffer: Buffer, bytes: number): Buffer {
  return buffer.length < bytes ? Buffer.allocUnsafeSlow(bytes) : buffer;
}

export function checkSegment(bytes: Buffer, crc: number): void {
  if (crc32(bytes) !== crc)
    throw new DamagedFile("a segment of the previous render has other bytes than were written");
}

/** The files of one name in several folders. A file is opened when it is needed first. */
class ReadFiles {
  private readonly opened = new Map<string, BlockingFile>();
  private readonly files: BlockingFiles;
  private readonly name: FileName;

  constructor(files: BlockingFiles, name: FileName) {
    this.files = files;
    this.name = name;
  }

  /** Fills the buffer, and returns it. */
  read(folder: string, start: number, buffer: Buffer): Buffer {
    const file = this.open(folder);
    for (let filled = 0; filled < buffer.length; ) {
      const count = file.read(buffer.subarray(filled), start + filled);
      if (count === 0) throw new DamagedFile(`${this.name.file} is too short in ${folder}`);
      filled += count;
    }
    return buffer;
  }

  close(): void {
    for (const file of this.opened.values()) file.close();
    this.opened.clear();
  }

  private open(folder: string): BlockingFile {
    const file = this.opened.get(folder) ?? this.files.open({ ...this.name, folder });
    if (!file) throw new DamagedFile(`${this.name.file} is missing in ${folder}`);
    this.opened.set(folder, file);
    return file;
  }
}

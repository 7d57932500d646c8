/**
 * Writes the bytes of one file of a render: segments that are new. Segments of the previous render are neither read nor written,
 * unless they are in a folder with few bytes that are still needed: these are copied. Everything but the end is synchronous: a file of some size is written on a thread of its own
 * (`write-thread.ts`), where calls that return promises would cost more than the work itself.
 */
import { closeSync, fsync, openSync, writevSync } from "node:fs";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { combineCrc32, compressSegment, GZIP_HEADER, gzipTrailer } from "./gzip-segments.ts";
import { checkSegment, openPrevious, type Part, type PreviousFile, withRoom } from "./previous-file.ts";
import { hashSegment, type Segment, SegmentList } from "./segments.ts";
import { DamagedFile, GZIP, SEGMENTS, type StoredPlace } from "./stored-files.ts";

export type FileOptions = {
  readonly path: string;
  /** The name of the folder that is written. */
  readonly folder: string;
  readonly mode: number;
  /** Feeds have an ETag and a compressed copy. */
  readonly isFeed: boolean;
  /** The file of the previous render. */
  readonly previous: StoredPlace | undefined;
};

export type WrittenFile = {
  /** Empty if the file is no feed. */
  readonly etag: string;
  readonly bytes: number;
  readonly gzipBytes: number;
};

/** What to do next with the file. Every step has a number: of bytes if nothing else is said. */
export const STEP = {
  /** The next new bytes. */
  write: 0,
  /** The next bytes of the previous file. */
  keep: 1,
  /** Leaves out the next bytes of the previous file. */
  skip: 2,
  /** The segment is complete. Zero. */
  end: 3,
  /** Keeps the next segments of the previous file as they are. Their number. */
  segments: 4,
} as const;

/** A part of a file: new bytes, and what to do with them and with the previous file, as pairs of a step and its number. */
export type FileBatch = { readonly bytes: Uint8Array; readonly steps: readonly number[] };

/** Segments that are copied are read together. So many bytes stay in the cache of the processor while they are checked. */
const MAX_RUN = 256 * 1024;

export class FileWriter {
  private readonly options: FileOptions;
  private readonly previous: PreviousFile | undefined;
  private readonly list: SegmentList;
  private readonly plain: AppendedFile;
  private readonly gzip: AppendedFile;
  private readonly segments: AppendedFile;
  private bytes = 0;
  private gzipBytes = 0;
  private crc = 0;
  /** The open segment. */
  private parts: Part[] = [];
  /** Segments to copy that follow each other on disk. */
  private run: Segment[] = [];
  private runBytes = 0;
  private gathered: Buffer = Buffer.alloc(0);

  /** Closes the previous file, too. */
  constructor(options: FileOptions, previous = options.previous && openPrevious(options.previous)) {
    this.options = options;
    this.previous = previous;
    this.list = new SegmentList(previous?.list.length);
    this.plain = new AppendedFile(options.path, options.mode);
    this.gzip = new AppendedFile(options.path + GZIP, options.mode);
    this.segments = new AppendedFile(options.path + SEGMENTS, options.mode);
  }

  /** The bytes of the batch are not used any more when it returns. */
  apply({ bytes, steps }: FileBatch): void {
    let at = 0;
    for (let next = 0; next < steps.length; next += 2) {
      const [step, count = 0] = [steps[next], steps[next + 1]];
      if (step === STEP.write) this.parts.push({ bytes: bytes.subarray(at, (at += count)) });
      else if (step === STEP.keep) this.keep(count);
      else if (step === STEP.skip) this.earlier().take(count);
      else if (step === STEP.segments) this.keepSegments(count);
      else this.endSegment();
    }
    this.plain.flush();
    this.gzip.flush();
    this.parts = this.parts.map((part) => ("bytes" in part ? { bytes: Buffer.from(part.bytes) } : part));
  }

  /** Resolves when all bytes are on disk. */
  async finish(): Promise<WrittenFile> {
    const { isFeed } = this.options;
    this.closeRun();
    if (isFeed) {
      const trailer = gzipTrailer(this.crc, this.bytes);
      this.list.push({ ...this.newSegment(), gzipBytes: trailer.length });
      this.gzip.write(trailer);
      this.gzipBytes += trailer.length;
    }
    this.previous?.close();
    for (const part of this.list.encode()) this.segments.write(part);
    const etag = isFeed ? this.list.etag() : "";
    const files = isFeed ? [this.plain, this.gzip, this.segments] : [this.plain, this.segments];
    await Promise.all(files.map(async (file) => file.finish()));
    return { etag, bytes: this.bytes, gzipBytes: this.gzipBytes };
  }

  /** Closes all files. Harmless after `finish`. */
  close(): void {
    this.plain.close();
    this.gzip.close();
    this.segments.close();
    this.previous?.close();
  }

  private keep(count: number): void {
    const start = this.earlier().take(count);
    const last = this.parts.at(-1);
    if (last && "end" in last && last.end === start) last.end += count;
    else this.parts.push({ start, end: start + count });
  }

  private keepSegments(count: number): void {
    const previous = this.earlier();
    const first = previous.takeSegments(count);
    for (let start = first, end = first; start < first + count; start = end) {
      if (previous.mustCopy(start)) {
        this.addToRun(previous.list.at(start));
        end = start + 1;
        continue;
      }
      while (end < first + count && !previous.mustCopy(end)) end += 1;
      this.closeRun();
      for (let index = start; index < end; index++) this.count(previous.list, index);
      this.list.append(previous.list, start, end);
    }
  }

  private endSegment(): void {
    const { parts } = this;
    this.parts = [];
    const kept = this.previous?.findSegment(parts);
    if (kept !== undefined && this.previous?.mustCopy(kept)) this.addToRun(this.previous.list.at(kept));
    else {
      this.closeRun();
      if (kept === undefined) this.addNew(this.gather(parts));
      else this.add(this.earlier().list.at(kept));
    }
  }

  private earlier(): PreviousFile {
    if (this.previous) return this.previous;
    throw new DamagedFile("the previous render has no such file");
  }

  private addToRun(segment: Segment): void {
    const last = this.run.at(-1);
    const isNext = last?.folder === segment.folder && last.at + last.bytes === segment.at;
    if (!isNext || this.runBytes + segment.bytes > MAX_RUN) this.closeRun();
    this.run.push(segment);
    this.runBytes += segment.bytes;
  }

  private closeRun(): void {
    const { run, previous } = this;
    if (run.length === 0 || !previous) return;
    this.run = [];
    this.runBytes = 0;
    const plain = previous.readRun(run);
    let { at, gzipAt } = this.newSegment();
    let offset = 0;
    for (const segment of run) {
      const { bytes, gzipBytes, crc } = segment;
      checkSegment(plain.subarray(offset, offset + bytes), crc);
      this.add({ ...segment, folder: this.options.folder, at, gzipAt });
      offset += bytes;
      at += bytes;
      gzipAt += gzipBytes;
    }
    // At once: the buffer of the run is used again.
    this.plain.write(plain);
    this.plain.flush();
    if (this.options.isFeed) this.gzip.write(previous.readGzip(run));
  }

  private addNew(plain: Buffer): void {
    const isFirst = this.list.length === 0;
    const compressed = this.options.isFeed ? compressSegment(plain) : NO_BYTES;
    const gzip = isFirst && this.options.isFeed ? Buffer.concat([GZIP_HEADER, compressed]) : compressed;
    const [bytes, gzipBytes] = [plain.length, gzip.length];
    this.add({ ...this.newSegment(), bytes, gzipBytes, crc: crc32(plain), hash: hashSegment(plain) });
    this.plain.write(plain);
    // At once: the memory of the compressed bytes is used again.
    this.gzip.write(gzip);
    this.gzip.flush();
  }

  /** The bytes of the parts. Valid until the next call. */
  private gather(parts: readonly Part[]): Buffer {
    const [only] = parts;
    if (parts.length === 1 && only && "bytes" in only)
      return Buffer.from(only.bytes.buffer, only.bytes.byteOffset, only.bytes.length);
    const lengths = parts.map((part) => ("bytes" in part ? part.bytes.length : part.end - part.start));
    const length = lengths.reduce((sum, bytes) => sum + bytes, 0);
    // What was gathered before is written before its memory is used again.
    this.plain.flush();
    this.gathered = withRoom(this.gathered, length);
    let offset = 0;
    for (const [index, part] of parts.entries()) {
      if ("bytes" in part) this.gathered.set(part.bytes, offset);
      else this.earlier().copy(part, this.gathered, offset);
      offset += lengths[index] ?? 0;
    }
    return this.gathered.subarray(0, length);
  }

  /** At the ends of the files. */
  private newSegment(): Segment {
    const { folder } = this.options;
    const [at, gzipAt] = [this.plain.bytes, this.gzip.bytes];
    return { folder, at, bytes: 0, gzipAt, gzipBytes: 0, crc: 0, hash: NO_BYTES };
  }

  private add(segment: Segment): void {
    this.list.push(segment);
    this.count(this.list, this.list.length - 1);
  }

  private count(list: SegmentList, index: number): void {
    const bytes = list.bytesOf(index);
    if (this.options.isFeed) this.crc = combineCrc32(this.crc, list.crcOf(index), bytes);
    this.bytes += bytes;
    this.gzipBytes += list.gzipBytesOf(index);
  }
}

const NO_BYTES = Buffer.alloc(0);

const syncToDisk = promisify(fsync);

/** A file that is written from front to back. */
class AppendedFile {
  private readonly path: string;
  private readonly mode: number;
  private file: number | undefined;
  private pending: Buffer[] = [];
  /** With those that are pending. */
  bytes = 0;

  constructor(path: string, mode: number) {
    this.path = path;
    this.mode = mode;
  }

  write(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.pending.push(bytes);
    this.bytes += bytes.length;
  }

  flush(): void {
    if (this.pending.length === 0) return;
    let rest: readonly Buffer[] = this.pending;
    this.pending = [];
    while (rest.length > 0) rest = after(rest, writevSync(this.open(), rest));
  }

  /** Resolves when all bytes are on disk. An empty file is created as well. */
  async finish(): Promise<void> {
    this.flush();
    await syncToDisk(this.open());
    this.close();
  }

  private open(): number {
    return (this.file ??= openSync(this.path, "w", this.mode));
  }

  close(): void {
    const { file } = this;
    this.file = undefined;
    if (file !== undefined) closeSync(file);
  }
}

/** What is left of the buffers after their first bytes. */
function after(buffers: readonly Buffer[], bytes: number): readonly Buffer[] {
  let left = bytes;
  for (const [index, buffer] of buffers.entries()) {
    if (left < buffer.length) return [buffer.subarray(left), ...buffers.slice(index + 1)];
    left -= buffer.length;
  }
  return [];
}

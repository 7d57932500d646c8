/**
 * Writes the bytes of one file of a render: segments that are new. Segments of the previous render are neither read nor
 * written, unless they are in a folder with few bytes that are still needed: these are copied. Everything but the end
 * is synchronous: a file of some size is written on a thread of its own (`write-thread.ts`), where calls that return
 * promises would cost more than the work itself.
 */
import { crc32 } from "node:zlib";
import type { AppendedFile, FileName } from "./file-store.ts";
import { combineCrc32, compressSegment, GZIP_HEADER, gzipTrailer } from "./gzip-segments.ts";
import { openStore } from "./open-store.ts";
import { checkSegment, type Part, PreviousFile, type PreviousOptions, withRoom } from "./previous-file.ts";
import { hashSegment, type Segment, SegmentList } from "./segments.ts";
import { DamagedFile, GZIP, SEGMENTS } from "./stored-files.ts";

/** A file that is written completely. Plain data, since it may be written on another thread. */
export type NewFile = {
  /** Of the store. */
  readonly location: string;
  readonly name: FileName;
  /** Feeds have an ETag and a compressed copy. */
  readonly isFeed: boolean;
};

export type FileOptions = NewFile & { readonly previous: PreviousOptions | undefined };

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

/**
 * A part of a file: new bytes, and what to do with them and with the previous file, as pairs of a step and its number.
 */
export type FileBatch = { readonly bytes: Uint8Array; readonly steps: readonly number[] };

/**
 * Segments that are copied are read together. So many bytes stay in the cache of the processor while they are checked.
 */
const MAX_RUN = 256 * 1024;

export class FileWriter {
  private readonly folder: string;
  private readonly isFeed: boolean;
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

  /** `list`: of the previous file, if it has been loaded. */
  constructor({ location, name, isFeed, previous }: FileOptions, list?: SegmentList) {
    const { blocking } = openStore(location);
    this.folder = name.folder;
    this.isFeed = isFeed;
    const append = (suffix: string): AppendedFile => blocking.append({ ...name, file: name.file + suffix });
    this.plain = append("");
    this.gzip = append(GZIP);
    this.segments = append(SEGMENTS);
    this.previous =
      previous && new PreviousFile(blocking, { ...name, folder: previous.folder }, previous, list);
    this.list = new SegmentList(this.previous?.list.length);
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
    const { isFeed } = this;
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
      this.add({ ...segment, folder: this.folder, at, gzipAt });
      offset += bytes;
      at += bytes;
      gzipAt += gzipBytes;
    }
    // At once: the buffer of the run is used again.
    this.plain.write(plain);
    this.plain.flush();
    if (this.isFeed) this.gzip.write(previous.readGzip(run));
  }

  private addNew(plain: Buffer): void {
    const isFirst = this.list.length === 0;
    const compressed = this.isFeed ? compressSegment(plain) : NO_BYTES;
    const gzip = isFirst && this.isFeed ? Buffer.concat([GZIP_HEADER, compressed]) : compressed;
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
    const { folder } = this;
    const [at, gzipAt] = [this.plain.bytes, this.gzip.bytes];
    return { folder, at, bytes: 0, gzipAt, gzipBytes: 0, crc: 0, hash: NO_BYTES };
  }

  private add(segment: Segment): void {
    this.list.push(segment);
    this.count(this.list, this.list.length - 1);
  }

  private count(list: SegmentList, index: number): void {
    const bytes = list.bytesOf(index);
    if (this.isFeed) this.crc = combineCrc32(this.crc, list.crcOf(index), bytes);
    this.bytes += bytes;
    this.gzipBytes += list.gzipBytesOf(index);
  }
}

const NO_BYTES = Buffer.alloc(0);

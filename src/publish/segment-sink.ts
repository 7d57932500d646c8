/**
 * Writes one file of a render, segment by segment. What the previous render wrote is passed on with `keep`: a segment that
 * consists of nothing else is not written again, but referred to. The bytes of the file do not depend on what was kept.
 *
 * Reading and compressing overlap with the caller and with each other; hashing and writing follow the order of the file.
 */
import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { combineCrc32, compressSegment, GZIP_HEADER, gzipTrailer } from "./gzip-segments.ts";
import { type Segment, type SegmentCursor, SegmentList } from "./segments.ts";
import { DamagedFile, GZIP, type OpenFiles, SEGMENTS } from "./stored-files.ts";

export type SinkOptions = {
  readonly path: string;
  /** The name of the folder that is written. */
  readonly folder: string;
  readonly mode: number;
  /** Feeds are hashed and have a compressed copy. */
  readonly isFeed: boolean;
  readonly previous: PreviousFile | undefined;
};

export type WrittenFile = {
  /** Empty if the file is no feed. */
  readonly sha256: string;
  readonly bytes: number;
  readonly gzipBytes: number;
};

export type PreviousFile = {
  readonly list: SegmentList;
  readonly plain: OpenFiles;
  readonly gzip: OpenFiles;
  /** Kept segments are copied, so that the file does not depend on too many old folders. */
  readonly isCopied: boolean;
};

/**
 * A segment ends at the first candidate after so many bytes, or before any part after `MAX_SEGMENT`. Small segments are used
 * again more often; large ones compress better, by 4 % over this size.
 */
const MIN_SEGMENT = 32 * 1024;
const MAX_SEGMENT = 256 * 1024;
/** Kept segments are read together. */
const MAX_RUN = 1024 * 1024;
/** What may wait for the disk or for compression. */
const MAX_IN_FLIGHT = 2 * 1024 * 1024;
/** Small at first: most catalogs are. */
const FIRST_ARENA = 16 * 1024;
const MAX_ARENA = 1024 * 1024;

/** Bytes of the new file: written now, or a range of the previous file. */
type Part = { readonly bytes: Buffer } | { readonly start: number; end: number };

type ReadSegment = SegmentCursor & { readonly bytes: Buffer };

/** What a job has prepared: the bytes of one or more segments. */
type Prepared = {
  readonly plain: Buffer;
  readonly gzip: Buffer | undefined;
  /** The segments that were kept, in their order; none for a new one. */
  readonly kept: readonly Segment[];
};

export class SegmentSink {
  private readonly options: SinkOptions;
  private readonly hash: Hash | undefined;
  private readonly list = new SegmentList();
  private readonly plain: BufferedFile;
  private readonly gzip: BufferedFile;
  private bytes = 0;
  private gzipBytes = 0;
  private crc = 0;

  /** The open segment. */
  private parts: Part[] = [];
  private size = 0;
  private arena = Buffer.allocUnsafe(FIRST_ARENA);
  private arenaStart = 0;
  private arenaEnd = 0;

  /** How much of the previous file has been kept or skipped, and a segment at or before that place. */
  private previousAt = 0;
  private cursor: SegmentCursor = { index: 0, position: 0 };

  /** Kept segments that follow each other on disk. */
  private run: Segment[] = [];
  private runBytes = 0;

  private jobs: Promise<void>[] = [];
  private last: Promise<void> = Promise.resolve();
  private inFlight = 0;
  private finishing: Promise<unknown> | undefined;

  constructor(options: SinkOptions) {
    this.options = options;
    this.plain = new BufferedFile(options.path, options.mode);
    this.gzip = new BufferedFile(options.path + GZIP, options.mode);
    this.hash = options.isFeed ? createHash("sha256") : undefined;
  }

  /** First of all. It is a segment of its own. */
  head(text: string): void {
    const bytes = Buffer.from(text);
    const { previous } = this.options;
    if (previous && previous.list.length > 0) this.previousAt = previous.list.at(0).bytes;
    this.enqueue(bytes.length, async () => this.compressed(bytes, GZIP_HEADER));
  }

  /**
   * Before each part that may begin a segment. A candidate is chosen by content alone, so that after a change the same
   * segments follow again.
   */
  start(isCandidate: boolean): void {
    if (this.size >= (isCandidate ? MIN_SEGMENT : MAX_SEGMENT)) this.closeSegment();
  }

  /** Returns how many bytes the text has. */
  write(text: string): number {
    if (text === "") return 0;
    // UTF-8 needs at most three bytes per UTF-16 unit.
    if (this.arenaEnd + 3 * text.length > this.arena.length) this.newArena(3 * text.length);
    const written = this.arena.write(text, this.arenaEnd, "utf8");
    this.arenaEnd += written;
    this.size += written;
    return written;
  }

  writeBytes(bytes: Uint8Array): void {
    if (this.arenaEnd + bytes.length > this.arena.length) this.newArena(bytes.length);
    this.arena.set(bytes, this.arenaEnd);
    this.arenaEnd += bytes.length;
    this.size += bytes.length;
  }

  /** Continues with the next bytes of the previous file. */
  keep(bytes: number): void {
    if (bytes === 0) return;
    this.closePart();
    const start = this.previousAt;
    const last = this.parts.at(-1);
    if (last && "end" in last && last.end === start) last.end += bytes;
    else this.parts.push({ start, end: start + bytes });
    this.previousAt += bytes;
    this.size += bytes;
  }

  /** Leaves out the next bytes of the previous file. */
  skip(bytes: number): void {
    this.previousAt += bytes;
  }

  /** A promise when the disk and the compression need to catch up. */
  busy(): Promise<void> | undefined {
    return this.inFlight > MAX_IN_FLIGHT ? this.jobs[this.jobs.length >> 1] : undefined;
  }

  async finish(tail = ""): Promise<WrittenFile> {
    const finished = this.writeTail(tail);
    this.finishing = finished.catch(() => undefined);
    return finished;
  }

  private async writeTail(tail: string): Promise<WrittenFile> {
    const { isFeed, path, mode } = this.options;
    if (this.size > 0) this.closeSegment();
    this.closeRun();
    const bytes = Buffer.from(tail);
    this.enqueue(bytes.length, async () => this.compressed(bytes));
    await this.last;
    if (isFeed) {
      const trailer = gzipTrailer(this.crc, this.bytes);
      await this.gzip.write(trailer);
      this.gzipBytes += trailer.length;
      this.list.push({
        ...this.newSegment(),
        gzipAt: this.gzip.bytes - trailer.length,
        gzipBytes: trailer.length,
      });
      await this.gzip.finish();
    }
    await this.plain.finish();
    await this.list.save(path + SEGMENTS, { mode });
    await this.closePrevious();
    return { sha256: this.hash?.digest("hex") ?? "", bytes: this.bytes, gzipBytes: this.gzipBytes };
  }

  /** Closes all files. Harmless after `finish`. */
  async drop(): Promise<void> {
    await this.last.catch(() => undefined);
    await this.finishing;
    await Promise.all([this.plain.close(), this.gzip.close(), this.closePrevious()]);
  }

  private async closePrevious(): Promise<void> {
    const { previous } = this.options;
    await Promise.all([previous?.plain.close(), previous?.gzip.close()]);
  }

  private newArena(bytes: number): void {
    this.closePart();
    this.arena = Buffer.allocUnsafe(Math.max(Math.min(4 * this.arena.length, MAX_ARENA), bytes));
    this.arenaStart = this.arenaEnd = 0;
  }

  private closePart(): void {
    if (this.arenaEnd === this.arenaStart) return;
    this.parts.push({ bytes: this.arena.subarray(this.arenaStart, this.arenaEnd) });
    this.arenaStart = this.arenaEnd;
  }

  private closeSegment(): void {
    this.closePart();
    const { parts, size } = this;
    this.parts = [];
    this.size = 0;
    const firstKept = parts.find((part) => "end" in part);
    if (firstKept) this.moveCursor(firstKept.start);
    const kept = this.keptSegment(parts);
    if (kept) this.addToRun(kept);
    else {
      this.closeRun();
      const { cursor } = this;
      this.enqueue(size, async () => this.compressed(await this.gather(parts, cursor)));
    }
  }

  /** To the segment of the previous file that has this byte. */
  private moveCursor(byte: number): void {
    const { list } = this.options.previous ?? { list: new SegmentList() };
    let { index, position } = this.cursor;
    for (; index < list.length; index++) {
      const next = position + list.at(index).bytes;
      if (next > byte) break;
      position = next;
    }
    this.cursor = { index, position };
  }

  /** The segment of the previous file that is exactly these parts. */
  private keptSegment(parts: readonly Part[]): Segment | undefined {
    const { previous } = this.options;
    const [part] = parts;
    if (!previous || parts.length !== 1 || !part || !("end" in part)) return undefined;
    const { index, position } = this.cursor;
    if (index === previous.list.length || position !== part.start) return undefined;
    const segment = previous.list.at(index);
    return position + segment.bytes === part.end ? segment : undefined;
  }

  private addToRun(segment: Segment): void {
    const last = this.run.at(-1);
    const isNext = last?.folder === segment.folder && last.at + last.bytes === segment.at;
    if (!isNext || this.runBytes + segment.bytes > MAX_RUN) this.closeRun();
    this.run.push(segment);
    this.runBytes += segment.bytes;
  }

  private closeRun(): void {
    const { run, runBytes } = this;
    const [first] = run;
    if (!first) return;
    this.run = [];
    this.runBytes = 0;
    this.enqueue(runBytes, async () => this.readRun(first, run, runBytes));
  }

  private async readRun(first: Segment, kept: readonly Segment[], bytes: number): Promise<Prepared> {
    const { previous, isFeed } = this.options;
    if (!previous) throw new Error("there is no previous file");
    const plain = await previous.plain.read(first.folder, first.at, bytes);
    const gzipBytes = kept.reduce((sum, segment) => sum + segment.gzipBytes, 0);
    const gzip =
      previous.isCopied && isFeed
        ? await previous.gzip.read(first.folder, first.gzipAt, gzipBytes)
        : undefined;
    return { plain, gzip, kept };
  }

  /** The bytes of a segment that has new ones. */
  private async gather(parts: readonly Part[], cursor: SegmentCursor): Promise<Buffer> {
    const [only] = parts;
    if (parts.length === 1 && only && "bytes" in only) return only.bytes;
    const chunks: Buffer[] = [];
    let from: ReadSegment = { ...cursor, bytes: Buffer.alloc(0) };
    for (const part of parts) {
      if ("bytes" in part) chunks.push(part.bytes);
      else
        for (let at = part.start; at < part.end; ) {
          from = await this.readSegmentAt(at, from);
          const chunk = from.bytes.subarray(at - from.position, part.end - from.position);
          chunks.push(chunk);
          at += chunk.length;
        }
    }
    return Buffer.concat(chunks);
  }

  /** The previous file's segment with this byte, at or after `from`. It is read as a whole, so that it can be checked. */
  private async readSegmentAt(byte: number, from: ReadSegment): Promise<ReadSegment> {
    if (byte < from.position + from.bytes.length) return from;
    const { previous } = this.options;
    if (!previous) throw new Error("there is no previous file");
    let { index, position } = from;
    while (index < previous.list.length && position + previous.list.at(index).bytes <= byte)
      position += previous.list.at(index++).bytes;
    const { folder, at, bytes: length, crc } = previous.list.at(index);
    const bytes = await previous.plain.read(folder, at, length);
    checkSegment(bytes, crc);
    return { index, position, bytes };
  }

  private async compressed(plain: Buffer, before?: Buffer): Promise<Prepared> {
    if (!this.options.isFeed) return { plain, gzip: undefined, kept: [] };
    const gzip = await compressSegment(plain);
    return { plain, gzip: before ? Buffer.concat([before, gzip]) : gzip, kept: [] };
  }

  private enqueue(bytes: number, prepare: () => Promise<Prepared>): void {
    this.inFlight += bytes;
    const prepared = prepare();
    // The job reports a failure; until then it must not be an unhandled rejection.
    prepared.catch(() => undefined);
    const job = this.last.then(async () => {
      await this.commit(await prepared);
      this.inFlight -= bytes;
      this.jobs.shift();
    });
    // `finish` and `busy` report a failure.
    job.catch(() => undefined);
    this.last = job;
    this.jobs.push(job);
  }

  private newSegment(): Segment {
    const { folder } = this.options;
    return { folder, at: this.plain.bytes, bytes: 0, gzipAt: this.gzip.bytes, gzipBytes: 0, crc: 0 };
  }

  private async commit({ plain, gzip, kept }: Prepared): Promise<void> {
    const { previous } = this.options;
    this.hash?.update(plain);
    const [at, gzipAt] = [this.plain.bytes, this.gzip.bytes];
    if (kept.length === 0) {
      const crc = crc32(plain);
      this.add({ ...this.newSegment(), bytes: plain.length, gzipBytes: gzip?.length ?? 0, crc });
    }
    let offset = 0;
    let gzipOffset = 0;
    for (const segment of kept) {
      const { bytes, gzipBytes, crc } = segment;
      checkSegment(plain.subarray(offset, offset + bytes), crc);
      const place = { folder: this.options.folder, at: at + offset, gzipAt: gzipAt + gzipOffset };
      this.add(previous?.isCopied ? { ...segment, ...place } : segment);
      offset += bytes;
      gzipOffset += gzipBytes;
    }
    if (kept.length > 0 && !previous?.isCopied) return;
    await this.plain.write(plain);
    if (gzip) await this.gzip.write(gzip);
  }

  private add(segment: Segment): void {
    this.list.push(segment);
    this.crc = combineCrc32(this.crc, segment.crc, segment.bytes);
    this.bytes += segment.bytes;
    this.gzipBytes += segment.gzipBytes;
  }
}

function checkSegment(bytes: Buffer, crc: number): void {
  if (crc32(bytes) !== crc)
    throw new DamagedFile("a segment of the previous render has other bytes than were written");
}

/** Few large writes. */
const WRITE_BYTES = 512 * 1024;

class BufferedFile {
  private readonly path: string;
  private readonly mode: number;
  private handle: FileHandle | undefined;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  bytes = 0;

  constructor(path: string, mode: number) {
    this.path = path;
    this.mode = mode;
  }

  async write(bytes: Buffer): Promise<void> {
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
    this.bytes += bytes.length;
    if (this.pendingBytes >= WRITE_BYTES) await this.flush();
  }

  /** Resolves when all bytes are on disk. */
  async finish(): Promise<void> {
    await this.flush();
    await this.handle?.sync();
    await this.close();
  }

  async close(): Promise<void> {
    const { handle } = this;
    this.handle = undefined;
    await handle?.close();
  }

  private async flush(): Promise<void> {
    this.handle ??= await open(this.path, "w", this.mode);
    let rest: readonly Buffer[] = this.pending;
    this.pending = [];
    this.pendingBytes = 0;
    while (rest.length > 0) {
      const { bytesWritten } = await this.handle.writev(rest);
      rest = after(rest, bytesWritten);
    }
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

/**
 * Writes one file of a render, segment by segment. What the previous render wrote is passed on with `keep`: a segment that
 * consists of nothing else is not written again, but referred to. The bytes of the file do not depend on what was kept.
 *
 * Reading and compressing overlap with the caller and with each other; hashing and writing follow the order of the file.
 */
import { createHash, type Hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { BufferedFile } from "./buffered-file.ts";
import { combineCrc32, compressSegment, GZIP_HEADER, gzipTrailer } from "./gzip-segments.ts";
import { checkSegment, gatherNew, type Part, type PreviousFile } from "./previous-file.ts";
import { type Segment, SegmentList } from "./segments.ts";
import { GZIP, SEGMENTS } from "./stored-files.ts";

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
    this.options.previous?.skipHead();
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
    const start = this.options.previous?.take(bytes) ?? 0;
    const last = this.parts.at(-1);
    if (last && "end" in last && last.end === start) last.end += bytes;
    else this.parts.push({ start, end: start + bytes });
    this.size += bytes;
  }

  /** Leaves out the next bytes of the previous file. */
  skip(bytes: number): void {
    this.options.previous?.take(bytes);
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
    await this.options.previous?.close();
    return { sha256: this.hash?.digest("hex") ?? "", bytes: this.bytes, gzipBytes: this.gzipBytes };
  }

  /** Closes all files. Harmless after `finish`. */
  async drop(): Promise<void> {
    await this.last.catch(() => undefined);
    await this.finishing;
    await Promise.all([this.plain.close(), this.gzip.close(), this.options.previous?.close()]);
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
    const { previous } = this.options;
    const kept = previous?.findSegment(parts);
    if (kept) this.addToRun(kept);
    else {
      this.closeRun();
      const bytes = previous ? previous.gather(parts) : gatherNew(parts);
      this.enqueue(size, async () => this.compressed(await bytes));
    }
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
    if (run.length === 0) return;
    this.run = [];
    this.runBytes = 0;
    this.enqueue(runBytes, async () => this.readRun(run));
  }

  private async readRun(kept: readonly Segment[]): Promise<Prepared> {
    const { previous, isFeed } = this.options;
    if (!previous) throw new Error("there is no previous file");
    return { ...(await previous.readRun(kept, isFeed)), kept };
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
    const job = this.commitAfter(this.last, prepared, bytes);
    // `finish` and `busy` report a failure.
    job.catch(() => undefined);
    this.last = job;
    this.jobs.push(job);
  }

  private async commitAfter(
    before: Promise<void>,
    prepared: Promise<Prepared>,
    bytes: number,
  ): Promise<void> {
    await before;
    const { plain, gzip, kept } = await prepared;
    this.hash?.update(plain);
    const isWritten = kept.length === 0 ? this.addNew(plain, gzip) : this.addKept(plain, kept);
    if (isWritten) {
      await this.plain.write(plain);
      if (gzip) await this.gzip.write(gzip);
    }
    this.inFlight -= bytes;
    void this.jobs.shift();
  }

  private newSegment(): Segment {
    const { folder } = this.options;
    return { folder, at: this.plain.bytes, bytes: 0, gzipAt: this.gzip.bytes, gzipBytes: 0, crc: 0 };
  }

  /** Returns whether the bytes are to be written. */
  private addNew(plain: Buffer, gzip: Buffer | undefined): true {
    const gzipBytes = gzip?.length ?? 0;
    this.add({ ...this.newSegment(), bytes: plain.length, gzipBytes, crc: crc32(plain) });
    return true;
  }

  private addKept(plain: Buffer, kept: readonly Segment[]): boolean {
    const isCopied = this.options.previous?.isCopied ?? false;
    let { at, gzipAt } = this.newSegment();
    let offset = 0;
    for (const segment of kept) {
      const { bytes, gzipBytes, crc } = segment;
      checkSegment(plain.subarray(offset, offset + bytes), crc);
      this.add(isCopied ? { ...segment, folder: this.options.folder, at, gzipAt } : segment);
      offset += bytes;
      at += bytes;
      gzipAt += gzipBytes;
    }
    return isCopied;
  }

  private add(segment: Segment): void {
    this.list.push(segment);
    this.crc = combineCrc32(this.crc, segment.crc, segment.bytes);
    this.bytes += segment.bytes;
    this.gzipBytes += segment.gzipBytes;
  }
}

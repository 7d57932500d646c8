/**
 * Writes one file of a render, segment by segment. What the previous render wrote is passed on with `keep`: a segment
 * that consists of nothing else is not written again, but referred to. The bytes of the file do not depend on what was
 * kept.
 *
 * The sink only collects: `file-writer.ts` does the work, for all but small files on another thread.
 */
import { type FileBatch, type FileOptions, STEP, type WrittenFile } from "./file-writer.ts";
import type { FileName, FileStore } from "./file-store.ts";
import type { LoadedPrevious } from "./previous-file.ts";
import { SegmentCursor, type SegmentList } from "./segments.ts";
import { type FileEvents, type OpenFile, openHere, type SentFile } from "./sent-file.ts";
import { openOnThread } from "./write-threads.ts";

/**
 * A segment ends at the first candidate after so many bytes, or before any part after `MAX_SEGMENT`. Small segments are
 * used again more often; large ones compress better, by 4 % over this size.
 */
const MIN_SEGMENT = 32 * 1024;
const MAX_SEGMENT = 256 * 1024;
/** What is sent together: new bytes, and numbers of steps. */
const BATCH_BYTES = 256 * 1024;
const BATCH_STEPS = 16 * 1024;
/** A batch is sent at the end of a segment if the next one may not fit. */
const ROOM_FOR_SEGMENT = 48 * 1024;
/** What may wait for the thread. */
const MAX_IN_FLIGHT = 2 * BATCH_BYTES;
/** Small at first: most catalogs are. */
const FIRST_ARENA = 16 * 1024;

export type SinkOptions = {
  readonly store: FileStore;
  readonly name: FileName;
  readonly isFeed: boolean;
  /** The file of the previous render, or why it cannot be used. */
  readonly previous?: LoadedPrevious | Error | undefined;
  /** Opens the file if much of it is new. */
  readonly openLarge?: OpenFile;
};

export class SegmentSink {
  private readonly options: FileOptions;
  private readonly openLarge: OpenFile;
  private readonly bytesWithoutThread: number;
  /** Undefined until there is enough to write. */
  private file: SentFile | undefined;
  private waiting: FileBatch[] = [];
  /** The bytes of complete segments that are new, and of those that must be copied. */
  private newBytes = 0;
  private finishing: Promise<unknown> | undefined;
  private failure: { readonly error: unknown } | undefined;

  /** Of the previous file. Undefined if there is none, or it is damaged. */
  private readonly list: SegmentList | undefined;
  private readonly cursor: SegmentCursor | undefined;
  /** How many bytes of the previous file have been kept or skipped. Its head always is. */
  private taken = 0;
  /** The bytes of the previous file's segment that the open segment is in step with. */
  private stepBytes = 0;
  private inStep = false;

  /** The bytes of the open segment. */
  private size = 0;
  /** The next bytes begin a segment. */
  private begins = false;
  /** The open batch. */
  private steps: number[] = [];
  private arena: Buffer = Buffer.allocUnsafeSlow(FIRST_ARENA);
  private arenaEnd = 0;
  /** Buffers that have come back from the thread. */
  private readonly spare: Buffer[] = [];

  private inFlight = 0;
  private caughtUp: PromiseWithResolvers<void> | undefined;

  constructor({ store, name, isFeed, previous, openLarge = openOnThread }: SinkOptions) {
    this.bytesWithoutThread = store.bytesWithoutThread;
    this.openLarge = openLarge;
    const loaded = previous instanceof Error ? undefined : previous;
    if (previous instanceof Error) this.failed(previous);
    this.options = {
      location: store.location,
      name,
      isFeed,
      previous: loaded && { folder: loaded.folder, copied: loaded.copied },
    };
    if (!loaded) return;
    this.list = loaded.list;
    this.cursor = new SegmentCursor(loaded.list);
    this.taken = loaded.list.length > 0 ? loaded.list.bytesOf(0) : 0;
    this.newBytes = loaded.copiedBytes;
  }

  /** First of all. It is a segment of its own. */
  head(text: string): void {
    this.write(text);
    this.endSegment();
  }

  /**
   * Before each part that may begin a segment. A candidate is chosen by content alone, so that after a change the same
   * segments follow again. Returns whether it begins one, if it has bytes: all but the first one. For parts without
   * bytes, the call has no effect.
   */
  start(isCandidate: boolean): boolean {
    this.begins = this.size >= (isCandidate ? MIN_SEGMENT : MAX_SEGMENT);
    return this.begins;
  }

  /** Returns how many bytes the text has. */
  write(text: string): number {
    if (text === "") return 0;
    this.begin();
    // UTF-8 needs at most three bytes per UTF-16 unit.
    this.reserve(3 * text.length);
    const written = this.arena.write(text, this.arenaEnd, "utf8");
    this.wrote(written);
    return written;
  }

  writeBytes(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.begin();
    this.reserve(bytes.length);
    this.arena.set(bytes, this.arenaEnd);
    this.wrote(bytes.length);
  }

  /** Continues with the next bytes of the previous file. */
  keep(bytes: number): void {
    if (bytes === 0) return;
    this.begin();
    this.keepBytes(bytes);
  }

  /** Leaves out the next bytes of the previous file. */
  skip(bytes: number): void {
    if (bytes === 0) return;
    this.addStep(STEP.skip, bytes);
    this.taken += bytes;
    if (this.size === 0) this.findStep();
    else this.inStep = false;
  }

  /**
   * Whether the open segment began where a segment of the previous file begins, and everything in it was kept, or the
   * next bytes of the previous file begin a segment in both. So what follows will be cut as in the previous file, as
   * long as it is kept.
   */
  get isInStep(): boolean {
    return this.inStep || this.comesIntoStep();
  }

  /** Whether `keepRun` is possible: also for so few bytes that no segment can end before or in them. */
  canKeepRun(bytes: number): boolean {
    return this.isInStep || bytes === 0 || this.size + bytes < MIN_SEGMENT;
  }

  /**
   * Keeps the next bytes of the previous file, which are all bytes of parts that follow each other and are unchanged,
   * without `start` for each of them. Segments begin where they begin in the previous file. If the run ends where one
   * of them ends, the segment stays open: the next part, or the next run, decides whether it begins another one.
   */
  keepRun(bytes: number): void {
    if (!this.canKeepRun(bytes)) throw new RangeError("the segments of a run are unknown");
    this.begins = false;
    if (!this.inStep && bytes > 0 && this.comesIntoStep()) this.endSegment();
    let left = bytes;
    if (this.inStep && this.size + left > this.stepBytes) {
      const rest = this.stepBytes - this.size;
      if (rest > 0) this.keepBytes(rest);
      this.endSegment();
      left -= rest + this.keepSegments(left - rest);
    }
    if (left > 0) this.keepBytes(left);
  }

  /** How many bytes each segment of the previous file has, in the order of its list: the head is the first one. */
  previousSegments(): Float64Array {
    const { list } = this;
    return Float64Array.from({ length: list?.length ?? 0 }, (_, index) => list?.bytesOf(index) ?? 0);
  }

  /**
   * The segment of the previous file that has the next byte, and whether it is its first one. Undefined without such a
   * byte.
   */
  previousPlace(): { readonly index: number; readonly isStart: boolean } | undefined {
    const isStart = this.cursor?.seek(this.taken) ?? false;
    const { index = 0 } = this.cursor ?? {};
    return index < (this.list?.length ?? 0) ? { index, isStart } : undefined;
  }

  /** A promise when the thread needs to catch up. */
  busy(): Promise<void> | undefined {
    if (this.inFlight <= MAX_IN_FLIGHT && !this.failure) return undefined;
    this.caughtUp ??= Promise.withResolvers();
    if (this.failure) this.caughtUp.reject(this.failure.error);
    return this.caughtUp.promise;
  }

  async finish(tail = ""): Promise<WrittenFile> {
    const finished = this.writeTail(tail);
    this.finishing = finished.catch(() => undefined);
    return finished;
  }

  private async writeTail(tail: string): Promise<WrittenFile> {
    if (this.size > 0) this.endSegment();
    this.write(tail);
    this.endSegment();
    this.send();
    const file = this.file ?? this.open(openHere);
    try {
      if (this.failure) throw this.failure.error;
      return await file.finish();
    } finally {
      await file.close();
    }
  }

  /** Closes all files. Harmless after `finish`. */
  async drop(): Promise<void> {
    await this.finishing;
    await this.file?.close();
  }

  /** Before bytes that `start` was called for. */
  private begin(): void {
    if (!this.begins) return;
    this.begins = false;
    this.endSegment();
  }

  private endSegment(): void {
    const { steps } = this;
    if (this.inStep && this.size > 0 && this.size === this.stepBytes) {
      // The last step keeps exactly this segment.
      steps.length -= 2;
      this.addStep(STEP.segments, 1);
    } else {
      steps.push(STEP.end, 0);
      this.newBytes += this.size;
    }
    this.size = 0;
    this.findStep();
    if (this.arenaEnd > this.arena.length - ROOM_FOR_SEGMENT || steps.length > BATCH_STEPS) this.send();
  }

  /**
   * The part that began a segment of the previous file here was a candidate, unless the segment before was very long.
   */
  private comesIntoStep(): boolean {
    const { list, cursor } = this;
    if (!list || !cursor || this.size < MIN_SEGMENT || !cursor.seek(this.taken)) return false;
    return cursor.index > 1 && list.bytesOf(cursor.index - 1) < MAX_SEGMENT;
  }

  /** Keeps the segments that are complete before so many bytes. Returns their bytes. */
  private keepSegments(bytes: number): number {
    const count = this.cursor?.pass(bytes) ?? 0;
    if (count === 0) return 0;
    const kept = (this.cursor?.start ?? 0) - this.taken;
    this.addStep(STEP.segments, count);
    this.taken += kept;
    this.stepBytes = this.cursor?.bytes ?? 0;
    return kept;
  }

  /** The open segment has no bytes. */
  private findStep(): void {
    this.inStep = this.cursor?.seek(this.taken) ?? false;
    this.stepBytes = this.cursor?.bytes ?? 0;
  }

  private keepBytes(bytes: number): void {
    this.addStep(STEP.keep, bytes);
    this.taken += bytes;
    this.size += bytes;
    // The previous file began another segment in between.
    if (this.size > this.stepBytes) this.inStep = false;
  }

  private wrote(bytes: number): void {
    this.addStep(STEP.write, bytes);
    this.arenaEnd += bytes;
    this.size += bytes;
    this.inStep = false;
  }

  private addStep(step: number, bytes: number): void {
    const { steps } = this;
    const last = steps.length - 1;
    if (steps[last - 1] === step) steps[last] = (steps[last] ?? 0) + bytes;
    else steps.push(step, bytes);
  }

  private reserve(bytes: number): void {
    if (this.arenaEnd + bytes <= this.arena.length) return;
    this.send();
    if (bytes > this.arena.length) this.arena = Buffer.allocUnsafeSlow(bytes);
  }

  private send(): void {
    if (this.steps.length === 0) return;
    const batch = { bytes: this.arena.subarray(0, this.arenaEnd), steps: this.steps };
    this.steps = [];
    this.arena = this.spare.pop() ?? Buffer.allocUnsafeSlow(Math.min(4 * this.arena.length, BATCH_BYTES));
    this.arenaEnd = 0;
    if (this.file) this.sendTo(this.file, batch);
    else this.wait(batch);
  }

  private wait(batch: FileBatch): void {
    this.waiting.push(batch);
    if (this.newBytes + this.size > this.bytesWithoutThread) this.open(this.openLarge);
  }

  private open(open: OpenFile): SentFile {
    const events: FileEvents = {
      onApplied: (sent) => this.applied(sent),
      onFailed: (error) => this.failed(error),
    };
    const file = open(this.options, events, this.list);
    this.file = file;
    for (const one of this.waiting) this.sendTo(file, one);
    this.waiting = [];
    return file;
  }

  private sendTo(file: SentFile, batch: FileBatch): void {
    this.inFlight += batch.bytes.length;
    file.send(batch);
  }

  private applied(bytes: Uint8Array): void {
    this.inFlight -= bytes.length;
    if (bytes.buffer.byteLength === BATCH_BYTES) this.spare.push(Buffer.from(bytes.buffer));
    if (this.inFlight > MAX_IN_FLIGHT) return;
    this.caughtUp?.resolve();
    this.caughtUp = undefined;
  }

  private failed(error: unknown): void {
    this.failure ??= { error };
    this.caughtUp?.reject(error);
  }
}

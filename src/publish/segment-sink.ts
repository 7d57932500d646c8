/**
 * Writes one file of a render, segment by segment. What the previous render wrote is passed on with `keep`: a segment that
 * consists of nothing else is not written again, but referred to. The bytes of the file do not depend on what was kept.
 *
 * The sink only collects: `file-writer.ts` does the work, for all but small files on another thread.
 */
import { type FileBatch, type FileOptions, STEP, type WrittenFile } from "./file-writer.ts";
import { type OpenFile, openHere, type SentFile } from "./sent-file.ts";
import { openOnThread } from "./write-threads.ts";

/**
 * A segment ends at the first candidate after so many bytes, or before any part after `MAX_SEGMENT`. Small segments are used
 * again more often; large ones compress better, by 4 % over this size.
 */
const MIN_SEGMENT = 32 * 1024;
const MAX_SEGMENT = 256 * 1024;
/** What is sent together: new bytes, or bytes of the previous file. */
const BATCH_BYTES = 256 * 1024;
const BATCH_KEPT_BYTES = 4 * 1024 * 1024;
/** A batch is sent at the end of a segment if the next one may not fit. */
const ROOM_FOR_SEGMENT = 48 * 1024;
/** What may wait for the thread. */
const MAX_IN_FLIGHT = 2 * BATCH_BYTES;
/** Small at first: most catalogs are. */
const FIRST_ARENA = 16 * 1024;
/** Smaller files are written without a thread. */
const THREAD_BYTES = 256 * 1024;

export class SegmentSink {
  private readonly options: FileOptions;
  private readonly openLarge: OpenFile;
  /** Undefined until there is enough to write. */
  private file: SentFile | undefined;
  private waiting: FileBatch[] = [];
  private waitingBytes = 0;
  private finishing: Promise<unknown> | undefined;
  private failure: { readonly error: unknown } | undefined;

  /** The bytes of the open segment. */
  private size = 0;
  /** The open batch. */
  private steps: number[] = [];
  private arena: Buffer = Buffer.allocUnsafeSlow(FIRST_ARENA);
  private arenaEnd = 0;
  private keptBytes = 0;
  /** Buffers that have come back from the thread. */
  private readonly spare: Buffer[] = [];

  private inFlight = 0;
  private caughtUp: PromiseWithResolvers<void> | undefined;

  /** `openLarge` opens a file that is not small. */
  constructor(options: FileOptions, openLarge: OpenFile = openOnThread) {
    this.options = options;
    this.openLarge = openLarge;
  }

  /** First of all. It is a segment of its own. */
  head(text: string): void {
    this.write(text);
    this.endSegment();
  }

  /**
   * Before each part that may begin a segment. A candidate is chosen by content alone, so that after a change the same
   * segments follow again. Returns whether it begins one: all but the first one.
   */
  start(isCandidate: boolean): boolean {
    if (this.size < (isCandidate ? MIN_SEGMENT : MAX_SEGMENT)) return false;
    this.endSegment();
    return true;
  }

  /** Returns how many bytes the text has. */
  write(text: string): number {
    if (text === "") return 0;
    // UTF-8 needs at most three bytes per UTF-16 unit.
    this.reserve(3 * text.length);
    const written = this.arena.write(text, this.arenaEnd, "utf8");
    this.wrote(written);
    return written;
  }

  writeBytes(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.arena.set(bytes, this.arenaEnd);
    this.wrote(bytes.length);
  }

  /** Continues with the next bytes of the previous file. */
  keep(bytes: number): void {
    if (bytes === 0) return;
    this.addStep(STEP.keep, bytes);
    this.size += bytes;
    this.keptBytes += bytes;
  }

  /** Leaves out the next bytes of the previous file. */
  skip(bytes: number): void {
    if (bytes > 0) this.addStep(STEP.skip, bytes);
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

  private endSegment(): void {
    this.steps.push(STEP.end, 0);
    this.size = 0;
    if (this.arenaEnd > this.arena.length - ROOM_FOR_SEGMENT || this.keptBytes >= BATCH_KEPT_BYTES)
      this.send();
  }

  private wrote(bytes: number): void {
    this.addStep(STEP.write, bytes);
    this.arenaEnd += bytes;
    this.size += bytes;
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
    const bytes = this.arenaEnd + this.keptBytes;
    this.steps = [];
    this.arena = this.spare.pop() ?? Buffer.allocUnsafeSlow(Math.min(4 * this.arena.length, BATCH_BYTES));
    this.arenaEnd = this.keptBytes = 0;
    if (this.file) this.sendTo(this.file, batch);
    else this.wait(batch, bytes);
  }

  private wait(batch: FileBatch, bytes: number): void {
    this.waiting.push(batch);
    this.waitingBytes += bytes;
    if (this.waitingBytes > THREAD_BYTES) this.open(this.openLarge);
  }

  private open(open: OpenFile): SentFile {
    const file = open(this.options, {
      onApplied: (sent) => this.applied(sent),
      onFailed: (error) => this.failed(error),
    });
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

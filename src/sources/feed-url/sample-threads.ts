/**
 * Reads the sample of a source test on a thread with a limit of processor time: a file that takes longer is given up,
 * and the worker, its heartbeats and other tests are not held up.
 */
import { AppError, type ErrorCode, type ErrorExtras } from "../../errors.ts";
import { onAbort } from "../../lib/async.ts";
import { openRequestThread } from "../../lib/request-thread.ts";
import { programBeside } from "../../lib/thread-program.ts";
import type { SourceEvent, SourceSettings } from "../source.ts";
import type { FeedLimits } from "./limits.ts";
import type { EventBatches, FetchedFile } from "./read-fetched.ts";

export type SampleToRead = {
  readonly file: FetchedFile;
  readonly settings: SourceSettings;
  readonly limits: FeedLimits;
  readonly currency: string | undefined;
  readonly language?: string | undefined;
};

export type SampleBatch =
  | { readonly events: readonly SourceEvent[]; readonly isOver: boolean }
  | { readonly failure: ErrorExtras & { readonly code: ErrorCode; readonly message: string } };

const PROGRAM = programBeside(import.meta, "sample-thread");

/**
 * The first thread takes 70 MB, and each takes 0.4 s to start. The others wait: reading a sample takes less than a
 * second.
 */
const MOST_THREADS = 2;
let free = MOST_THREADS;
const waiting = new Set<() => void>();

export async function* readOnThread(sample: SampleToRead, signal: AbortSignal): EventBatches {
  await takeSlot(signal);
  try {
    signal.throwIfAborted();
    yield* batchesOf(sample, signal);
  } finally {
    releaseSlot();
  }
}

async function takeSlot(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (free > 0) {
    free -= 1;
    return;
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  waiting.add(resolve);
  const stopListening = onAbort(signal, () => {
    if (waiting.delete(resolve)) reject(signal.reason);
  });
  await promise.finally(stopListening);
}

/** Gives the slot to whoever waits longest. */
function releaseSlot(): void {
  const [next] = waiting;
  if (next === undefined) free += 1;
  else {
    waiting.delete(next);
    next();
  }
}

async function* batchesOf(sample: SampleToRead, signal: AbortSignal): EventBatches {
  const { sampleCpuMs } = sample.limits;
  // Without what it does not need: functions cannot be passed to a thread.
  const limits = { ...sample.limits, http: {}, retries: null };
  await using thread = openRequestThread<null, SampleBatch>(
    PROGRAM,
    { ...sample, limits },
    { signal, cpu: { mostMs: sampleCpuMs, failure: () => tookTooLong(sampleCpuMs) } },
  );
  for (let isOver = false; !isOver; ) {
    const batch = await thread.ask(null);
    if ("failure" in batch) {
      const { code, message, ...extras } = batch.failure;
      throw new AppError(code, message, extras);
    }
    yield batch.events;
    isOver = batch.isOver;
  }
}

const tookTooLong = (mostMs: number): AppError =>
  new AppError(
    "source_timeout",
    `Reading the beginning of the file took more than ${mostMs / 1_000} s of processor time, so it was stopped. Nothing was changed. Check what the address returns: a product feed takes less than a second.`,
  );

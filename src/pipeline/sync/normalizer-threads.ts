/** Threads that normalize batches of rows while this one reads the source and fills staging. */
import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { CatalogSettings } from "../../catalog/settings.ts";
import type { NormalizedRows, RowBatch } from "./row-batch.ts";

export type NormalizerThreads = AsyncDisposable & {
  /** How many batches can be worked on at once. */
  readonly count: number;
  readonly normalize: (rows: RowBatch) => Promise<NormalizedRows>;
};

/** Reading a file costs about as much as normalizing it, so that more threads would wait for their rows. */
const MOST_PER_SYNC = 2;
/** A thread takes 60 to 100 MB, which smaller machines do not have to spare: docs/adr/0027. */
const MIN_CORES = 4;
/** Half of the cores are left to the threads that read, and to PostgreSQL. Several syncs share the threads. */
let free = threadsFor(availableParallelism());

/** Fewer megabytes than by default: what a batch leaves behind is garbage at once. */
const YOUNG_GENERATION_MB = 8;

export function threadsFor(cores: number): number {
  return cores < MIN_CORES ? 0 : Math.floor(cores / 2);
}

/** Null if there is no core for a thread. */
export function openNormalizerThreads(
  settings: CatalogSettings,
  mostThreads = free,
): NormalizerThreads | null {
  const count = Math.min(mostThreads, MOST_PER_SYNC);
  if (count <= 0) return null;
  free -= count;
  const threads = Array.from({ length: count }, () => openThread(settings));
  let next = 0;
  return {
    count,
    normalize: async (rows) => {
      next = (next + 1) % count;
      return (threads[next] as Thread).normalize(rows);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(threads.map(async ({ close }) => close()));
      free += count;
    },
  };
}

type Thread = ReturnType<typeof openThread>;
type Waiting = PromiseWithResolvers<NormalizedRows>;

/** Answers in the order of the batches. */
function openThread(settings: CatalogSettings) {
  const file = new URL(`./normalize-thread${extname(import.meta.filename)}`, import.meta.url);
  const worker = new Worker(file, {
    workerData: { settings },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const waiting: Waiting[] = [];
  let failure: Error | null = null;
  const fail = (error: Error): void => {
    failure ??= error;
    for (const { reject } of waiting.splice(0)) reject(failure);
  };
  worker.on("message", (rows: NormalizedRows) => waiting.shift()?.resolve(rows));
  worker.on("error", fail);
  worker.on("exit", () => fail(new Error("the thread that normalizes rows has ended")));
  return {
    normalize: async (rows: RowBatch): Promise<NormalizedRows> => {
      if (failure !== null) throw failure;
      const answer: Waiting = Promise.withResolvers();
      waiting.push(answer);
      worker.postMessage(rows, []);
      return answer.promise;
    },
    close: async () => worker.terminate(),
  };
}

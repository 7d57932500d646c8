/** Threads that normalize batches of rows while this one reads the source and fills staging. */
import { availableParallelism } from "node:os";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { openRequestThread, type RequestThread } from "../../lib/request-thread.ts";
import { programBeside } from "../../lib/thread-program.ts";
import type { EncodedRows } from "../../store/staging.ts";
import { type NormalizedRows, type PackedRows, packRows } from "./row-batch.ts";
import type { Normalizer } from "./row-queue.ts";

export type NormalizerThreads = Normalizer & AsyncDisposable;

type Thread = RequestThread<PackedRows, NormalizedRows<EncodedRows>>;

/** Reading a file costs about as much as normalizing it, so that more threads would wait for their rows. */
const MOST_PER_SYNC = 2;
/** A thread takes 60 to 100 MB, which smaller machines do not have to spare: docs/adr/0027. */
const MIN_CORES = 4;
/** Half of the cores are left to the threads that read, and to PostgreSQL. Several syncs share the threads. */
let free = threadsFor(availableParallelism());

const PROGRAM = programBeside(import.meta, "normalize-thread");

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
  const threads = Array.from({ length: count }, () =>
    openRequestThread<PackedRows, NormalizedRows<EncodedRows>>(PROGRAM, { settings }),
  );
  let next = 0;
  return {
    threads: count,
    normalize: async (rows) => {
      next = (next + 1) % count;
      return (threads[next] as Thread).ask(packRows(rows));
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(threads.map(async (thread) => thread[Symbol.asyncDispose]()));
      free += count;
    },
  };
}

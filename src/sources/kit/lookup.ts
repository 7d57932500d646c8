/**
 * Things that products reference by id, such as brands. They are requested in batches when a page first references
 * them, and cached up to a limit: then everything the current page does not need is dropped. What the shop does not
 * have is cached as well, so that it is not requested again.
 */
export type IdLookup<T> = {
  /** Loads these ids, and keeps them at least until the next call. */
  readonly ensure: (ids: Iterable<number>) => Promise<void>;
  readonly get: (id: number) => T | undefined;
};

export function lookup<T>(
  fetch: (ids: readonly number[]) => Promise<ReadonlyMap<number, T>>,
  { maxCached, batchSize = 250 }: { readonly maxCached: number; readonly batchSize?: number },
): IdLookup<T> {
  const cache = new Map<number, T | null>();
  return {
    ensure: async (ids) => {
      const wanted = new Set(ids);
      if (cache.size + wanted.size > maxCached) {
        for (const id of cache.keys()) if (!wanted.has(id)) cache.delete(id);
      }
      const missing = [...wanted].filter((id) => !cache.has(id));
      for (let from = 0; from < missing.length; from += batchSize) {
        const batch = missing.slice(from, from + batchSize);
        const found = await fetch(batch);
        for (const id of batch) cache.set(id, found.get(id) ?? null);
      }
    },
    get: (id) => cache.get(id) ?? undefined,
  };
}

/** The results for a long list, requested in batches. */
export async function inBatches<T, U>(
  list: readonly T[],
  batchSize: number,
  fetch: (batch: readonly T[]) => Promise<readonly U[]>,
): Promise<readonly U[]> {
  const found: U[] = [];
  for (let from = 0; from < list.length; from += batchSize) {
    found.push(...(await fetch(list.slice(from, from + batchSize))));
  }
  return found;
}

/**
 * Runs a list with a concurrency limit. The results come in the order of the list. All of a batch are awaited, so that
 * nothing runs on after a failed read.
 */
export async function* concurrently<T, U>(
  list: readonly T[],
  concurrency: number,
  run: (entry: T) => Promise<U>,
): AsyncGenerator<U, void, void> {
  for (let from = 0; from < list.length; from += concurrency) {
    const results = await Promise.allSettled(list.slice(from, from + concurrency).map(run));
    for (const result of results) {
      if (result.status === "rejected") throw result.reason;
      yield result.value;
    }
  }
}

/**
 * Lets callers that ask at the same time share one call of `load`, which begins after the last of them has asked: no
 * caller gets a result that is older than its question. While a load is running, new callers wait for the next one, so
 * the busier, the larger the batches.
 */
export function batched<T>(
  load: (keys: readonly string[]) => Promise<T>,
  /** After this time the next load begins, even if the last one is still running. */
  { stuckMs }: { readonly stuckMs: number },
): (key: string) => Promise<T> {
  let next: (PromiseWithResolvers<T> & { readonly keys: Set<string> }) | undefined;
  let isLoading = false;

  function begin(): void {
    if (next === undefined || isLoading) return;
    const { keys, resolve, reject } = next;
    next = undefined;
    isLoading = true;
    let isOver = false;
    const end = () => {
      clearTimeout(timer);
      if (isOver) return;
      isOver = true;
      isLoading = false;
      begin();
    };
    const timer = setTimeout(end, stuckMs);
    load([...keys])
      .then(resolve, reject)
      .finally(end);
  }

  return async (key) => {
    if (next === undefined) {
      next = { ...Promise.withResolvers<T>(), keys: new Set() };
      // After the other requests of this turn of the event loop.
      setImmediate(begin);
    }
    next.keys.add(key);
    return next.promise;
  };
}

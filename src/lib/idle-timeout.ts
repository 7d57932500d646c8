/** Passes a stream on, and fails when nothing comes for `idleMs`, or when the signal aborts. */
export type IdleTimeout = {
  readonly signal: AbortSignal;
  readonly idleMs: number;
  readonly onTimeout: () => Error;
};

export async function* withIdleTimeout<T>(
  source: AsyncIterable<T>,
  { signal, idleMs, onTimeout }: IdleTimeout,
): AsyncGenerator<T, void, void> {
  const iterator = source[Symbol.asyncIterator]();
  let fail: ((reason: unknown) => void) | null = null;
  const onAbort = (): void => fail?.(signal.reason);
  const timer = setTimeout(() => fail?.(onTimeout()), idleMs);
  signal.addEventListener("abort", onAbort);
  try {
    while (true) {
      signal.throwIfAborted();
      const pending = Promise.withResolvers<IteratorResult<T, void>>();
      fail = pending.reject;
      iterator.next().then(pending.resolve, pending.reject);
      const step = await pending.promise;
      if (step.done === true) return;
      timer.refresh();
      yield step.value;
      timer.refresh();
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    // Not awaited: a source that is stuck in `next` would never return.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

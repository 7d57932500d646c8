/** A stream that is waited for only so long: it ends in a failure when it falls silent, or when the signal aborts. */
export type Attendance = {
  readonly signal: AbortSignal;
  readonly idleMs: number;
  /** Why the wait was given up. */
  readonly onSilence: () => Error;
};

export async function* attended<T>(
  source: AsyncIterable<T>,
  { signal, idleMs, onSilence }: Attendance,
): AsyncGenerator<T, void, void> {
  const iterator = source[Symbol.asyncIterator]();
  let giveUp: ((reason: unknown) => void) | null = null;
  const onAbort = (): void => giveUp?.(signal.reason);
  const silence = setTimeout(() => giveUp?.(onSilence()), idleMs);
  signal.addEventListener("abort", onAbort);
  try {
    while (true) {
      signal.throwIfAborted();
      const pending = Promise.withResolvers<IteratorResult<T, void>>();
      giveUp = pending.reject;
      iterator.next().then(pending.resolve, pending.reject);
      const step = await pending.promise;
      if (step.done === true) return;
      silence.refresh();
      yield step.value;
      silence.refresh();
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", onAbort);
    // Not waited for: a source that is stuck in `next` would keep us here with it.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

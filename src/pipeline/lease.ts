/** Work under a lease: the heartbeat that extends the lease, and the end of work that ignores its abort signal. */

export type Heartbeat = {
  readonly everyMs: number;
  /** False if the lease is lost. */
  readonly extend: () => Promise<boolean>;
  readonly onLost: () => void;
  /** The database is down. The work goes on: the lease may still be extended before it expires. */
  readonly onError?: (error: unknown) => void;
};

/** One at a time: a beat may wait for a lock, and each uses a connection. Returns the function that stops it. */
export function startHeartbeat({ everyMs, extend, onLost, onError }: Heartbeat): () => void {
  let isBeating = false;
  const timer = setInterval(() => {
    if (isBeating) return;
    isBeating = true;
    extend()
      .then(
        (isOurs) => isOurs || onLost(),
        (error: unknown) => onError?.(error),
      )
      .finally(() => (isBeating = false));
  }, everyMs);
  return () => clearInterval(timer);
}

export type Grace = {
  readonly signal: AbortSignal;
  readonly graceMs: number;
  readonly onHang?: () => void;
};

/**
 * The result of `work`. Work that has not ended `graceMs` after the abort is abandoned, so that it blocks neither its
 * slot nor the stop of the worker: this then rejects with the abort reason.
 */
export async function withGrace<T>({ signal, graceMs, onHang }: Grace, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => {
      onHang?.();
      reject(signal.reason);
    }, graceMs);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(), promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

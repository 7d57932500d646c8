/** Waiting: for time, for a wake signal, for an abort. Every wait ends when its AbortSignal aborts. */
import { setTimeout as delay } from "node:timers/promises";

/** Resolves after `ms`, or at once when the signal aborts. Never rejects: the caller checks the signal. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** Wakes a loop that waits for work. `wait` resolves after a `notify` since the last wait, after `ms`, or on abort. */
export function wakeSignal(): {
  readonly notify: () => void;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
} {
  let isNotified = false;
  let wake: (() => void) | null = null;
  return {
    notify: () => {
      isNotified = true;
      wake?.();
    },
    wait: async (ms, signal) => {
      if (!isNotified && !signal.aborted) {
        const notified = Promise.withResolvers<void>();
        wake = notified.resolve;
        const woken = new AbortController();
        await Promise.race([notified.promise, sleep(ms, AbortSignal.any([signal, woken.signal]))]);
        woken.abort();
        wake = null;
      }
      isNotified = false;
    },
  };
}

type SharedListener = { readonly callbacks: Set<() => void>; readonly listener: () => void };
const shared = new WeakMap<AbortSignal, SharedListener>();

/**
 * Calls back when the signal aborts; the result removes the callback. For signals with thousands of callbacks: they
 * share one listener, because an event target compares a listener with all others whenever one is added or removed.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, listener } = shared.get(signal) ?? listenTo(signal);
  callbacks.add(callback);
  return () => {
    if (!callbacks.delete(callback) || callbacks.size > 0) return;
    signal.removeEventListener("abort", listener);
    shared.delete(signal);
  };
}

function listenTo(signal: AbortSignal): SharedListener {
  const callbacks = new Set<() => void>();
  const listener = () => {
    for (const callback of callbacks) callback();
  };
  signal.addEventListener("abort", listener);
  shared.set(signal, { callbacks, listener });
  return { callbacks, listener };
}

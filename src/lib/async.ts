/** Small tools for asynchronous work: all of them stop when the signal says so. */
import { setTimeout as delay } from "node:timers/promises";

/** Resolves after `ms`, or at once when the signal aborts; never rejects, the caller looks at the signal. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** A bell: `wait` resolves when it has rung since the last wait, when `ms` have passed, or on abort. */
export function bell(): {
  readonly ring: () => void;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
} {
  let hasRung = false;
  let wake: (() => void) | null = null;
  return {
    ring: () => {
      hasRung = true;
      wake?.();
    },
    wait: async (ms, signal) => {
      if (!hasRung && !signal.aborted) {
        const rung = Promise.withResolvers<void>();
        wake = rung.resolve;
        const woken = new AbortController();
        await Promise.race([rung.promise, sleep(ms, AbortSignal.any([signal, woken.signal]))]);
        woken.abort();
        wake = null;
      }
      hasRung = false;
    },
  };
}

type Awaited = { readonly acts: Set<() => void>; readonly listener: () => void };
const awaited = new WeakMap<AbortSignal, Awaited>();

/**
 * Calls back when the signal, which has not aborted yet, does so, unless the answer is called before. For signals that many wait for at once: a
 * listener of its own for each would be compared with all others whenever one comes or goes.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const { acts, listener } = awaited.get(signal) ?? startAwaiting(signal);
  acts.add(act);
  return () => {
    if (!acts.delete(act) || acts.size > 0) return;
    signal.removeEventListener("abort", listener);
    awaited.delete(signal);
  };
}

function startAwaiting(signal: AbortSignal): Awaited {
  const acts = new Set<() => void>();
  const listener = () => {
    for (const act of acts) act();
  };
  signal.addEventListener("abort", listener);
  awaited.set(signal, { acts, listener });
  return { acts, listener };
}

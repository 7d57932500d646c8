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

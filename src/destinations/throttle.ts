/** Limits the bandwidth: `throttle` waits until more bytes may be sent. */
import { sleep } from "../lib/async.ts";

/** Shorter waits are collected, because timers are not exact. */
const MIN_WAIT_MS = 20;

/** Null means no limit. The signal ends every wait. */
export function throttle(bytesPerS: number | null, signal: AbortSignal): (bytes: number) => Promise<void> {
  if (bytesPerS === null) return async () => undefined;
  let free = performance.now();
  return async (bytes) => {
    const now = performance.now();
    // A pause of the source earns no credit.
    free = Math.max(free, now) + (bytes / bytesPerS) * 1_000;
    if (free - now > MIN_WAIT_MS) await sleep(free - now, signal);
  };
}

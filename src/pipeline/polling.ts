/** The loop of a worker: claims from a queue in the database and performs what it claims, several at once. */
import { wakeSignal } from "../lib/async.ts";
import type { Notice, Notices } from "../store/notices.ts";

export type Polling<Claimed> = {
  readonly notices: Pick<Notices, "on">;
  /** Notices after which there may be something to claim. */
  readonly wakesOn: readonly Notice["about"][];
  /** How often to poll when no notice arrives. */
  readonly idleMs: number;
  /** Undefined if no slot is free or nothing waits. Must not throw. */
  readonly claim: () => Promise<Claimed | undefined>;
  /** Resolves to false if nothing can wait for its slot: then only a notice is a reason to claim. Must not throw. */
  readonly perform: (claimed: Claimed) => Promise<unknown>;
};

/**
 * Works until the signal aborts; resolves when all that was claimed is performed. One claim at a time, however many
 * slots are free.
 */
export async function pollQueue<Claimed>(
  { notices, wakesOn, idleMs, claim, perform }: Polling<Claimed>,
  signal: AbortSignal,
): Promise<void> {
  const wake = wakeSignal();
  const running = new Set<Promise<void>>();
  const stopListening = notices.on(({ about }) => {
    if (wakesOn.includes(about)) wake.notify();
  });
  try {
    while (!signal.aborted) {
      const claimed = await claim();
      if (claimed === undefined) await wake.wait(idleMs, signal);
      else {
        const work = perform(claimed).then((mayAnotherWait) => {
          running.delete(work);
          return mayAnotherWait === false ? undefined : wake.notify();
        });
        running.add(work);
      }
    }
  } finally {
    stopListening();
    await Promise.all(running);
  }
}

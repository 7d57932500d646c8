/**
 * When to stop. On its own, a process stops at SIGINT, SIGTERM or SIGHUP; a second one ends it at once. Attached to a
 * parent, it leaves SIGINT to the parent (a terminal sends it to both) and stops at SIGTERM, or when the parent is
 * gone. Whatever hangs, the process exits after `HARD_STOP_MS`; runs it still had are taken over by another worker.
 */
import { isAway } from "../store/wait-for-db.ts";

const HARD_STOP_MS = 10_000;
const STOPPED_HARD = 1;

export function stopSignal({ attached }: { readonly attached: boolean }): AbortSignal {
  const stop = new AbortController();
  const first = () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  };
  stop.signal.addEventListener("abort", () => {
    setTimeout(() => process.exit(STOPPED_HARD), HARD_STOP_MS).unref();
  });
  process.on("SIGTERM", first);
  // The terminal was closed: nobody is left to press Ctrl-C.
  process.on("SIGHUP", first);
  if (attached) {
    process.on("SIGINT", () => undefined);
    process.on("disconnect", () => stop.abort());
    // Listening for the parent must not keep alive a process that has nothing left to do.
    process.channel?.unref();
  } else {
    process.on("SIGINT", first);
  }
  return stop.signal;
}

/** A database that is away at a stop is no failure: the process was waiting for it, and now no longer has to. */
export async function unlessStopped(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!signal.aborted || !isAway(error)) throw error;
  }
}

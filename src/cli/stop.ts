/**
 * When to stop. On its own, a process stops at SIGINT, SIGTERM or SIGHUP; a second one ends it at once, unless it comes
 * within a second: npm passes on the Ctrl-C that the terminal has sent to all of us already. Attached to a
 * parent, it leaves SIGINT to the parent (a terminal sends it to both) and stops at SIGTERM, or when the parent is
 * gone. Whatever hangs, the process exits after `HARD_STOP_MS`; runs it still had are taken over by another worker.
 */
import { constants } from "node:os";
import { isAway } from "../store/wait-for-db.ts";

const HARD_STOP_MS = 10_000;
const STOPPED_HARD = 1;
const SAME_SIGNAL_MS = 1_000;

/** A command was ended by a signal. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  /** As shells count it: 130 for Ctrl-C. */
  readonly status: number;

  constructor(signal: NodeJS.Signals) {
    super(`Interrupted by ${signal}.`);
    this.status = 128 + constants.signals[signal];
  }
}

/**
 * For a command that works on the system: the first signal aborts, so that what was opened is closed again. Dispose of
 * it when the command is done.
 */
export function interruption(): Disposable & { readonly signal: AbortSignal } {
  const stop = new AbortController();
  let firstAt = 0;
  let hardStop: NodeJS.Timeout | undefined;
  const onSignal = (name: NodeJS.Signals) => {
    const reason = new Interrupted(name);
    if (!stop.signal.aborted) {
      firstAt = performance.now();
      hardStop = setTimeout(() => process.exit(reason.status), HARD_STOP_MS).unref();
      stop.abort(reason);
    } else if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(reason.status);
  };
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of names) process.on(name, onSignal);
  return {
    signal: stop.signal,
    [Symbol.dispose]: () => {
      clearTimeout(hardStop);
      for (const name of names) process.off(name, onSignal);
    },
  };
}

export function stopSignal({ attached }: { readonly attached: boolean }): AbortSignal {
  const stop = new AbortController();
  let firstAt = 0;
  const first = () => {
    if (stop.signal.aborted) {
      if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(130);
      return;
    }
    firstAt = performance.now();
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

/** What waits when the process has to stop, for the database or for the first sync, ends without a failure. */
export async function unlessStopped(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isEnd = isAway(error) || (error instanceof Error && error.name === "AbortError");
    if (!signal.aborted || !isEnd) throw error;
  }
}

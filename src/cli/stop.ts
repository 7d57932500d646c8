/**
 * Stops a process at SIGINT, SIGTERM or SIGHUP. A second signal ends it at once, unless it comes within a second: npm
 * forwards a Ctrl-C that the terminal has already sent to every process. A process that is attached to a parent ignores
 * SIGINT, which the parent handles, and stops at SIGTERM or when the parent is gone. After `HARD_STOP_MS` it exits in
 * any case; another worker takes over its runs.
 */
import { constants } from "node:os";
import { isAway } from "../store/db.ts";

const HARD_STOP_MS = 10_000;
const STOPPED_HARD = 1;
const SAME_SIGNAL_MS = 1_000;

/** A command was ended by a signal. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  /** 128 and the number of the signal: 130 for Ctrl-C. */
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
  // The terminal was closed.
  process.on("SIGHUP", first);
  if (attached) {
    process.on("SIGINT", () => undefined);
    process.on("disconnect", () => stop.abort());
    // Listening for the parent must not keep the process alive.
    process.channel?.unref();
  } else {
    process.on("SIGINT", first);
  }
  return stop.signal;
}

/** A wait for the database or the first sync that ends because the process stops is not a failure. */
export async function unlessStopped(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isEnd = isAway(error) || (error instanceof Error && error.name === "AbortError");
    if (!signal.aborted || !isEnd) throw error;
  }
}

/**
 * The clocks of one piece of work: one limit over all of it, one for the phase it is in, and the caller's own signal.
 * Whichever comes first aborts `signal`, once, with the reason that callers should see. Timers never keep the
 * process alive.
 */
export type Deadline = {
  readonly signal: AbortSignal;
  /** Begins a phase and ends the one before. */
  readonly enter: (phase: string, ms: number) => void;
  /** Between phases only the whole is limited. */
  readonly pause: () => void;
  /** The work is over: nothing aborts any more. */
  readonly release: () => void;
};

type DeadlineOptions = {
  readonly signal: AbortSignal;
  readonly totalMs: number;
  readonly expired: (phase: string, ms: number) => Error;
};

export function deadline({ signal, totalMs, expired }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  let phaseTimer: NodeJS.Timeout | undefined;

  const expireAfter = (phase: string, ms: number) =>
    setTimeout(() => controller.abort(expired(phase, ms)), ms).unref();
  const totalTimer = expireAfter("in all", totalMs);
  const followCaller = () => controller.abort(signal.reason);
  const pause = () => clearTimeout(phaseTimer);
  const release = () => {
    pause();
    clearTimeout(totalTimer);
    signal.removeEventListener("abort", followCaller);
  };

  controller.signal.addEventListener("abort", release, { once: true });
  if (signal.aborted) followCaller();
  else signal.addEventListener("abort", followCaller, { once: true });

  return {
    signal: controller.signal,
    enter(phase, ms) {
      pause();
      if (!controller.signal.aborted) phaseTimer = expireAfter(phase, ms);
    },
    pause,
    release,
  };
}

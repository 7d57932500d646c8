/**
 * The time limits of one operation: in total, for its current phase, and the caller's signal. The first one aborts it,
 * with its own reason. Timers never keep the process alive.
 */
import { onAbort } from "./async.ts";

export type Deadline = {
  /** Not an AbortSignal: creating one costs a tenth of a webhook delivery. */
  readonly signal: Pick<AbortSignal, "aborted" | "reason">;
  /** Sets what is called when it aborts; the last one counts. */
  readonly onAbort: (callback: () => void) => void;
  /** Starts a phase and ends the previous one. */
  readonly enter: (phase: string, ms: number) => void;
  /** Between phases only the total time is limited. */
  readonly pause: () => void;
  /** The operation has ended: nothing aborts any more. */
  readonly release: () => void;
};

type DeadlineOptions = {
  readonly signal: AbortSignal;
  readonly totalMs: number;
  readonly expired: (phase: string, ms: number) => Error;
};

export function deadline({ signal: caller, totalMs, expired }: DeadlineOptions): Deadline {
  const signal = { aborted: false, reason: undefined as unknown };
  let callback: (() => void) | undefined;
  let phaseTimer: NodeJS.Timeout | undefined;

  const abort = (reason: unknown) => {
    release();
    signal.aborted = true;
    signal.reason = reason;
    callback?.();
  };
  const abortAfter = (phase: string, ms: number) => setTimeout(() => abort(expired(phase, ms)), ms).unref();
  const pause = () => clearTimeout(phaseTimer);
  const release = () => {
    pause();
    clearTimeout(totalTimer);
    stopListening();
  };
  const totalTimer = abortAfter("in all", totalMs);
  const stopListening = onAbort(caller, () => abort(caller.reason));
  if (caller.aborted) abort(caller.reason);

  return {
    signal,
    onAbort: (next) => {
      callback = next;
    },
    enter(phase, ms) {
      pause();
      if (!signal.aborted) phaseTimer = abortAfter(phase, ms);
    },
    pause,
    release,
  };
}

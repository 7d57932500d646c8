/** When the next delivery that is not due yet will be: as far as one node knows, which is told of changes by others. */
export type Alarm = {
  /** False when nobody knows when it should ring, or it has rung. */
  readonly isSet: (now: Date) => boolean;
  /** Known, and never as far as is known; whatever comes next makes it earlier. */
  readonly clear: () => void;
  /** No longer known. */
  readonly unset: () => void;
  /** Not later than this. An alarm that is not set stays so. */
  readonly ringBy: (at: Date | null) => void;
  readonly inMs: (now: Date) => number;
};

export function newAlarm(): Alarm {
  let at = Number.NaN;
  return {
    isSet: (now) => at > now.getTime(),
    clear: () => {
      at = Number.POSITIVE_INFINITY;
    },
    unset: () => {
      at = Number.NaN;
    },
    ringBy: (when) => {
      if (when !== null) at = Math.min(at, when.getTime());
    },
    inMs: (now) => (Number.isNaN(at) ? Number.POSITIVE_INFINITY : Math.max(1, at - now.getTime())),
  };
}

/**
 * How far a signature's time may be from ours, both ways. A captured delivery can be replayed for this long and no
 * longer.
 */
import { SignatureError } from "./signature-error.ts";

export type VerifyOptions = {
  /** Seconds the signature's time may differ from now. Default 300, as the service requires. */
  readonly toleranceS?: number;
  /** The clock, for tests. */
  readonly now?: Date;
};

const DEFAULT_TOLERANCE_S = 300;

export function checkTime(
  t: string,
  { toleranceS = DEFAULT_TOLERANCE_S, now = new Date() }: VerifyOptions,
): void {
  // A comparison with NaN would accept everything or nothing.
  if (!(toleranceS >= 0)) throw new TypeError("toleranceS must be a number of seconds, 0 or more.");
  if (!(now instanceof Date) || Number.isNaN(now.getTime())) throw new TypeError("now must be a valid Date.");

  const ageS = Math.floor(now.getTime() / 1000) - Number(t);
  if (Math.abs(ageS) <= toleranceS) return;
  const distance = ageS > 0 ? `${ageS} s old` : `${-ageS} s in the future`;
  throw new SignatureError(
    "timestamp_out_of_tolerance",
    `The signature is ${distance}; at most ${toleranceS} s are allowed. It is a replay, or one of the two clocks is wrong: check that yours is synchronized.`,
  );
}

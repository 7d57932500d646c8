/**
 * The findings on one item in a few bytes: the stake, then two bytes for every rule that did not pass: its number, and
 * its points (4 bits) with the twelfths earned (4 bits). The item's score follows from the bytes alone, under whatever
 * rules they were written. Five findings take eleven bytes. Numbers are in ascending order.
 */
import { TWELFTHS } from "./outcome.ts";

export type Finding = {
  readonly number: number;
  readonly points: number;
  /** Twelfths, fewer than 12. */
  readonly earned: number;
};

export type Verdict = {
  /** The points of the rules that were evaluated. */
  readonly stake: number;
  readonly findings: readonly Finding[];
};

export const MAX_POINTS = 15;
export const MAX_NUMBER = 255;

export function encodeVerdict({ stake, findings }: Verdict): Uint8Array {
  const bytes = new Uint8Array(1 + 2 * findings.length);
  bytes[0] = stake;
  for (const [at, { number, points, earned }] of findings.entries()) {
    bytes[1 + 2 * at] = number;
    bytes[2 + 2 * at] = (points << 4) | earned;
  }
  return bytes;
}

/** Throws on bytes that are not an encoded verdict. */
export function decodeVerdict(bytes: Uint8Array): Verdict {
  const [stake = 0] = bytes;
  if (bytes.length % 2 !== 1 || stake < 1 || stake > 100) throw new RangeError("not an encoded verdict");
  const findings: Finding[] = [];
  for (let at = 1; at < bytes.length; at += 2) {
    const [number = 0, code = 0] = [bytes[at], bytes[at + 1]];
    findings.push({ number, points: code >> 4, earned: code & 15 });
  }
  return { stake, findings };
}

/** For the index that finds items by rule. */
export function ruleNumbersOf(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  for (let at = 1; at < bytes.length; at += 2) numbers.push(bytes[at] ?? 0);
  return numbers;
}

/** The item's score, cut to a whole number and never rounded up: 100 means that no point is lost. */
export function scoreOf(bytes: Uint8Array): number {
  const { stake, findings } = decodeVerdict(bytes);
  let missed = 0;
  for (const { points, earned } of findings) missed += points * (TWELFTHS - earned);
  return shownScore(stake, missed);
}

/** `missed` is in twelfths of points. Computed in whole numbers. */
export function shownScore(stake: number, missed: number): number {
  const whole = TWELFTHS * stake;
  const earned = 100 * (whole - missed);
  return (earned - (earned % whole)) / whole;
}

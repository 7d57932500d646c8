/**
 * What an audit found on one item, in few bytes: the points that were at stake, then two bytes for every rule that
 * was not met in full: its number, and its points (4 bits) with the twelfths earned (4 bits). Since the points are
 * in it, the item's score can be told from the bytes alone, under whatever rules they were written. Five findings
 * are eleven bytes. Numbers come in ascending order.
 */
import { STEPS } from "./outcome.ts";

export type Finding = {
  readonly number: number;
  readonly points: number;
  /** Twelfths earned, less than all. */
  readonly grade: number;
};

export type Verdict = {
  /** The points of the rules that applied and could be judged. */
  readonly stake: number;
  readonly findings: readonly Finding[];
};

export const MOST_POINTS = 15;
export const HIGHEST_NUMBER = 255;

export function encodeVerdict({ stake, findings }: Verdict): Uint8Array {
  const bytes = new Uint8Array(1 + 2 * findings.length);
  bytes[0] = stake;
  for (const [at, { number, points, grade }] of findings.entries()) {
    bytes[1 + 2 * at] = number;
    bytes[2 + 2 * at] = (points << 4) | grade;
  }
  return bytes;
}

/** Throws on bytes that `encodeVerdict` cannot have made. */
export function decodeVerdict(bytes: Uint8Array): Verdict {
  const [stake = 0] = bytes;
  if (bytes.length % 2 !== 1 || stake < 1 || stake > 100) throw new RangeError("not an encoded verdict");
  const findings: Finding[] = [];
  for (let at = 1; at < bytes.length; at += 2) {
    const [number = 0, code = 0] = [bytes[at], bytes[at + 1]];
    findings.push({ number, points: code >> 4, grade: code & 15 });
  }
  return { stake, findings };
}

/** The numbers of the rules in the verdict: what an index over "which items have this problem" holds. */
export function ruleNumbersOf(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  for (let at = 1; at < bytes.length; at += 2) numbers.push(bytes[at] ?? 0);
  return numbers;
}

/** The item's score as it is shown: a whole number, cut and never rounded up, so that 100 means faultless. */
export function scoreOf(bytes: Uint8Array): number {
  const { stake, findings } = decodeVerdict(bytes);
  let missed = 0;
  for (const { points, grade } of findings) missed += points * (STEPS - grade);
  return shownScore(stake, missed);
}

/** `missed` is in twelfths of points. All numbers are small and whole, so the division is exact before it is cut. */
export function shownScore(stake: number, missed: number): number {
  const whole = STEPS * stake;
  const earned = 100 * (whole - missed);
  return (earned - (earned % whole)) / whole;
}

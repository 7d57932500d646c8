/**
 * Encodes the findings on one item in a few bytes: the stake, then two bytes for every rule that did not pass: its
 * number, and its points (4 bits) with the twelfths earned (4 bits). The item's score follows from the bytes and from
 * the channels that refuse an item by each rule. Five findings take eleven bytes. Numbers are in ascending order. No
 * rule has the number 0: its bits are the formats that do not refuse the item in spite of the findings.
 */
import { FAIL, TWELFTHS } from "./outcome.ts";
import { ALL_WEIGHTS, bitsOf, weightOfBits } from "./rule.ts";
import { refusedBits, shareRefusals } from "./refusal-shares.ts";
import { ITEM_RULES } from "./ruleset.ts";

export type VerdictFinding = {
  readonly number: number;
  readonly points: number;
  /** Twelfths, fewer than 12. */
  readonly earned: number;
};

export type Verdict = {
  /** The points of the rules that were evaluated. */
  readonly stake: number;
  readonly findings: readonly VerdictFinding[];
  /** See `channel-views.ts`; omitted if zero. */
  readonly spared?: number;
};

const SPARED = 0;

export const MAX_POINTS = 15;
export const MAX_NUMBER = 255;

export function encodeVerdict({ stake, findings: found, spared }: Verdict): Uint8Array {
  const findings = spared === undefined ? found : [{ number: SPARED, points: 0, earned: spared }, ...found];
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
  const findings: VerdictFinding[] = [];
  for (let at = 1; at < bytes.length; at += 2) {
    const [number = 0, code = 0] = [bytes[at], bytes[at + 1]];
    findings.push({ number, points: code >> 4, earned: code & 15 });
  }
  if (findings[0]?.number === SPARED)
    return { stake, findings: findings.slice(1), spared: findings[0].earned };
  return { stake, findings };
}

/** Lists the numbers of the rules, for the index that finds items by rule. */
export function ruleNumbersOf(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  for (let at = bytes[1] === SPARED ? 3 : 1; at < bytes.length; at += 2) numbers.push(bytes[at] ?? 0);
  return numbers;
}

/** For each rule number, bits of the formats that refuse an item by the rule. */
const BLOCKS: readonly number[] = Array.from({ length: MAX_NUMBER + 1 }, (_, number) =>
  bitsOf(ITEM_RULES.find((rule) => rule.number === number)?.blocks ?? []),
);

const refusingOf = ({ findings, spared = 0 }: Verdict) =>
  findings
    .filter(({ earned }) => earned === FAIL)
    .map(({ number }) => ({ number, blocks: (BLOCKS[number] ?? 0) & ~spared }))
    .filter(({ blocks }) => blocks !== 0);

/** Visits what the item loses by each rule, in the units of `LossSum`: `missed` at a stake. */
export function eachLoss(
  verdict: Verdict,
  visit: (number: number, stake: number, missed: number) => void,
): void {
  const { stake, findings } = verdict;
  const refusing = refusingOf(verdict);
  const accepted = ALL_WEIGHTS - weightOfBits(refusedBits(refusing));
  for (const { number, points, earned } of findings) {
    const missed = points * (TWELFTHS - earned) * accepted;
    if (missed > 0) visit(number, stake, missed);
  }
  shareRefusals(refusing, ({ number }, causes, missed) => visit(number, causes, missed));
}

/** Returns, for each rule number, the points that the rule costs the item, out of 100. */
export function lossesOf(verdict: Verdict): ReadonlyMap<number, number> {
  const losses = new Map<number, number>();
  eachLoss(verdict, (number, stake, missed) => {
    const loss = (100 * missed) / (TWELFTHS * ALL_WEIGHTS * stake);
    losses.set(number, (losses.get(number) ?? 0) + loss);
  });
  return losses;
}

/** The item's score, cut to a whole number and never rounded up: 100 means that no point is lost. */
export function scoreOf(verdict: Verdict): number {
  const { stake, findings } = verdict;
  let missed = 0;
  for (const { points, earned } of findings) missed += points * (TWELFTHS - earned);
  return shownScore(stake, missed, refusedBits(refusingOf(verdict)));
}

/**
 * Computes the shown score in whole numbers. `missed` is in twelfths of points; `blocked` has a bit for every format
 * that refuses the item.
 */
export function shownScore(stake: number, missed: number, blocked: number): number {
  const whole = TWELFTHS * stake * ALL_WEIGHTS;
  const earned = 100 * (TWELFTHS * stake - missed) * (ALL_WEIGHTS - weightOfBits(blocked));
  return (earned - (earned % whole)) / whole;
}

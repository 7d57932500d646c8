/**
 * From lost points to the score of a catalog: exact sums of losses, the raw score, the cut to a whole number and the
 * grade. The current score and every "score if fixed" come from `scoreCatalog`.
 *
 * An item loses 100 × points × twelfths missed ÷ (12 × stake) by a rule, times the share of the channels that accept
 * it; by a refusal it loses 100 × the share of the channel, divided among the rules that cause it. The stake is a whole
 * number from 1 to 100, so every loss is a multiple of `1/UNIT` of a point. Sums are whole numbers by stake, in doubles
 * that stay far below 2^53, and are brought to the common denominator only at the end.
 */
import type { Grade } from "../contract/audits.ts";
import { TWELFTHS } from "./outcome.ts";
import { ALL_WEIGHTS } from "./rule.ts";

const MAX_STAKE = 100;

/** The least common multiple of all stakes. */
const STAKE_MULTIPLE = leastCommonMultiple(MAX_STAKE);

/** How many parts a point has. */
export const UNIT = BigInt(TWELFTHS * ALL_WEIGHTS) * STAKE_MULTIPLE;

/**
 * Sums of points missed, by stake. The unit is a twelfth of a point, times the weight of the channels for which the
 * points are missed.
 */
export class LossSum {
  private readonly byStake: Float64Array = new Float64Array(MAX_STAKE + 1);

  add(stake: number, missed: number): void {
    this.byStake[stake] = (this.byStake[stake] ?? 0) + missed;
  }

  addAll({ byStake }: LossSum): void {
    for (const [stake, missed] of byStake.entries()) this.add(stake, missed);
  }

  /** The sum of the losses, in `1/UNIT` of a point. */
  inUnits(): bigint {
    let sum = 0n;
    for (let stake = 1; stake <= MAX_STAKE; stake++) {
      const missed = this.byStake[stake] ?? 0;
      if (missed !== 0) sum += (100n * BigInt(missed) * STAKE_MULTIPLE) / BigInt(stake);
    }
    return sum;
  }
}

/** Rounds towards minus infinity, which BigInt's own division does not. */
export function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}

/**
 * Divides each part by `per` so that the whole numbers add up to `total`: each part is rounded down, then the parts
 * with the largest remainders get one more. Zero stays zero.
 */
export function apportion(
  parts: readonly bigint[],
  { per, total }: { readonly per: bigint; readonly total: bigint },
): bigint[] {
  const shares = parts.map((part) => floorDivide(part, per));
  let missing = Number(total - shares.reduce((sum, share) => sum + share, 0n));
  const byRest = parts
    .map((part, at) => ({ at, rest: part - (shares[at] ?? 0n) * per }))
    .filter(({ rest }) => rest > 0n)
    .sort((a, b) => (a.rest === b.rest ? a.at - b.at : a.rest > b.rest ? -1 : 1));
  for (const { at } of byRest) {
    if (missing === 0) break;
    shares[at] = (shares[at] ?? 0n) + 1n;
    missing--;
  }
  if (missing !== 0) throw new RangeError("the parts do not add up to the total");
  return shares;
}

/** Whole hundredths as a number with two decimals. */
export function hundredths(value: bigint): number {
  return Number(value) / 100;
}

export function greatestCommonDivisor(numbers: readonly bigint[]): bigint {
  let divisor = 0n;
  for (const number of numbers) {
    let [a, b] = [divisor, number < 0n ? -number : number];
    while (b !== 0n) [a, b] = [b, a % b];
    divisor = a;
  }
  return divisor;
}

function leastCommonMultiple(last: number): bigint {
  let multiple = 1n;
  for (let number = 2n; number <= BigInt(last); number++) {
    multiple = (multiple / greatestCommonDivisor([multiple, number])) * number;
  }
  return multiple;
}

export const BANDS: readonly { readonly grade: Grade; readonly from: number }[] = [
  { grade: "A", from: 90 },
  { grade: "B", from: 80 },
  { grade: "C", from: 70 },
  { grade: "D", from: 60 },
  { grade: "F", from: 0 },
];

/** The score is cut to a whole number before it is graded, so a shown 90 is always an A. */
export function gradeOf(score: number): Grade {
  return BANDS.find(({ from }) => score >= from)?.grade ?? "F";
}

export type ScoreInput = {
  /** Stored items and rejected rows. */
  readonly items: number;
  /** The sum of all losses, in `1/UNIT` of a point. */
  readonly lost: bigint;
};

export type CatalogScore = {
  readonly score: number;
  readonly grade: Grade;
  /** In hundredths of a point, rounded down. */
  readonly raw: bigint;
  /** The score before rounding, as a fraction; fixes are compared by this value. */
  readonly exact: { readonly numerator: bigint; readonly denominator: bigint };
};

export function scoreCatalog({ items, lost }: ScoreInput): CatalogScore {
  if (items === 0) {
    return { score: 0, grade: gradeOf(0), raw: 0n, exact: { numerator: 0n, denominator: 1n } };
  }
  const denominator = UNIT * BigInt(items);
  const numerator = 100n * denominator - lost;
  const raw = (100n * numerator) / denominator;
  const score = Number(raw / 100n);
  return { score, grade: gradeOf(score), raw, exact: { numerator, denominator } };
}

/** Orders scores from high to low. */
export function compareScores(a: CatalogScore, b: CatalogScore): number {
  const difference = b.exact.numerator * a.exact.denominator - a.exact.numerator * b.exact.denominator;
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}

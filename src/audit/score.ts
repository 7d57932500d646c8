/**
 * From sums to a score, exactly: the raw score, the ceiling, the cut to a whole number and the grade. The score of a
 * catalog and every "score if this were fixed" come from this one function, so an announced gain is what a fix brings.
 */
import { UNIT } from "./exact.ts";
import type { Grade } from "../contract/audits.ts";
import { ceilingFor, gradeOf } from "./standing.ts";

export type ScoreBasis = {
  /** Stored items and rejected rows. */
  readonly items: number;
  /** How many of them a channel refuses; every rejected row is one. */
  readonly refused: number;
  /** The sum of all losses, in UNITths of a point. */
  readonly lost: bigint;
};

export type Score = {
  readonly score: number;
  readonly grade: Grade;
  /** Before the ceiling, in hundredths of a point, cut. */
  readonly raw: bigint;
  readonly limit: number | null;
  /** Under the ceiling and not yet cut, as a fraction: what two fixes are compared by. */
  readonly exact: { readonly numerator: bigint; readonly denominator: bigint };
};

export function scoreCatalog({ items, refused, lost }: ScoreBasis): Score {
  const limit = ceilingFor(refused, items);
  if (items === 0) {
    return { score: 0, grade: gradeOf(0), raw: 0n, limit, exact: { numerator: 0n, denominator: 1n } };
  }
  const denominator = UNIT * BigInt(items);
  const kept = 100n * denominator - lost;
  const raw = (100n * kept) / denominator;
  const isCapped = limit !== null && kept > BigInt(limit) * denominator;
  const score = isCapped ? limit : Number(raw / 100n);
  const numerator = isCapped ? BigInt(limit) * denominator : kept;
  return { score, grade: gradeOf(score), raw, limit, exact: { numerator, denominator } };
}

/** Orders scores from high to low. */
export function compareScores(a: Score, b: Score): number {
  const difference = b.exact.numerator * a.exact.denominator - a.exact.numerator * b.exact.denominator;
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}

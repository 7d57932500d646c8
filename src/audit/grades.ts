/**
 * From lost points to the score of a catalog: the raw score, the ceiling, the cut to a whole number and the grade. The
 * current score and every "score if fixed" come from `scoreCatalog`, so an announced gain is what a fix brings.
 */
import type { Grade } from "../contract/audits.ts";
import { UNIT } from "./exact.ts";

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

/** The highest score while more than this share of the items is refused by a channel. */
export const CEILINGS: readonly { readonly overPercent: number; readonly limit: number }[] = [
  { overPercent: 50, limit: 59 },
  { overPercent: 20, limit: 69 },
  { overPercent: 5, limit: 79 },
  { overPercent: 1, limit: 89 },
];

/** Computed in whole numbers: exactly one in a hundred is not over one percent. */
function ceilingFor(refused: number, items: number): number | null {
  if (items === 0) return 0;
  return CEILINGS.find(({ overPercent }) => refused * 100 > items * overPercent)?.limit ?? null;
}

export type ScoreInput = {
  /** Stored items and rejected rows. */
  readonly items: number;
  /** How many of them a channel refuses; every rejected row is one. */
  readonly refused: number;
  /** The sum of all losses, in `1/UNIT` of a point. */
  readonly lost: bigint;
};

export type Score = {
  readonly score: number;
  readonly grade: Grade;
  /** Before the ceiling, in hundredths of a point, cut. */
  readonly raw: bigint;
  readonly limit: number | null;
  /** Under the ceiling, not yet cut, as a fraction: for comparing fixes. */
  readonly exact: { readonly numerator: bigint; readonly denominator: bigint };
};

export function scoreCatalog({ items, refused, lost }: ScoreInput): Score {
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

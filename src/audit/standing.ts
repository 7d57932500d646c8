/** From points to the two things people look at: a whole score and a letter. */

import type { Grade } from "../contract/audits.ts";

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

/** How high a score may be while more than this share of the items is refused somewhere. */
export const CEILINGS: readonly { readonly overPercent: number; readonly limit: number }[] = [
  { overPercent: 50, limit: 59 },
  { overPercent: 20, limit: 69 },
  { overPercent: 5, limit: 79 },
  { overPercent: 1, limit: 89 },
];

/** The limit that applies, or null. Whole numbers only: exactly one in a hundred is not over one percent. */
export function ceilingFor(blocked: number, items: number): number | null {
  if (items === 0) return 0;
  return CEILINGS.find(({ overPercent }) => blocked * 100 > items * overPercent)?.limit ?? null;
}

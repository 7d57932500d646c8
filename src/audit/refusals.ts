/** What fixing brings: one rule, or all refusals of a channel or of all channels together. */
import type { Fix, Refusals } from "./report.ts";
import type { Format } from "./rule.ts";
import { REJECTED_RULE } from "./rules/rejected.ts";
import { type Score, scoreCatalog } from "./score.ts";
import type { Findings } from "./sums.ts";

export function fixOf(now: Score, fixed: Score): Fix {
  return {
    score_if_fixed: fixed.score,
    grade_if_fixed: fixed.grade,
    gain: fixed.score - now.score,
  };
}

/** The refusals of one format, or of all. Rejected rows are refused everywhere; fixed, they no longer count. */
export function refusalsOf(
  { tally, rejected, sums, score }: Findings,
  format: Format | null,
): Refusals | null {
  const own = tally.formats.find(({ name }) => name === format);
  const items = (own ?? tally).blocked + rejected.count;
  if (items === 0) return null;
  const fixed = scoreCatalog({
    items: tally.items,
    refused: own === undefined ? 0 : tally.blocked - own.freed,
    lost: sums.lostByItems - (own ?? tally).refusals.inUnits(),
  });
  const rules = [
    ...tally.rules
      .filter(({ refused, rule }) => refused > 0 && (format === null || rule.blocks.includes(format)))
      .map(({ refused, rule }) => ({ refused, id: rule.id as string })),
    ...(rejected.count > 0 ? [{ refused: rejected.count, id: REJECTED_RULE.id }] : []),
  ];
  return {
    items,
    rules: rules.toSorted((a, b) => b.refused - a.refused).map(({ id }) => id),
    ...fixOf(score, fixed),
  };
}

/** Which problems of an audit to fix first. */
import type { Audit } from "../../src/contract/audits.ts";

const MAX_FIXES = 5;

/**
 * The fixes that gain most, and then all other problems for which items are refused: alone one may gain nothing,
 * because other rules refuse the same items. If no fix gains anything, the problems that cost most. The API sorts rules
 * by gain.
 */
export function firstFixes<Rule extends Pick<Audit["rules"][number], "id" | "gain" | "lost" | "refused">>({
  rules,
  refusals,
}: {
  readonly rules: readonly Rule[];
  readonly refusals: Pick<NonNullable<Audit["refusals"]>, "gain" | "rules"> | null;
}): readonly Rule[] {
  const best = rules.filter(({ gain }) => gain > 0).slice(0, MAX_FIXES);
  if (best.length > 0) return [...best, ...rules.filter((rule) => rule.refused > 0 && !best.includes(rule))];
  // What limits the score is listed by itself.
  const listed = refusals !== null && refusals.gain > 0 ? refusals.rules : [];
  return rules
    .filter(({ id, lost }) => lost > 0 && !listed.includes(id))
    .toSorted((a, b) => b.lost - a.lost)
    .slice(0, MAX_FIXES);
}

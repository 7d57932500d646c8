/** What a report says of every rule: what it costs, what fixing it would bring, and in which order to do that. */
import { counted } from "../lib/counted.ts";
import { FINE, NOT_APPLICABLE } from "./outcome.ts";
import { fixOf } from "./refusals.ts";
import type { RejectionReason } from "./rejected.ts";
import type { AuditReport, RuleReport } from "./report.ts";
import type { RuleFacts } from "./rule.ts";
import { REJECTED_RULE } from "./rules/rejected.ts";
import { SETTINGS_RULES } from "./rules/settings.ts";
import { compareScores, type Score, scoreCatalog } from "./score.ts";
import type { Shop } from "./shop.ts";
import type { Findings } from "./sums.ts";
import { MOST_EXAMPLES, type RuleTally } from "./tally.ts";

export type RankedRule = { readonly report: RuleReport; readonly fixed: Score };

/**
 * By what fixing each would bring. While the ceiling holds the score down, most rules bring nothing; then those come
 * first that refuse items, for without them no other fix shows.
 */
export function inOrder(rules: readonly RankedRule[], isCeilingFirst: boolean): RuleReport[] {
  return rules
    .toSorted(
      (a, b) =>
        compareScores(a.fixed, b.fixed) ||
        (isCeilingFirst ? b.report.refused - a.report.refused : 0) ||
        b.report.lost - a.report.lost ||
        b.report.items - a.report.items ||
        a.report.number - b.report.number,
    )
    .map(({ report }) => report);
}

function factsOf({ number, id, title, severity, points, advice, reference }: RuleFacts) {
  return { number, id, title, severity, points, advice, reference };
}

export function itemRuleReport(
  { tally, rejected, sums, score }: Findings,
  own: RuleTally,
  { at, lost }: { readonly at: number; readonly lost: number },
): RankedRule {
  const { rule, unknown, notApplicable, examples, refused, refusedAlone } = own;
  const { items, blocked } = tally;
  const fixed = scoreCatalog({
    items: items + rejected.count,
    refused: blocked + rejected.count - refusedAlone,
    lost: sums.lostByItems + sums.lostByRejected - (sums.lost[at] ?? 0n),
  });
  const report: RuleReport = {
    ...factsOf(rule),
    dimension: rule.dimension,
    lost,
    ...fixOf(score, fixed),
    items: own.items,
    refused,
    judged: items - unknown - notApplicable,
    unknown,
    not_applicable: notApplicable,
    message: null,
    examples,
  };
  return { report, fixed };
}

/** Nothing is known of these rows, so a fix is judged as if they were not there: by the items that were stored. */
export function rejectedReport({ tally, rejected, sums, score }: Findings, lost: number): RankedRule {
  const { items, blocked } = tally;
  const { count, reasons, examples } = rejected;
  const fixed = scoreCatalog({ items, refused: blocked, lost: sums.lostByItems });
  const report: RuleReport = {
    ...factsOf(REJECTED_RULE),
    dimension: REJECTED_RULE.dimension,
    lost,
    ...fixOf(score, fixed),
    items: count,
    refused: count,
    judged: items + count,
    unknown: 0,
    not_applicable: 0,
    message: count === 0 ? null : rejectedMessage(items, count, reasons),
    examples: examples.slice(0, MOST_EXAMPLES).map((example) => ({ ...example, earned: "0/12" })),
  };
  return { report, fixed };
}

function rejectedMessage(items: number, count: number, reasons: readonly RejectionReason[]): string {
  const why = reasons
    .slice(0, 3)
    .map(({ rows, message }) => (rows === null ? message : `${message} (${counted(rows, "row")})`));
  return [`${count} of ${counted(items + count, "row")} could not be stored.`, ...why].join(" ");
}

/** The settings are the same for all items, so a fault there concerns all of them and has no example but itself. */
export function settingsReports({ tally, score }: Findings, shop: Shop): RankedRule[] {
  const { items } = tally;
  return SETTINGS_RULES.map((rule): RankedRule => {
    const outcome = rule.grade(shop);
    const isFaulty = outcome !== FINE && outcome !== NOT_APPLICABLE;
    const applies = outcome !== NOT_APPLICABLE;
    const report: RuleReport = {
      ...factsOf(rule),
      dimension: rule.dimension,
      lost: 0,
      ...fixOf(score, score),
      items: isFaulty ? items : 0,
      refused: 0,
      judged: applies ? items : 0,
      unknown: 0,
      not_applicable: applies ? 0 : items,
      message: isFaulty ? rule.say(shop) : null,
      examples: [],
    };
    return { report, fixed: score };
  });
}

export function coverageOf(rules: readonly RuleReport[]): AuditReport["coverage"] {
  const total = (count: (rule: RuleReport) => number) => rules.reduce((sum, rule) => sum + count(rule), 0);
  return {
    judged: total(({ judged }) => judged),
    unknown: total(({ unknown }) => unknown),
    not_applicable: total(({ not_applicable }) => not_applicable),
  };
}

/** The part of the report about rules: what each costs, what fixing it brings, and which to fix first. */
import { counted } from "../lib/counted.ts";
import { NOT_APPLICABLE, PASS } from "./outcome.ts";
import type { RejectionReason, Shop } from "./audit-context.ts";
import type { AuditReport, Fix, Refusals, RuleReport } from "./report.ts";
import { type AnyRule, type Format, infoOf, requirementOf } from "./rule.ts";
import { REJECTED_RULE } from "./ruleset.ts";
import { SETTINGS_RULES } from "./rules/settings.ts";
import { compareScores, type Score, scoreCatalog } from "./grades.ts";
import type { AuditTotals } from "./totals.ts";
import { MAX_EXAMPLES, type RuleCounter } from "./counters.ts";

export type RankedRule = { readonly report: RuleReport; readonly fixed: Score };

/**
 * By what fixing each brings. While the ceiling limits the score, most fixes bring nothing; then rules that refuse items
 * come first, because no other fix shows before theirs.
 */
export function sortRules(rules: readonly RankedRule[], isUnderCeiling: boolean): RuleReport[] {
  return rules
    .toSorted(
      (a, b) =>
        compareScores(a.fixed, b.fixed) ||
        (isUnderCeiling ? b.report.refused - a.report.refused : 0) ||
        b.report.lost - a.report.lost ||
        b.report.items - a.report.items ||
        a.report.number - b.report.number,
    )
    .map(({ report }) => report);
}

type Counts = Partial<Omit<RuleReport, keyof AnyRule | keyof Fix>> & { readonly judged: number };

const NO_COUNTS = {
  lost: 0,
  items: 0,
  refused: 0,
  unknown: 0,
  not_applicable: 0,
  message: null,
  examples: [],
};

/** The report of a rule: what it costs, and what fixing it brings. */
function ranked(rule: AnyRule, now: Score, fixed: Score, counts: Counts): RankedRule {
  const report = {
    ...NO_COUNTS,
    ...infoOf(rule),
    ...requirementOf(rule),
    ...fixOf(now, fixed),
    ...counts,
  };
  return { report, fixed };
}

export function itemRuleReport(
  { counters, rejected, losses, score }: AuditTotals,
  { rule, items: found, unknown, notApplicable, examples, refused, refusedAlone }: RuleCounter,
  { at, lost }: { readonly at: number; readonly lost: number },
): RankedRule {
  const { items, blocked } = counters;
  const fixed = scoreCatalog({
    items: items + rejected.count,
    refused: blocked + rejected.count - refusedAlone,
    lost: losses.lostByItems + losses.lostByRejected - (losses.lost[at] ?? 0n),
  });
  const judged = items - unknown - notApplicable;
  const counts = { lost, items: found, refused, judged, unknown, not_applicable: notApplicable, examples };
  return ranked(rule, score, fixed, counts);
}

/** Nothing is known of these rows, so the score if fixed is that of the stored items alone. */
export function rejectedReport({ counters, rejected, losses, score }: AuditTotals, lost: number): RankedRule {
  const { items, blocked } = counters;
  const { count, reasons, examples } = rejected;
  const fixed = scoreCatalog({ items, refused: blocked, lost: losses.lostByItems });
  return ranked(REJECTED_RULE, score, fixed, {
    lost,
    items: count,
    refused: count,
    judged: items + count,
    message: count === 0 ? null : rejectedMessage(items, count, reasons),
    examples: examples.slice(0, MAX_EXAMPLES).map((example) => ({ ...example, earned: "0/12" })),
  });
}

function rejectedMessage(items: number, count: number, reasons: readonly RejectionReason[]): string {
  const why = reasons
    .slice(0, 3)
    .map(({ rows, message }) => (rows === null ? message : `${message} (${counted(rows, "row")})`));
  return [`${count} of ${counted(items + count, "row")} could not be stored.`, ...why].join(" ");
}

/** A problem with the settings concerns all items and has no examples. */
export function settingsReports({ counters, score }: AuditTotals, shop: Shop): RankedRule[] {
  const { items } = counters;
  return SETTINGS_RULES.map((rule): RankedRule => {
    const outcome = rule.evaluate(shop);
    if (outcome === NOT_APPLICABLE) return ranked(rule, score, score, { judged: 0, not_applicable: items });
    if (outcome === PASS) return ranked(rule, score, score, { judged: items });
    return ranked(rule, score, score, { judged: items, items, message: rule.message(shop) });
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

function fixOf(now: Score, fixed: Score): Fix {
  return {
    score_if_fixed: fixed.score,
    grade_if_fixed: fixed.grade,
    gain: fixed.score - now.score,
  };
}

/** What fixing all refusals of one format brings, or of all formats. Every format refuses rejected rows. */
export function refusalReport(
  { counters, rejected, losses, score }: AuditTotals,
  format: Format | null,
): Refusals | null {
  const own = counters.formats.find(({ name }) => name === format);
  const items = (own ?? counters).blocked + rejected.count;
  if (items === 0) return null;
  const fixed = scoreCatalog({
    items: counters.items,
    refused: own === undefined ? 0 : counters.blocked - own.freed,
    lost: losses.lostByItems - (own ?? counters).refusals.inUnits(),
  });
  const rules = [
    ...counters.rules
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

/** The part of the report about rules: what each costs, what fixing it brings, and which to fix first. */
import { counted } from "../lib/counted.ts";
import { NOT_APPLICABLE, PASS } from "./outcome.ts";
import type { RejectionReason, AuditedShop } from "./audit-context.ts";
import type { AuditReport, FixGain, RefusalReport, RuleReport } from "./report.ts";
import { type AnyRule, type AuditFormat, infoOf, requirementOf } from "./rule.ts";
import { REJECTED_RULE } from "./ruleset.ts";
import { SETTINGS_RULES } from "./rules/settings.ts";
import { compareScores, type CatalogScore, scoreCatalog } from "./grades.ts";
import type { AuditTotals } from "./totals.ts";
import { type AuditCounters, FIX_EFFECTS, MAX_EXAMPLES, type RuleCounter } from "./counters.ts";

export type RankedRule = { readonly report: RuleReport; readonly fixed: CatalogScore };

/**
 * By what fixing each brings. A setting for which a channel refuses every item comes first: it is one change, and
 * no other fix shows in that channel before it.
 */
export function sortRules(rules: readonly RankedRule[], items: number): RuleReport[] {
  const isFirst = ({ report: { field, refused, id } }: RankedRule): number =>
    field === "settings" && id !== REJECTED_RULE.id && items > 0 && refused === items ? 0 : 1;
  return rules
    .toSorted(
      (a, b) =>
        isFirst(a) - isFirst(b) ||
        compareScores(a.fixed, b.fixed) ||
        b.report.lost - a.report.lost ||
        b.report.items - a.report.items ||
        a.report.number - b.report.number,
    )
    .map(({ report }) => report);
}

type Counts = Partial<Omit<RuleReport, keyof AnyRule | keyof FixGain | "gain_min" | "gain_max">> & {
  readonly judged: number;
};

const NO_COUNTS = {
  lost: 0,
  items: 0,
  refused: 0,
  unknown: 0,
  not_applicable: 0,
  message: null,
  examples: [],
};

type Fixes = { readonly fixed: CatalogScore; readonly least?: CatalogScore; readonly most?: CatalogScore };

/** The report of a rule: what it costs, and what fixing it brings. */
function ranked(
  rule: AnyRule,
  now: CatalogScore,
  { fixed, least = fixed, most = fixed }: Fixes,
  counts: Counts,
): RankedRule {
  const report = {
    ...NO_COUNTS,
    ...infoOf(rule),
    ...requirementOf(rule),
    ...fixOf(now, fixed),
    gain_min: least.score - now.score,
    gain_max: most.score - now.score,
    ...counts,
  };
  return { report, fixed };
}

export function itemRuleReport(
  { counters, rejected, losses, score }: AuditTotals,
  { rule, items: found, unknown, notApplicable, examples, refused, gain, leastGain, mostGain }: RuleCounter,
  { at, lost }: { readonly at: number; readonly lost: number },
): RankedRule {
  const { items } = counters;
  const scoreWith = (gained: bigint): CatalogScore => {
    const left = losses.lostByItems > gained ? losses.lostByItems - gained : 0n;
    return scoreCatalog({ items: items + rejected.count, lost: left + losses.lostByRejected });
  };
  const fixes = {
    fixed: scoreWith(gain.inUnits()),
    least: scoreWith(leastGain.inUnits()),
    most: scoreWith(mostGain.inUnits() + (found === 0 ? 0n : gainOfOthers(counters, at))),
  };
  const judged = items - unknown - notApplicable;
  const counts = {
    lost,
    items: found,
    refused,
    judged,
    unknown,
    not_applicable: notApplicable,
    examples: examples.list().map(({ value }) => value),
  };
  return ranked(rule, score, fixes, counts);
}

/** The most that items without the finding gain: those that are compared with an item that changes. */
function gainOfOthers({ rules }: AuditCounters, at: number): bigint {
  return (FIX_EFFECTS[at] ?? [])
    .map((effect) => rules[effect])
    .filter((other) => other !== undefined && other.rule.scope !== "item")
    .reduce((sum, other) => sum + (other?.mostGain.inUnits() ?? 0n), 0n);
}

/** Nothing is known of these rows: the score if fixed is that of the stored items alone, and any other is possible. */
export function rejectedReport({ counters, rejected, losses, score }: AuditTotals, lost: number): RankedRule {
  const { items } = counters;
  const { count, reasons, examples } = rejected;
  const fixes = {
    fixed: scoreCatalog({ items, lost: losses.lostByItems }),
    least: score,
    most: scoreCatalog({ items: items + count, lost: losses.lostByItems }),
  };
  return ranked(REJECTED_RULE, score, fixes, {
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
export function settingsReports({ counters, score }: AuditTotals, shop: AuditedShop): RankedRule[] {
  const { items } = counters;
  return SETTINGS_RULES.map((rule): RankedRule => {
    const outcome = rule.evaluate(shop);
    const fixes = { fixed: score };
    if (outcome === NOT_APPLICABLE) return ranked(rule, score, fixes, { judged: 0, not_applicable: items });
    if (outcome === PASS) return ranked(rule, score, fixes, { judged: items });
    return ranked(rule, score, fixes, { judged: items, items, message: rule.message(shop) });
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

function fixOf(now: CatalogScore, fixed: CatalogScore): FixGain {
  return {
    score_if_fixed: fixed.score,
    grade_if_fixed: fixed.grade,
    gain: fixed.score - now.score,
  };
}

/** What fixing all refusals of one format brings, or of all formats. Every format refuses rejected rows. */
export function refusalReport(
  { counters, rejected, losses, score }: AuditTotals,
  format: AuditFormat | null,
): RefusalReport | null {
  const own = counters.formats.find(({ name }) => name === format);
  const items = (own ?? counters).blocked + rejected.count;
  if (items === 0) return null;
  const fixed = scoreCatalog({
    items: counters.items,
    lost: losses.lostByItems - (own ?? counters).gain.inUnits(),
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

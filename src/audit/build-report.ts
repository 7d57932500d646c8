/** Builds the report of an audit from its counters. */
import { apportion, greatestCommonDivisor, hundredths, UNIT } from "./grades.ts";
import { NO_REJECTED_ROWS, type RejectedRows, type AuditedShop } from "./audit-context.ts";
import type { AuditReport } from "./report.ts";
import { DIMENSIONS, FORMATS } from "./rule.ts";
import {
  coverageOf,
  itemRuleReport,
  refusalReport,
  rejectedReport,
  settingsReports,
  sortRules,
} from "./rule-reports.ts";
import { ITEM_RULES, REJECTED_RULE, RULESET } from "./ruleset.ts";
import { type AuditTotals, ceilingOf, shownLosses, summarize, totalsOf } from "./totals.ts";
import type { AuditCounters } from "./counters.ts";

export function buildReport(
  counters: AuditCounters,
  shop: AuditedShop,
  rejected: RejectedRows = NO_REJECTED_ROWS,
): AuditReport {
  const totals = totalsOf(counters, rejected);
  const { score } = totals;
  const { items, blocked } = counters;
  const shown = shownLosses(totals);
  const itemRules = counters.rules.map((rule, at) =>
    itemRuleReport(totals, rule, { at, lost: shown[at] ?? 0 }),
  );
  const rejectedRule = rejectedReport(totals, shown[counters.rules.length] ?? 0);
  const settingsRules = settingsReports(totals, shop);
  return {
    ruleset: RULESET,
    as_of: shop.now,
    items,
    rejected: rejected.count,
    rejection_reasons: rejected.reasons,
    score: score.score,
    grade: score.grade,
    raw: hundredths(score.raw),
    ceiling: ceilingOf(totals),
    blocked,
    refusals: refusalReport(totals, null),
    summary: summarize(totals),
    coverage: coverageOf(itemRules.map(({ report }) => report)),
    dimensions: dimensionReports(totals, shown),
    formats: formatReports(totals),
    rules: sortRules([...itemRules, rejectedRule, ...settingsRules], items),
    exact: exactReport(totals),
  };
}

function dimensionReports(
  { counters, losses }: AuditTotals,
  shown: readonly number[],
): AuditReport["dimensions"] {
  const { rules, dimensions } = counters;
  // All points of a rejected row count as lost in one dimension.
  const stakes = dimensions.map(
    ({ name, stakes }) => stakes.inUnits() + (name === REJECTED_RULE.dimension ? losses.lostByRejected : 0n),
  );
  const shownStakes =
    losses.whole === 0n
      ? stakes
      : apportion(
          stakes.map((stake) => 10_000n * stake),
          { per: losses.whole, total: 10_000n },
        );
  const lost = [...losses.lost, losses.lostByRejected];
  const owners = [...rules.map(({ rule }) => rule.dimension), REJECTED_RULE.dimension];
  return dimensions.map(({ name }, at) => {
    const own = [...owners.keys()].filter((rule) => owners[rule] === name);
    const stake = stakes[at] ?? 0n;
    const ownLost = own.reduce((sum, rule) => sum + (lost[rule] ?? 0n), 0n);
    const shownLost = own.reduce((sum, rule) => sum + Math.round(100 * (shown[rule] ?? 0)), 0);
    return {
      id: name,
      title: DIMENSIONS[name].title,
      stake: hundredths(shownStakes[at] ?? 0n),
      lost: shownLost / 100,
      score: stake === 0n ? null : Number((100n * (stake - ownLost)) / stake),
    };
  });
}

function formatReports(totals: AuditTotals): AuditReport["formats"] {
  const { items, formats } = totals.counters;
  return formats.map(({ name, blocked, excluded, lost }) => {
    const total = items - excluded + totals.rejected.count;
    const ready = items - excluded - blocked;
    const kept = 100n * UNIT * BigInt(ready) - lost.inUnits();
    return {
      id: name,
      files: FORMATS[name].files,
      score: total === 0 ? 0 : Number(kept / (UNIT * BigInt(total))),
      ready,
      total,
      refusals: refusalReport(totals, name),
    };
  });
}

/** Writes the mean over the items as fractions over the smallest common denominator. */
function exactReport({ losses }: AuditTotals): AuditReport["exact"] {
  const { whole, lostByItems, lostByRejected } = losses;
  const denominator = whole === 0n ? 1n : whole / 100n;
  const raw = whole - lostByItems - lostByRejected;
  const lost = [...losses.lost, lostByRejected];
  const divisor = greatestCommonDivisor([denominator, raw, ...lost]);
  const shares = [...ITEM_RULES, REJECTED_RULE].map(({ id }, at) => [id, lost[at] ?? 0n] as const);
  return {
    denominator: String(denominator / divisor),
    raw: String(raw / divisor),
    lost: Object.fromEntries(
      shares.filter(([, share]) => share !== 0n).map(([id, share]) => [id, String(share / divisor)]),
    ),
  };
}

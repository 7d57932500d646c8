/** Makes the report of an audit from its counts. */
import { apportion, greatestCommonDivisor, hundredths, UNIT } from "./exact.ts";
import { refusalsOf } from "./refusals.ts";
import { NO_REJECTED_ROWS, type RejectedRows } from "./rejected.ts";
import type { AuditReport } from "./report.ts";
import { DIMENSIONS, FORMATS } from "./rule.ts";
import { coverageOf, inOrder, itemRuleReport, rejectedReport, settingsReports } from "./rule-reports.ts";
import { ITEM_RULES, RULESET } from "./ruleset.ts";
import { REJECTED_RULE } from "./rules/rejected.ts";
import type { Shop } from "./shop.ts";
import { ceilingReason, summarize } from "./summary.ts";
import { type Findings, findingsOf, isHeldDown, shownLosses } from "./sums.ts";
import type { Tally } from "./tally.ts";

export function reportOf(tally: Tally, shop: Shop, rejected: RejectedRows = NO_REJECTED_ROWS): AuditReport {
  const found = findingsOf(tally, rejected);
  const { score } = found;
  const { items, blocked } = tally;
  const shown = shownLosses(found);
  const itemRules = tally.rules.map((rule, at) => itemRuleReport(found, rule, { at, lost: shown[at] ?? 0 }));
  const rejectedRule = rejectedReport(found, shown[tally.rules.length] ?? 0);
  const settingsRules = settingsReports(found, shop);
  return {
    ruleset: RULESET,
    as_of: shop.now,
    items,
    rejected: rejected.count,
    rejection_reasons: rejected.reasons,
    score: score.score,
    grade: score.grade,
    raw: hundredths(score.raw),
    ceiling: score.limit === null ? null : { limit: score.limit, reason: ceilingReason(found) },
    blocked,
    refusals: refusalsOf(found, null),
    summary: summarize(found),
    coverage: coverageOf(itemRules.map(({ report }) => report)),
    dimensions: dimensionReports(found, shown),
    formats: formatReports(found),
    rules: inOrder([...itemRules, rejectedRule, ...settingsRules], isHeldDown(score)),
    exact: exactly(found),
  };
}

function dimensionReports({ tally, sums }: Findings, shown: readonly number[]): AuditReport["dimensions"] {
  const { rules, dimensions } = tally;
  // The points of a rejected row are lost before anything else about it can be judged.
  const stakes = dimensions.map(
    ({ name, stakes }) => stakes.inUnits() + (name === REJECTED_RULE.dimension ? sums.lostByRejected : 0n),
  );
  const shownStakes =
    sums.whole === 0n
      ? stakes
      : apportion(
          stakes.map((stake) => 10_000n * stake),
          { per: sums.whole, total: 10_000n },
        );
  const lost = [...sums.lost, sums.lostByRejected];
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

function formatReports(found: Findings): AuditReport["formats"] {
  const { items, formats } = found.tally;
  const total = items + found.rejected.count;
  return formats.map(({ name, blocked, missed }) => {
    const ready = items - blocked;
    const kept = 100n * UNIT * BigInt(ready) - missed.inUnits();
    return {
      id: name,
      files: FORMATS[name].files,
      score: total === 0 ? 0 : Number(kept / (UNIT * BigInt(total))),
      ready,
      total,
      refusals: refusalsOf(found, name),
    };
  });
}

/** The mean over the items, over one denominator that is as small as it can be. */
function exactly({ sums }: Findings): AuditReport["exact"] {
  const { whole, lostByItems, lostByRejected } = sums;
  const denominator = whole === 0n ? 1n : whole / 100n;
  const raw = whole - lostByItems - lostByRejected;
  const lost = [...sums.lost, lostByRejected];
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

/**
 * What an audit says, in a shape that is stored and shown as it is: the score, its ceiling, and where every missing
 * point went. Shown numbers have two decimals and add up as they are shown; `exact` has the same as fractions, with
 * `exact.raw` and all of `exact.lost` making exactly 100. Names are those of the API.
 */
import { apportion, greatestCommonDivisor, hundredths, UNIT } from "./exact.ts";
import { FINE, NOT_APPLICABLE } from "./outcome.ts";
import { DIMENSIONS, type Dimension, type Format, FORMATS, type RuleFacts, type Severity } from "./rule.ts";
import { ITEM_RULES, RULESET, type Ruleset } from "./ruleset.ts";
import { SETTINGS_RULES } from "./rules/settings.ts";
import type { Shop } from "./shop.ts";
import { ceilingFor, type Grade, gradeOf } from "./standing.ts";
import type { Example, RuleTally, Tally } from "./tally.ts";

export type RuleReport = {
  readonly number: number;
  readonly id: string;
  readonly title: string;
  readonly dimension: Dimension;
  readonly severity: Severity;
  readonly points: number;
  /** Points of the catalog's score that went here, which is also what mending it everywhere would bring. */
  readonly lost: number;
  /** Items found wanting. */
  readonly items: number;
  readonly judged: number;
  readonly unknown: number;
  readonly not_applicable: number;
  /** What is wrong, where it is not about items but about the settings. */
  readonly message: string | null;
  readonly advice: string;
  readonly reference: string;
  /** The first items that were found wanting. */
  readonly examples: readonly Example[];
};

export type AuditReport = {
  readonly ruleset: Ruleset;
  readonly as_of: string;
  readonly items: number;
  readonly score: number;
  readonly grade: Grade;
  /** The score before the ceiling, cut after two decimals. */
  readonly raw: number;
  readonly ceiling: { readonly limit: number; readonly reason: string } | null;
  /** Items that at least one format refuses. */
  readonly blocked: number;
  readonly summary: string;
  /** How many answers the rules could give. */
  readonly coverage: {
    readonly judged: number;
    readonly unknown: number;
    readonly not_applicable: number;
  };
  readonly dimensions: readonly {
    readonly id: Dimension;
    readonly title: string;
    /** Of the catalog's 100 points, those that were at stake here and those that were lost. */
    readonly stake: number;
    readonly lost: number;
    /** The share that was kept, cut to a whole number; null when nothing was at stake. */
    readonly score: number | null;
  }[];
  readonly formats: readonly {
    readonly id: Format;
    readonly files: readonly string[];
    readonly score: number;
    readonly ready: number;
    readonly total: number;
  }[];
  /** Those that cost most first. */
  readonly rules: readonly RuleReport[];
  readonly exact: {
    readonly denominator: string;
    readonly raw: string;
    readonly lost: Readonly<Record<string, string>>;
  };
};

/** The sums of an audit in UNITths of points, not yet divided by the number of items. */
type Sums = {
  readonly whole: bigint;
  readonly lost: readonly bigint[];
  readonly lostInAll: bigint;
};

function sumUp(tally: Tally): Sums {
  const lost = tally.rules.map(({ missed }) => missed.inUnits());
  const whole = 100n * UNIT * BigInt(tally.items);
  return { whole, lost, lostInAll: lost.reduce((sum, one) => sum + one, 0n) };
}

export function reportOf(tally: Tally, shop: Shop): AuditReport {
  const sums = sumUp(tally);
  const { items, blocked } = tally;
  const limit = ceilingFor(blocked, items);
  const raw = items === 0 ? 0n : (10_000n * (sums.whole - sums.lostInAll)) / sums.whole;
  const rawScore = Number(raw / 100n);
  const score = limit === null ? rawScore : Math.min(rawScore, limit);
  const ceiling = limit === null ? null : { limit, reason: ceilingReason(blocked, items) };
  const shown = shownLosses(sums, raw);
  const itemRules = tally.rules.map((rule, at) => itemRuleReport(rule, items, shown[at] ?? 0));
  const rules = [...itemRules, ...settingsReports(shop, items)];
  const standing = { score, grade: gradeOf(score), raw: hundredths(raw), ceiling };
  return {
    ruleset: RULESET,
    as_of: shop.now,
    items,
    ...standing,
    blocked,
    summary: summarize(standing, items),
    coverage: coverageOf(itemRules),
    dimensions: dimensionReports(tally, sums, shown),
    formats: formatReports(tally),
    rules: rules.sort((a, b) => b.lost - a.lost || b.items - a.items || a.number - b.number),
    exact: exactly(sums),
  };
}

/** Hundredths of a point by rule, adding up to what is missing from the shown raw score. */
function shownLosses({ whole, lost, lostInAll }: Sums, raw: bigint): number[] {
  if (lostInAll === 0n) return lost.map(() => 0);
  return apportion(
    lost.map((one) => 10_000n * one),
    { per: whole, total: 10_000n - raw },
  ).map(hundredths);
}

function factsOf({ number, id, title, severity, points, advice, reference }: RuleFacts) {
  return { number, id, title, severity, points, advice, reference };
}

function itemRuleReport(tally: RuleTally, items: number, lost: number): RuleReport {
  const { rule, unknown, notApplicable, examples } = tally;
  return {
    ...factsOf(rule),
    dimension: rule.dimension,
    lost,
    items: tally.items,
    judged: items - unknown - notApplicable,
    unknown,
    not_applicable: notApplicable,
    message: null,
    examples,
  };
}

/** The settings are the same for all items, so a fault there concerns all of them and has no example but itself. */
function settingsReports(shop: Shop, items: number): RuleReport[] {
  return SETTINGS_RULES.map((rule): RuleReport => {
    const outcome = rule.grade(shop);
    const isFaulty = outcome !== FINE && outcome !== NOT_APPLICABLE;
    const applies = outcome !== NOT_APPLICABLE;
    return {
      ...factsOf(rule),
      dimension: rule.dimension,
      lost: 0,
      items: isFaulty ? items : 0,
      judged: applies ? items : 0,
      unknown: 0,
      not_applicable: applies ? 0 : items,
      message: isFaulty ? rule.say(shop) : null,
      examples: [],
    };
  });
}

function coverageOf(rules: readonly RuleReport[]): AuditReport["coverage"] {
  const total = (count: (rule: RuleReport) => number) => rules.reduce((sum, rule) => sum + count(rule), 0);
  return {
    judged: total(({ judged }) => judged),
    unknown: total(({ unknown }) => unknown),
    not_applicable: total(({ not_applicable }) => not_applicable),
  };
}

function dimensionReports(
  { items, rules, dimensions }: Tally,
  sums: Sums,
  shown: readonly number[],
): AuditReport["dimensions"] {
  const stakes = dimensions.map((dimension) => dimension.stakes.inUnits());
  const shownStakes =
    items === 0
      ? stakes
      : apportion(
          stakes.map((stake) => 10_000n * stake),
          { per: sums.whole, total: 10_000n },
        );
  return dimensions.map(({ name }, at) => {
    const own = [...rules.keys()].filter((rule) => rules[rule]?.rule.dimension === name);
    const stake = stakes[at] ?? 0n;
    const lost = own.reduce((sum, rule) => sum + (sums.lost[rule] ?? 0n), 0n);
    const shownLost = own.reduce((sum, rule) => sum + Math.round(100 * (shown[rule] ?? 0)), 0);
    return {
      id: name,
      title: DIMENSIONS[name].title,
      stake: hundredths(shownStakes[at] ?? 0n),
      lost: shownLost / 100,
      score: stake === 0n ? null : Number((100n * (stake - lost)) / stake),
    };
  });
}

function formatReports({ items, formats }: Tally): AuditReport["formats"] {
  const whole = 100n * UNIT * BigInt(items);
  return formats.map(({ name, blocked, missed }) => ({
    id: name,
    files: FORMATS[name].files,
    score: items === 0 ? 0 : Number((100n * (whole - missed.inUnits())) / whole),
    ready: items - blocked,
    total: items,
  }));
}

/** The mean over the items, over one denominator that is as small as it can be. */
function exactly({ whole, lost, lostInAll }: Sums): AuditReport["exact"] {
  const denominator = whole === 0n ? 1n : whole / 100n;
  const raw = whole - lostInAll;
  const divisor = greatestCommonDivisor([denominator, raw, ...lost]);
  const shares = ITEM_RULES.map(({ id }, at) => [id, lost[at] ?? 0n] as const);
  return {
    denominator: String(denominator / divisor),
    raw: String(raw / divisor),
    lost: Object.fromEntries(
      shares.filter(([, share]) => share !== 0n).map(([id, share]) => [id, String(share / divisor)]),
    ),
  };
}

function ceilingReason(blocked: number, items: number): string {
  if (items === 0) return "The catalog has no items.";
  return `${blocked} of ${items} items (${percent(blocked, items)} %) are refused by at least one channel.`;
}

/** One decimal, cut. */
function percent(part: number, whole: number): string {
  return String(Math.floor((part * 1_000) / whole) / 10);
}

function summarize(
  { score, grade, raw, ceiling }: Pick<AuditReport, "score" | "grade" | "raw" | "ceiling">,
  items: number,
): string {
  if (items === 0) return "0, grade F: the catalog has no items.";
  if (ceiling === null || raw < ceiling.limit + 1) return `${score}, grade ${grade}.`;
  return `${score}, grade ${grade}: ${raw.toFixed(2)} before the ceiling of ${ceiling.limit}. ${ceiling.reason}`;
}

/** What the event `audit.completed` says of an audit, beside the id of its run. */
export function completedData(report: AuditReport, previousScore: number | null) {
  const { score, grade, items } = report;
  return { catalog_score: score, grade, previous_score: previousScore, items };
}

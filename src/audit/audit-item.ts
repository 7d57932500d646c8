/**
 * Why one item has the score it has: every rule's answer with a sentence. What only the whole catalog shows is taken
 * from the stored verdict, if there is one; otherwise it is unknown, and said to be.
 */
import { withDefaults } from "../catalog/defaults.ts";
import type { Item } from "../catalog/item.ts";
import { oneGroup } from "./neighborhood.ts";
import { FINE, NOT_APPLICABLE, type Outcome, STEPS, UNKNOWN } from "./outcome.ts";
import type { Place } from "./place.ts";
import { type Dimension, type Format, type ItemRule, judge, type Severity, severityOf } from "./rule.ts";
import { ITEM_RULES } from "./ruleset.ts";
import type { AuditContext } from "./shop.ts";
import type { Grade } from "../contract/audits.ts";
import { gradeOf } from "./standing.ts";
import { decodeVerdict, shownScore, type Verdict } from "./verdict.ts";

export type ItemRuleReport = {
  readonly number: number;
  readonly id: string;
  readonly title: string;
  readonly dimension: Dimension;
  readonly severity: Severity;
  readonly field: string;
  readonly points: number;
  readonly outcome: "fine" | "fault" | "partial" | "unknown" | "not_applicable";
  /** "4/12" of the points; null where nothing was judged. */
  readonly earned: string | null;
  /** Points of the item's score lost to this rule, rounded to two decimals. */
  readonly lost: number;
  /** The formats that refuse the item for it. */
  readonly blocks: readonly Format[];
  readonly message: string | null;
  readonly advice: string;
  readonly reference: string;
};

export type ItemReport = {
  readonly item_id: string;
  readonly score: number;
  readonly grade: Grade;
  /** Of 100, the points of the rules that applied and could be judged. */
  readonly stake: number;
  /** The formats that refuse the item. */
  readonly blocks: readonly Format[];
  /** Those that cost most first. */
  readonly rules: readonly ItemRuleReport[];
};

export type ItemSurroundings = {
  /** All items of its group in catalog order, itself among them or not. */
  readonly siblings?: readonly Item[];
  /** The stored verdict of the last audit; null when that audit had nothing to say about it. */
  readonly verdict?: Uint8Array | null;
};

export function auditItem(
  given: Item,
  context: AuditContext,
  surroundings: ItemSurroundings = {},
): ItemReport {
  const item = withDefaults(given, context.settings);
  const siblings = surroundings.siblings?.map((sibling) => withDefaults(sibling, context.settings));
  const place = placeOf(item, context, siblings);
  const stored = storedGrades(surroundings.verdict);
  const outcomes = ITEM_RULES.map((rule): Judged => {
    const outcome = judge(rule, item, place);
    const isOutOfSight = outcome === UNKNOWN && rule.sight !== "item";
    return { rule, outcome: isOutOfSight ? (stored?.(rule) ?? UNKNOWN) : outcome };
  });
  const { stake, missed } = weigh(outcomes);
  const score = shownScore(stake, missed);
  const rules = outcomes.map((judged) => ruleReport(judged, { item, place, stake }));
  return {
    item_id: item.id,
    score,
    grade: gradeOf(score),
    stake,
    blocks: [...new Set(rules.flatMap(({ blocks }) => blocks))],
    rules: rules.sort((a, b) => b.lost - a.lost || a.number - b.number),
  };
}

type Judged = { readonly rule: ItemRule; readonly outcome: Outcome };

/** The siblings are walked through in their order, so that the item is blamed for no more than in the whole audit. */
function placeOf(item: Item, context: AuditContext, siblings: readonly Item[] | undefined): Place {
  const groupId = item.groupId ?? null;
  const isAmong = siblings?.some(({ id }) => id === item.id) ?? false;
  const items = siblings === undefined ? [item] : isAmong ? siblings : [...siblings, item];
  const neighborhood = oneGroup(context, siblings !== undefined);
  neighborhood.enter({ groupId, items: groupId === null ? [item] : items, whole: true });
  for (const one of items) {
    const place = neighborhood.look(one.id === item.id ? item : one);
    if (one.id === item.id) return place;
  }
  return neighborhood.look(item);
}

function storedGrades(bytes: Uint8Array | null | undefined): ((rule: ItemRule) => Outcome) | undefined {
  if (bytes === undefined) return undefined;
  const { findings }: Verdict = bytes === null ? { stake: 100, findings: [] } : decodeVerdict(bytes);
  return ({ number }) => findings.find((finding) => finding.number === number)?.grade ?? FINE;
}

function weigh(outcomes: readonly Judged[]): { stake: number; missed: number } {
  let stake = 0;
  let missed = 0;
  for (const { rule, outcome } of outcomes) {
    if (outcome < 0) continue;
    stake += rule.points;
    missed += rule.points * (STEPS - outcome);
  }
  return { stake, missed };
}

type Scene = { readonly item: Item; readonly place: Place; readonly stake: number };

function ruleReport({ rule, outcome }: Judged, { item, place, stake }: Scene): ItemRuleReport {
  const { number, id, title, dimension, field, points, advice, reference } = rule;
  const isJudged = outcome >= 0;
  const isWanting = isJudged && outcome !== FINE;
  const lost = isWanting ? (100 * points * (STEPS - outcome)) / (STEPS * stake) : 0;
  return {
    number,
    id,
    title,
    dimension,
    field,
    points,
    severity: severityOf(rule, outcome),
    outcome: nameOf(outcome),
    earned: isJudged ? `${outcome}/${STEPS}` : null,
    lost: Math.round(100 * lost) / 100,
    blocks: outcome === 0 ? rule.blocks : [],
    message: isWanting ? rule.say(item, place) : null,
    advice,
    reference,
  };
}

function nameOf(outcome: Outcome): ItemRuleReport["outcome"] {
  if (outcome === NOT_APPLICABLE) return "not_applicable";
  if (outcome === UNKNOWN) return "unknown";
  if (outcome === FINE) return "fine";
  return outcome === 0 ? "fault" : "partial";
}

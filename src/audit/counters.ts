/**
 * The counters of an audit: whole numbers by rule, dimension, format and stake, nothing per item. Memory depends on the
 * number of rules, not on the size of the catalog.
 */
import { FirstFew, type PlacedValue } from "../lib/first-few.ts";
import { fixEffects, isRemovable } from "./fix-effects.ts";
import { LossSum } from "./grades.ts";
import { acceptedWeight, addLoss, DIMENSION_NAMES, type ItemPoints, type ItemScore } from "./item-score.ts";
import type { EvaluatedRule } from "./item-score.ts";
import { FAIL, NOT_APPLICABLE, TWELFTHS, UNKNOWN } from "./outcome.ts";
import { shareRefusals } from "./refusal-shares.ts";
import type { RuleReport } from "./report.ts";
import { ALL_FORMATS, ALL_WEIGHTS } from "./rule.ts";
import type { Dimension, AuditFormat, ItemRule } from "./rule.ts";
import { ITEM_RULES } from "./ruleset.ts";

export const MAX_EXAMPLES = 20;

export type RuleCounter = {
  readonly rule: ItemRule;
  /** Items with this finding. */
  items: number;
  /** Items that a channel refuses because of this rule. */
  refused: number;
  notApplicable: number;
  unknown: number;
  readonly lost: LossSum;
  /** What all items with the finding gain if they pass the rule and nothing else changes. */
  readonly gain: LossSum;
  /** The same if the other rules that the fix can change find as much as possible, and as little. */
  readonly leastGain: LossSum;
  readonly mostGain: LossSum;
  readonly examples: FirstFew<Example>;
};

type Example = RuleReport["examples"][number];

/** By the position of a rule, the positions of the rules that a fix of it can change. */
export const FIX_EFFECTS = fixEffects(ITEM_RULES);

/** By the position of a rule, whether its value can be removed. */
const REMOVABLE_AT: readonly boolean[] = ITEM_RULES.map(isRemovable);

/** The first items with a finding, by the number of the rule, with the places of their groups. */
export type RuleExamples = Readonly<Record<string, readonly PlacedValue<Example>[]>>;

export type NewExample = {
  /** Of the group. */
  readonly place: string;
  readonly itemId: string;
  readonly messageAt: (at: number) => string;
  readonly isWanted?: ((at: number) => boolean) | undefined;
};

type DimensionCounter = {
  readonly name: Dimension;
  /** The points of the evaluated rules, as losses. */
  readonly stakes: LossSum;
};

type FormatCounter = {
  readonly name: AuditFormat;
  blocked: number;
  /** Items that rules leave out of the format's files. */
  excluded: number;
  /** Of the items that the format accepts. */
  readonly lost: LossSum;
  /** What the items gain if the findings are fixed for which the format refuses them. */
  readonly gain: LossSum;
};

export class AuditCounters {
  items = 0;
  /** Items that at least one format refuses. */
  blocked = 0;
  readonly rules: readonly RuleCounter[];
  readonly dimensions: readonly DimensionCounter[] = DIMENSION_NAMES.map((name) => ({
    name,
    stakes: new LossSum(),
  }));
  readonly formats: readonly FormatCounter[] = ALL_FORMATS.map((name) => ({
    name,
    blocked: 0,
    excluded: 0,
    lost: new LossSum(),
    gain: new LossSum(),
  }));
  /** What the items gain if all findings are fixed for which any format refuses them. */
  readonly gain = new LossSum();
  /** By what the formats refuse: the part of all points that cannot be earned. */
  readonly refused = new LossSum();

  /** `examples` are those of the previous audit, if this one visits only what has changed. */
  constructor(examples: RuleExamples = {}) {
    this.rules = ITEM_RULES.map((rule) => ({
      rule,
      items: 0,
      refused: 0,
      notApplicable: 0,
      unknown: 0,
      lost: new LossSum(),
      gain: new LossSum(),
      leastGain: new LossSum(),
      mostGain: new LossSum(),
      examples: new FirstFew(MAX_EXAMPLES, examples[rule.number]),
    }));
  }

  /** `times` items that have this score. */
  add(score: ItemScore, times = 1): void {
    this.items += times;
    for (let i = 0; i < score.notPassedCount; i++) {
      const at = score.notPassed[i] ?? 0;
      const [result, counter] = [score.results[at], this.rules[at]];
      if (!result || !counter) continue;
      countOutcome(counter, result, score, times);
      addGains(counter, at, score, times);
    }
    this.addStakes(score, times);
    if (score.findingCount > 0 || score.excluded !== 0) this.addFormats(score, times);
    if (score.blocked !== 0) this.addRefusal(score, times);
  }

  /** The first items with each finding. The items of a pass come in feed order; `isWanted` limits the rules. */
  addExamples(
    { notPassedCount, notPassed, results }: ItemScore,
    { place, itemId, messageAt, isWanted }: NewExample,
  ): void {
    for (let i = 0; i < notPassedCount; i++) {
      const at = notPassed[i] ?? 0;
      const [result, counter] = [results[at], this.rules[at]];
      if (!result || !counter || result.outcome < 0) continue;
      if (isWanted ? !isWanted(at) : counter.examples.isFull) continue;
      const message = messageAt(at);
      const earned = `${result.outcome}/${TWELFTHS}`;
      counter.examples.add(place, { item_id: itemId, earned, message });
    }
  }

  /** The group at this place was replaced. */
  dropExamples(place: string): void {
    for (const { examples } of this.rules) examples.drop(place);
  }

  /** All examples, by the numbers of the rules. */
  examples(): RuleExamples {
    return Object.fromEntries(
      this.rules
        .map(({ rule, examples }) => [rule.number, examples.list()] as const)
        .filter(([, list]) => list.length > 0),
    );
  }

  private addStakes(score: ItemScore, times: number): void {
    const { stake, dimensionStakes } = score;
    const weight = TWELFTHS * acceptedWeight(score) * times;
    for (let at = 0; at < this.dimensions.length; at++) {
      this.dimensions[at]?.stakes.add(stake, (dimensionStakes[at] ?? 0) * weight);
    }
  }

  private addFormats({ blocked, excluded, formatMissed, formatStakes }: ItemScore, times: number): void {
    for (const [at, format] of this.formats.entries()) {
      if ((excluded >> at) & 1) format.excluded += times;
      else if ((blocked >> at) & 1) format.blocked += times;
      else format.lost.add(formatStakes[at] ?? 0, (formatMissed[at] ?? 0) * ALL_WEIGHTS * times);
    }
  }

  /** For refused items: which rules cause it, and what they gain if these are fixed. */
  private addRefusal(score: ItemScore, times: number): void {
    const { blocked, results } = score;
    this.blocked += times;
    addLoss(this.refused, { stake: 1, missed: 0, blocked }, times);
    const refusing = results.filter(({ outcome, blocks }) => outcome === FAIL && blocks !== 0);
    for (const { rule } of refusing) {
      const counter = this.rules.find((own) => own.rule === rule);
      if (counter !== undefined) counter.refused += times;
    }
    shareRefusals(refusing, ({ rule, dimension }, causes, missed) => {
      this.rules.find((own) => own.rule === rule)?.lost.add(causes, missed * times);
      // As with rejected rows, points that cannot be earned are a part of the dimension that they are lost in.
      this.dimensions[dimension]?.stakes.add(causes, missed * times);
    });
    addGain(this.gain, score, withoutRefusals(score, refusing), times);
    for (const [bit, format] of this.formats.entries()) {
      if (((blocked >> bit) & 1) === 0) continue;
      const own = refusing.filter(({ blocks }) => (blocks >> bit) & 1);
      addGain(format.gain, score, withoutRefusals(score, own), times);
    }
  }
}

function countOutcome(
  counter: RuleCounter,
  { outcome }: EvaluatedRule,
  score: ItemScore,
  times: number,
): void {
  if (outcome === UNKNOWN) counter.unknown += times;
  if (outcome === NOT_APPLICABLE) counter.notApplicable += times;
  if (outcome < 0) return;
  counter.items += times;
  const missed = counter.rule.points * (TWELFTHS - outcome);
  counter.lost.add(score.stake, missed * acceptedWeight(score) * times);
}

/** What items gain that have `after` in place of `before`. */
function addGain(sum: LossSum, before: ItemPoints, after: ItemPoints, times: number): void {
  addLoss(sum, before, times);
  addLoss(sum, after, -times);
}

function withoutRefusals(score: ItemScore, fixed: readonly EvaluatedRule[]): ItemPoints {
  const missed = fixed.reduce((sum, { points }) => sum + TWELFTHS * points, 0);
  return {
    stake: score.stake,
    missed: score.missed - missed,
    blocked: blockedWithout(score, (result) => fixed.includes(result)),
  };
}

function blockedWithout(
  { blocked, notPassed, notPassedCount, results }: ItemScore,
  isFixed: (result: EvaluatedRule, at: number) => boolean,
): number {
  if (blocked === 0) return 0;
  let bits = 0;
  for (let i = 0; i < notPassedCount; i++) {
    const at = notPassed[i] ?? 0;
    const result = results[at];
    if (result && result.outcome === FAIL && !isFixed(result, at)) bits |= result.blocks;
  }
  return bits;
}

/**
 * A fixed rule passes; if its value can be removed, it may no longer apply, which is the least that a fix gains. Of the rules
 * that the fix can change, those that begin to apply find nothing or everything, and findings of the others remain or end.
 */
function addGains(counter: RuleCounter, at: number, score: ItemScore, times: number): void {
  const result = score.results[at];
  if (!result || result.outcome < 0 || (result.points === 0 && result.blocks === 0)) return;
  const effects = FIX_EFFECTS[at] ?? [];
  const fixed = {
    stake: score.stake,
    missed: score.missed - result.points * (TWELFTHS - result.outcome),
    blocked: blockedWithout(score, (one) => one === result),
  };
  addGain(counter.gain, score, fixed, times);
  const removed = isRemovable(counter.rule) ? Math.min(result.points, score.stake - 1) : 0;
  addGain(
    counter.leastGain,
    score,
    leastAfter(score, { ...fixed, stake: score.stake - removed }, effects),
    times,
  );
  addGain(counter.mostGain, score, mostAfter(score, fixed, [at, ...effects]), times);
}

/**
 * Rules that begin to apply find everything. A fix that makes a channel refuse the item is none: they leave a twelfth. A rule whose
 * value the fix may remove, such as a sale price, no longer applies where that is worse.
 */
function leastAfter(score: ItemScore, fixed: ItemPoints, effects: readonly number[]): ItemPoints {
  let { stake, missed } = fixed;
  for (const effect of effects) {
    const result = score.results[effect];
    if (!result) continue;
    if (result.outcome >= 0) {
      const rest = {
        stake: stake - result.points,
        missed: missed - result.points * (TWELFTHS - result.outcome),
      };
      const isWorse = rest.stake > 0 && rest.missed * stake > missed * rest.stake;
      if (isWorse && REMOVABLE_AT[effect] === true) ({ stake, missed } = rest);
      continue;
    }
    stake += result.points;
    missed += (result.blocks === 0 ? TWELFTHS : TWELFTHS - 1) * result.points;
  }
  return { stake, missed, blocked: fixed.blocked };
}

/** Rules that begin to apply find nothing, and findings end. The first of `changed` is the fixed rule itself. */
function mostAfter(score: ItemScore, fixed: ItemPoints, changed: readonly number[]): ItemPoints {
  let { stake, missed } = fixed;
  for (const effect of changed.slice(1)) {
    const result = score.results[effect];
    if (!result) continue;
    if (result.outcome < 0) stake += result.points;
    else missed -= result.points * (TWELFTHS - result.outcome);
  }
  return { stake, missed, blocked: blockedWithout(score, (_, at) => changed.includes(at)) };
}

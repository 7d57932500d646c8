/**
 * The counters of an audit: whole numbers by rule, dimension, format and stake, nothing per item. Memory depends on the
 * number of rules, not on the size of the catalog.
 */
import type { Item } from "../catalog/item.ts";
import { LossSum } from "./grades.ts";
import { DIMENSION_NAMES, FORMAT_NAMES, type ItemScore } from "./item-score.ts";
import { FAIL, NOT_APPLICABLE, type Outcome, TWELFTHS, UNKNOWN } from "./outcome.ts";
import type { RuleReport } from "./report.ts";
import type { Dimension, Format, ItemRule, RuleContext } from "./rule.ts";
import { ITEM_RULES } from "./ruleset.ts";

export const MAX_EXAMPLES = 20;

export type RuleCounter = {
  readonly rule: ItemRule;
  /** Items with this finding. */
  items: number;
  /** Items that a channel refuses because of this rule. */
  refused: number;
  /** Of those, items that no other rule makes a channel refuse. */
  refusedAlone: number;
  notApplicable: number;
  unknown: number;
  readonly lost: LossSum;
  readonly examples: RuleReport["examples"][number][];
};

/** The first items with a finding, by the number of the rule. */
export type Examples = Readonly<Record<string, RuleReport["examples"]>>;

type DimensionCounter = {
  readonly name: Dimension;
  /** The points of the evaluated rules, as losses. */
  readonly stakes: LossSum;
};

type FormatCounter = {
  readonly name: Format;
  blocked: number;
  /** Of the items that the format accepts. */
  readonly lost: LossSum;
  /** The losses by the findings for which the format refuses items. */
  readonly refusals: LossSum;
  /** Items that only this format refuses: no other one would once its own refusals are fixed. */
  freed: number;
};

export class AuditCounters {
  items = 0;
  /** Items that at least one format refuses. */
  blocked = 0;
  readonly rules: readonly RuleCounter[] = ITEM_RULES.map((rule) => ({
    rule,
    items: 0,
    refused: 0,
    refusedAlone: 0,
    notApplicable: 0,
    unknown: 0,
    lost: new LossSum(),
    examples: [],
  }));
  readonly dimensions: readonly DimensionCounter[] = DIMENSION_NAMES.map((name) => ({
    name,
    stakes: new LossSum(),
  }));
  readonly formats: readonly FormatCounter[] = FORMAT_NAMES.map((name) => ({
    name,
    blocked: 0,
    lost: new LossSum(),
    refusals: new LossSum(),
    freed: 0,
  }));
  /** The losses by the findings for which any format refuses items. */
  readonly refusals = new LossSum();

  /** `times` items that have this score. */
  add(score: ItemScore, times = 1): void {
    this.items += times;
    for (let i = 0; i < score.notPassedCount; i++) {
      const at = score.notPassed[i] ?? 0;
      const [result, counter] = [score.results[at], this.rules[at]];
      if (result && counter) countOutcome(counter, result.outcome, score.stake, times);
    }
    this.addStakes(score, times);
    if (score.findingCount > 0) this.addFormats(score, times);
    if (score.blocked !== 0) this.addRefusal(score, times);
  }

  /** The first items with each finding, in the order of the calls. */
  addExamples({ notPassedCount, notPassed, results }: ItemScore, item: Item, context: RuleContext): void {
    for (let i = 0; i < notPassedCount; i++) {
      const at = notPassed[i] ?? 0;
      const [result, counter] = [results[at], this.rules[at]];
      if (!result || !counter || result.outcome < 0 || counter.examples.length >= MAX_EXAMPLES) continue;
      const message = counter.rule.message(item, context);
      counter.examples.push({ item_id: item.id, earned: `${result.outcome}/${TWELFTHS}`, message });
    }
  }

  /** All examples, by the numbers of the rules. */
  examples(): Examples {
    return Object.fromEntries(
      this.rules
        .filter(({ examples }) => examples.length > 0)
        .map(({ rule, examples }) => [rule.number, examples]),
    );
  }

  private addStakes({ stake, dimensionStakes }: ItemScore, times: number): void {
    for (let at = 0; at < this.dimensions.length; at++) {
      this.dimensions[at]?.stakes.add(stake, TWELFTHS * (dimensionStakes[at] ?? 0) * times);
    }
  }

  private addFormats({ blocked, formatMissed, formatStakes }: ItemScore, times: number): void {
    for (const [at, format] of this.formats.entries()) {
      if ((blocked >> at) & 1) format.blocked += times;
      else format.lost.add(formatStakes[at] ?? 0, (formatMissed[at] ?? 0) * times);
    }
  }

  /** For refused items: which rules cause it, and which formats would accept them once they are fixed. */
  private addRefusal({ stake, blocked, results }: ItemScore, times: number): void {
    this.blocked += times;
    const refusing = results.filter(({ outcome, blocks }) => outcome === FAIL && blocks !== 0);
    for (const { rule, points, blocks } of refusing) {
      this.refusals.add(stake, TWELFTHS * points * times);
      for (const [bit, { refusals }] of this.formats.entries()) {
        if ((blocks >> bit) & 1) refusals.add(stake, TWELFTHS * points * times);
      }
      const counter = this.rules.find((own) => own.rule === rule);
      if (counter === undefined) continue;
      counter.refused += times;
      if (refusing.length === 1) counter.refusedAlone += times;
    }
    for (const [bit, format] of this.formats.entries()) {
      if ((blocked >> bit) & 1 && refusing.every(({ blocks }) => (blocks >> bit) & 1)) format.freed += times;
    }
  }
}

function countOutcome(counter: RuleCounter, outcome: Outcome, stake: number, times: number): void {
  if (outcome === UNKNOWN) counter.unknown += times;
  if (outcome === NOT_APPLICABLE) counter.notApplicable += times;
  if (outcome < 0) return;
  counter.items += times;
  counter.lost.add(stake, counter.rule.points * (TWELFTHS - outcome) * times);
}

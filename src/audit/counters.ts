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

  add(score: ItemScore, item: Item, context: RuleContext): void {
    this.items++;
    for (let i = 0; i < score.notPassedCount; i++) {
      const at = score.notPassed[i] ?? 0;
      const [result, counter] = [score.results[at], this.rules[at]];
      if (result === undefined || counter === undefined) continue;
      const { outcome } = result;
      countOutcome(counter, outcome, score.stake);
      if (outcome < 0 || counter.examples.length >= MAX_EXAMPLES) continue;
      const message = counter.rule.message(item, context);
      counter.examples.push({ item_id: item.id, earned: `${outcome}/${TWELFTHS}`, message });
    }
    this.addStakes(score);
    if (score.findingCount > 0) this.addFormats(score);
    if (score.blocked !== 0) this.addRefusal(score);
  }

  private addStakes({ stake, dimensionStakes }: ItemScore): void {
    for (let at = 0; at < this.dimensions.length; at++) {
      this.dimensions[at]?.stakes.add(stake, TWELFTHS * (dimensionStakes[at] ?? 0));
    }
  }

  private addFormats({ blocked, formatMissed, formatStakes }: ItemScore): void {
    for (const [at, format] of this.formats.entries()) {
      if ((blocked >> at) & 1) format.blocked++;
      else format.lost.add(formatStakes[at] ?? 0, formatMissed[at] ?? 0);
    }
  }

  /** For a refused item: which rules cause it, and which formats would accept it once they are fixed. */
  private addRefusal({ stake, blocked, results }: ItemScore): void {
    this.blocked++;
    const refusing = results.filter(({ outcome, blocks }) => outcome === FAIL && blocks !== 0);
    for (const { rule, points, blocks } of refusing) {
      this.refusals.add(stake, TWELFTHS * points);
      for (const [bit, { refusals }] of this.formats.entries()) {
        if ((blocks >> bit) & 1) refusals.add(stake, TWELFTHS * points);
      }
      const counter = this.rules.find((own) => own.rule === rule);
      if (counter === undefined) continue;
      counter.refused++;
      if (refusing.length === 1) counter.refusedAlone++;
    }
    for (const [bit, format] of this.formats.entries()) {
      if ((blocked >> bit) & 1 && refusing.every(({ blocks }) => (blocks >> bit) & 1)) format.freed++;
    }
  }
}

function countOutcome(counter: RuleCounter, outcome: Outcome, stake: number): void {
  if (outcome === UNKNOWN) counter.unknown++;
  if (outcome === NOT_APPLICABLE) counter.notApplicable++;
  if (outcome < 0) return;
  counter.items++;
  counter.lost.add(stake, counter.rule.points * (TWELFTHS - outcome));
}

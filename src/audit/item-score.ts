/**
 * The outcomes of all rules for one item, and their sums. One object serves a whole audit and is refilled for every
 * item. The sums begin with all points, and a passed rule subtracts nothing, so a faultless item costs little time.
 */
import type { Item } from "../catalog/item.ts";
import type { ChannelOutcomes } from "./channel-views.ts";
import { FAIL, type Outcome, PASS, TWELFTHS } from "./outcome.ts";
import type { LossSum } from "./grades.ts";
import {
  ALL_FORMATS,
  ALL_WEIGHTS,
  bitsOf,
  DIMENSIONS,
  type Dimension,
  evaluateRule,
  type ItemRule,
  type AuditRuleContext,
  weightOfBits,
} from "./rule.ts";
import { ITEM_RULES } from "./ruleset.ts";

export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as readonly Dimension[];

/** `dimension` is a position in `DIMENSION_NAMES`; formats are bits in the order of `ALL_FORMATS`. */
export type EvaluatedRule = {
  readonly rule: ItemRule;
  /**
   * The properties of the rule that evaluate an item. They are copied into objects of one shape, because calls of
   * objects with many shapes are slow.
   */
  readonly check: Pick<ItemRule, "applies" | "evaluate" | "formats">;
  readonly points: number;
  readonly dimension: number;
  readonly formats: number;
  /** The formats that refuse the item by this rule, without the formats in `spared`; see `channel-views.ts`. */
  blocks: number;
  outcome: Outcome;
};

function newResult(rule: ItemRule): EvaluatedRule {
  const { applies, evaluate, formats } = rule;
  return {
    rule,
    check: { applies, evaluate, formats },
    points: rule.points,
    dimension: DIMENSION_NAMES.indexOf(rule.dimension),
    formats: bitsOf(formats),
    blocks: bitsOf(rule.blocks),
    outcome: PASS,
  };
}

function pointsOf(rules: readonly ItemRule[]): number {
  return rules.reduce((total, { points }) => total + points, 0);
}

const ALL_POINTS = pointsOf(ITEM_RULES);
const DIMENSION_POINTS = DIMENSION_NAMES.map((name) =>
  pointsOf(ITEM_RULES.filter(({ dimension }) => dimension === name)),
);
const FORMAT_POINTS = ALL_FORMATS.map((name) =>
  pointsOf(ITEM_RULES.filter(({ formats }) => formats.includes(name))),
);

/**
 * The length of the encoded outcomes of an item. The last byte has the formats that do not refuse the item or leave it
 * out.
 */
export const OUTCOME_BYTES = Math.ceil(ITEM_RULES.length / 2) + 1;

const FORMAT_BITS = (1 << ALL_FORMATS.length) - 1;

/** `missed` is in twelfths of points; `blocked` has a bit for every format that refuses the item. */
export type ItemPoints = { readonly stake: number; readonly missed: number; readonly blocked: number };

/** Returns the weight of the formats that accept an item. */
export const acceptedWeight = ({ blocked }: Pick<ItemPoints, "blocked">): number =>
  ALL_WEIGHTS - weightOfBits(blocked);

/**
 * Adds what `times` items lose: the share of the formats that refuse the items, and the missed points for the other
 * formats.
 */
export function addLoss(sum: LossSum, points: ItemPoints, times: number): void {
  const accepted = acceptedWeight(points);
  sum.add(points.stake, points.missed * accepted * times);
  if (accepted < ALL_WEIGHTS) sum.add(1, TWELFTHS * (ALL_WEIGHTS - accepted) * times);
}

export class ItemScore {
  /** One result per rule, in the order of the rules' numbers. */
  readonly results: readonly EvaluatedRule[] = ITEM_RULES.map(newResult);
  /** The positions of the results that did not pass; the first `notPassedCount` are in use. */
  readonly notPassed = new Uint8Array(ITEM_RULES.length);
  notPassedCount = 0;
  /** How many rules were evaluated and did not pass. */
  findingCount = 0;
  /** The points of the rules that were evaluated. */
  stake = 0;
  readonly dimensionStakes = new Float64Array(DIMENSION_NAMES.length);
  readonly formatStakes = new Float64Array(ALL_FORMATS.length);
  /** Twelfths of points missed. */
  missed = 0;
  readonly formatMissed = new Float64Array(ALL_FORMATS.length);
  /** A bit for every format that refuses the item. */
  blocked = 0;
  /** Bits of the formats that would refuse the item by the outcomes, but publish it with other values or not at all. */
  spared = 0;
  /** Bits of the formats that rules leave the item out of. */
  excluded = 0;

  evaluate(item: Item, context: AuditRuleContext): void {
    this.clear();
    let at = 0;
    for (const result of this.results) this.add(at++, result, evaluateRule(result.check, item, context));
  }

  /** Takes the outcomes of an item that channels publish differently. */
  set({ outcomes, spared, excluded }: Pick<ChannelOutcomes, "outcomes" | "spared" | "excluded">): void {
    this.clear(spared, excluded);
    for (const [at, result] of this.results.entries()) this.add(at, result, outcomes[at] ?? PASS);
  }

  /** Loads the outcomes of an earlier evaluation, as `encode` wrote them. */
  load(outcomes: Uint8Array): void {
    const bits = outcomes[OUTCOME_BYTES - 1] ?? 0;
    this.clear(bits & FORMAT_BITS, bits >> ALL_FORMATS.length);
    let at = 0;
    for (const result of this.results) {
      const code = ((outcomes[at >> 1] ?? 0) >> (4 * (at & 1))) & 15;
      this.add(at++, result, code <= PASS ? code : PASS - code);
    }
  }

  /** Writes all outcomes, each in four bits; PASS is the highest number of twelfths that an item can earn. */
  encode(outcomes: Uint8Array, start: number): void {
    outcomes.fill(PASS * 17, start, start + OUTCOME_BYTES);
    outcomes[start + OUTCOME_BYTES - 1] = this.spared | (this.excluded << ALL_FORMATS.length);
    for (let i = 0; i < this.notPassedCount; i++) {
      const at = this.notPassed[i] ?? 0;
      const outcome = this.results[at]?.outcome ?? PASS;
      const code = outcome < 0 ? PASS - outcome : outcome;
      const shift = 4 * (at & 1);
      const byte = start + (at >> 1);
      outcomes[byte] = ((outcomes[byte] ?? 0) & (0xf0 >> shift)) | (code << shift);
    }
  }

  private add(at: number, result: EvaluatedRule, outcome: Outcome): void {
    result.outcome = outcome;
    if (outcome === PASS) return;
    this.notPassed[this.notPassedCount++] = at;
    if (outcome < 0) this.exclude(result);
    else this.addFinding(result, outcome);
  }

  private clear(spared = 0, excluded = 0): void {
    if (spared !== this.spared)
      for (const result of this.results) result.blocks = bitsOf(result.rule.blocks) & ~spared;
    this.spared = spared;
    this.excluded = excluded;
    this.notPassedCount = 0;
    this.findingCount = 0;
    this.stake = ALL_POINTS;
    this.dimensionStakes.set(DIMENSION_POINTS);
    this.formatStakes.set(FORMAT_POINTS);
    this.missed = 0;
    this.formatMissed.fill(0);
    this.blocked = 0;
  }

  private exclude({ points, formats, dimension }: EvaluatedRule): void {
    if (points === 0) return;
    this.stake -= points;
    addAt(this.dimensionStakes, dimension, -points);
    addAtBits(this.formatStakes, formats, -points);
  }

  private addFinding({ points, formats, blocks }: EvaluatedRule, outcome: Outcome): void {
    this.findingCount++;
    if (outcome === FAIL) this.blocked |= blocks;
    const missed = points * (TWELFTHS - outcome);
    this.missed += missed;
    addAtBits(this.formatMissed, formats, missed);
  }
}

function addAt(sums: Float64Array, at: number, amount: number): void {
  sums[at] = (sums[at] ?? 0) + amount;
}

function addAtBits(sums: Float64Array, bits: number, amount: number): void {
  for (let at = 0, rest = bits; rest !== 0; at++, rest >>= 1) if (rest & 1) addAt(sums, at, amount);
}

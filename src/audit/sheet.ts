/**
 * The judgment of one item: every rule's outcome and what they add up to. One sheet serves a whole audit and is
 * filled anew for every item. Rules that are met leave the sums as they are, which makes a faultless item cheap.
 */
import type { Item } from "../catalog/item.ts";
import { FAULT, FINE, type Outcome, STEPS } from "./outcome.ts";
import type { Place } from "./place.ts";
import { DIMENSIONS, type Dimension, type Format, FORMATS, type ItemRule, judge } from "./rule.ts";
import { ITEM_RULES } from "./ruleset.ts";

export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as readonly Dimension[];
export const FORMAT_NAMES = Object.keys(FORMATS) as readonly Format[];

/** One rule on the sheet, with its names as positions and bits. */
export type Line = {
  readonly rule: ItemRule;
  readonly points: number;
  readonly dimension: number;
  /** A bit for every format that loses by it. */
  readonly formats: number;
  /** A bit for every format that refuses the item when the rule fails outright. */
  readonly blocks: number;
  outcome: Outcome;
};

function lineOf(rule: ItemRule): Line {
  return {
    rule,
    points: rule.points,
    dimension: DIMENSION_NAMES.indexOf(rule.dimension),
    formats: bitsOf(rule.formats),
    blocks: bitsOf(rule.blocks),
    outcome: FINE,
  };
}

function bitsOf(formats: readonly Format[]): number {
  return formats.reduce((bits, format) => bits | (1 << FORMAT_NAMES.indexOf(format)), 0);
}

function pointsOf(rules: readonly ItemRule[]): number {
  return rules.reduce((total, { points }) => total + points, 0);
}

/** All points there are, in all and by dimension and format. */
const ALL_POINTS = pointsOf(ITEM_RULES);
const DIMENSION_POINTS = DIMENSION_NAMES.map((name) =>
  pointsOf(ITEM_RULES.filter(({ dimension }) => dimension === name)),
);
const FORMAT_POINTS = FORMAT_NAMES.map((name) =>
  pointsOf(ITEM_RULES.filter(({ formats }) => formats.includes(name))),
);

export class Sheet {
  /** In the order of the rules' numbers. */
  readonly lines: readonly Line[] = ITEM_RULES.map(lineOf);
  /** The positions of the lines that are not fine, as many as `noted`. */
  readonly notable = new Uint8Array(ITEM_RULES.length);
  noted = 0;
  /** How many rules were judged and not met in full. */
  faults = 0;
  /** The points of the rules that were judged. */
  stake = 0;
  readonly dimensionStakes = new Float64Array(DIMENSION_NAMES.length);
  readonly formatStakes = new Float64Array(FORMAT_NAMES.length);
  /** Twelfths of points missed. */
  missed = 0;
  readonly formatMissed = new Float64Array(FORMAT_NAMES.length);
  /** A bit for every format that refuses the item. */
  blocked = 0;

  fill(item: Item, place: Place): void {
    this.clear();
    let at = 0;
    for (const line of this.lines) {
      const outcome = judge(line.rule, item, place);
      line.outcome = outcome;
      if (outcome !== FINE) {
        this.notable[this.noted++] = at;
        if (outcome < 0) this.leaveOut(line);
        else this.note(line, outcome);
      }
      at++;
    }
  }

  private clear(): void {
    this.noted = 0;
    this.faults = 0;
    this.stake = ALL_POINTS;
    this.dimensionStakes.set(DIMENSION_POINTS);
    this.formatStakes.set(FORMAT_POINTS);
    this.missed = 0;
    this.formatMissed.fill(0);
    this.blocked = 0;
  }

  private leaveOut({ points, formats, dimension }: Line): void {
    if (points === 0) return;
    this.stake -= points;
    addAt(this.dimensionStakes, dimension, -points);
    addAtBits(this.formatStakes, formats, -points);
  }

  private note({ points, formats, blocks }: Line, outcome: Outcome): void {
    this.faults++;
    if (outcome === FAULT) this.blocked |= blocks;
    const missed = points * (STEPS - outcome);
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

/**
 * The counts of an audit: whole numbers by rule, dimension, format and stake, nothing per item. Its size depends on
 * the number of rules alone, however large the catalog is.
 */
import type { Item } from "../catalog/item.ts";
import { Missed } from "./exact.ts";
import { FAULT, FINE, type Outcome, STEPS, UNKNOWN } from "./outcome.ts";
import type { Place } from "./place.ts";
import type { Dimension, Format, ItemRule } from "./rule.ts";
import { ITEM_RULES } from "./ruleset.ts";
import { DIMENSION_NAMES, FORMAT_NAMES, type Sheet } from "./sheet.ts";

/** One item that a rule found wanting. Named as the API names it. */
export type Example = {
  /** Null for a rejected row without an id. */
  readonly item_id: string | null;
  readonly earned: string;
  readonly message: string;
};

export const MOST_EXAMPLES = 20;

export type RuleTally = {
  readonly rule: ItemRule;
  items: number;
  /** Items that a channel refuses for this rule, and those that no other rule keeps out as well. */
  refused: number;
  refusedAlone: number;
  notApplicable: number;
  unknown: number;
  readonly missed: Missed;
  readonly examples: Example[];
};

type DimensionTally = {
  readonly name: Dimension;
  /** The points that were at stake, as if every one of them had been missed. */
  readonly stakes: Missed;
};

type FormatTally = {
  readonly name: Format;
  blocked: number;
  /** Of the items that the format takes: it does not show the others, whatever else is right about them. */
  readonly missed: Missed;
  /** What the faults cost for which the format refuses items. */
  readonly refusals: Missed;
  /** Items that no other format refuses once this one takes them. */
  freed: number;
};

export class Tally {
  items = 0;
  /** Items that at least one format refuses. */
  blocked = 0;
  readonly rules: readonly RuleTally[] = ITEM_RULES.map((rule) => ({
    rule,
    items: 0,
    refused: 0,
    refusedAlone: 0,
    notApplicable: 0,
    unknown: 0,
    missed: new Missed(),
    examples: [],
  }));
  readonly dimensions: readonly DimensionTally[] = DIMENSION_NAMES.map((name) => ({
    name,
    stakes: new Missed(),
  }));
  readonly formats: readonly FormatTally[] = FORMAT_NAMES.map((name) => ({
    name,
    blocked: 0,
    missed: new Missed(),
    refusals: new Missed(),
    freed: 0,
  }));
  /** What the faults cost for which any format refuses items. */
  readonly refusals = new Missed();

  add(sheet: Sheet, item: Item, place: Place): void {
    this.items++;
    for (let i = 0; i < sheet.noted; i++) {
      const at = sheet.notable[i] ?? 0;
      const outcome = sheet.lines[at]?.outcome ?? FINE;
      const tally = this.rules[at];
      if (tally === undefined) continue;
      if (outcome < 0) {
        countAbsent(tally, outcome);
        continue;
      }
      countFault(tally, outcome, sheet.stake);
      if (tally.examples.length < MOST_EXAMPLES) addExample(tally, outcome, item, place);
    }
    this.addStakes(sheet);
    if (sheet.faults > 0) this.addFaulty(sheet);
  }

  private addStakes({ stake, dimensionStakes }: Sheet): void {
    for (let at = 0; at < this.dimensions.length; at++) {
      this.dimensions[at]?.stakes.add(stake, STEPS * (dimensionStakes[at] ?? 0));
    }
  }

  private addFaulty(sheet: Sheet): void {
    this.addFormats(sheet);
    if (sheet.blocked !== 0) this.addRefusal(sheet);
  }

  private addFormats({ blocked, formatMissed, formatStakes }: Sheet): void {
    for (const [at, format] of this.formats.entries()) {
      if ((blocked >> at) & 1) format.blocked++;
      else format.missed.add(formatStakes[at] ?? 0, formatMissed[at] ?? 0);
    }
  }

  /** For an item that some format refuses: which faults do it, and what is left when they are fixed. */
  private addRefusal(sheet: Sheet): void {
    this.blocked++;
    const refusing = refusingLines(sheet);
    for (const at of refusing) {
      const { points, blocks } = sheet.lines[at] ?? NO_LINE;
      this.refusals.add(sheet.stake, STEPS * points);
      for (const [bit, { refusals }] of this.formats.entries()) {
        if ((blocks >> bit) & 1) refusals.add(sheet.stake, STEPS * points);
      }
      const tally = this.rules[at];
      if (tally !== undefined) countRefusal(tally, refusing.length === 1);
    }
    for (const [bit, format] of this.formats.entries()) {
      if ((sheet.blocked >> bit) & 1 && blockedWithout(sheet, refusing, bit) === 0) format.freed++;
    }
  }
}

const NO_LINE = { outcome: FINE, blocks: 0, points: 0 } as const;

/** The positions of the faults for which some format refuses the item. */
function refusingLines({ noted, notable, lines }: Sheet): number[] {
  return Array.from(notable.subarray(0, noted)).filter((at) => {
    const { outcome, blocks } = lines[at] ?? NO_LINE;
    return outcome === FAULT && blocks !== 0;
  });
}

/** The formats that refuse an item for faults that the given format does not mind. */
function blockedWithout({ lines }: Sheet, refusing: readonly number[], bit: number): number {
  let blocked = 0;
  for (const at of refusing) {
    const { blocks } = lines[at] ?? NO_LINE;
    if (((blocks >> bit) & 1) === 0) blocked |= blocks;
  }
  return blocked;
}

function countRefusal(tally: RuleTally, isAlone: boolean): void {
  tally.refused++;
  if (isAlone) tally.refusedAlone++;
}

function countAbsent(tally: RuleTally, outcome: Outcome): void {
  if (outcome === UNKNOWN) tally.unknown++;
  else tally.notApplicable++;
}

function countFault(tally: RuleTally, outcome: Outcome, stake: number): void {
  tally.items++;
  tally.missed.add(stake, tally.rule.points * (STEPS - outcome));
}

function addExample({ rule, examples }: RuleTally, outcome: Outcome, item: Item, place: Place): void {
  examples.push({ item_id: item.id, earned: `${outcome}/${STEPS}`, message: rule.say(item, place) });
}

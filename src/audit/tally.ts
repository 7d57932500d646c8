/**
 * The counts of an audit: whole numbers by rule, dimension, format and stake, nothing per item. Its size depends on
 * the number of rules alone, however large the catalog is.
 */
import type { Item } from "../catalog/item.ts";
import { Missed } from "./exact.ts";
import { FINE, type Outcome, STEPS, UNKNOWN } from "./outcome.ts";
import type { Place } from "./place.ts";
import type { Dimension, Format, ItemRule } from "./rule.ts";
import { ITEM_RULES } from "./ruleset.ts";
import { DIMENSION_NAMES, FORMAT_NAMES, type Sheet } from "./sheet.ts";

/** One item that a rule found wanting. Named as the API names it. */
export type Example = { readonly item_id: string; readonly earned: string; readonly message: string };

export const MOST_EXAMPLES = 20;

export type RuleTally = {
  readonly rule: ItemRule;
  items: number;
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

type FormatTally = { readonly name: Format; blocked: number; readonly missed: Missed };

export class Tally {
  items = 0;
  /** Items that at least one format refuses. */
  blocked = 0;
  readonly rules: readonly RuleTally[] = ITEM_RULES.map((rule) => ({
    rule,
    items: 0,
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
  }));

  add(sheet: Sheet, item: Item, place: Place): void {
    this.items++;
    for (let i = 0; i < sheet.noted; i++) {
      const at = sheet.notable[i] ?? 0;
      const outcome = sheet.lines[at]?.outcome ?? FINE;
      const tally = this.rules[at];
      if (tally === undefined) continue;
      if (outcome < 0) countAbsent(tally, outcome);
      else countFault(tally, outcome, sheet.stake);
      if (outcome >= 0 && tally.examples.length < MOST_EXAMPLES) addExample(tally, outcome, item, place);
    }
    this.addStakes(sheet);
    if (sheet.faults > 0) this.addFormats(sheet);
  }

  private addStakes({ stake, dimensionStakes }: Sheet): void {
    for (let at = 0; at < this.dimensions.length; at++) {
      this.dimensions[at]?.stakes.add(stake, STEPS * (dimensionStakes[at] ?? 0));
    }
  }

  private addFormats({ blocked, formatMissed, formatStakes }: Sheet): void {
    for (const [at, format] of this.formats.entries()) {
      format.missed.add(formatStakes[at] ?? 0, formatMissed[at] ?? 0);
      if ((blocked >> at) & 1) format.blocked++;
    }
    if (blocked !== 0) this.blocked++;
  }
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

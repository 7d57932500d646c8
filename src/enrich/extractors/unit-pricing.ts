/**
 * The quantity that a unit price is computed from, where the title has it: "500 ml", "2 x 250 g", "1,5 L". Most goods with a
 * weight or a volume in the title are not sold by it: bottles and pots have a capacity, chairs a load. So the title must name
 * something that is used up, or the shop must be one whose titles mostly end in a quantity.
 */
import { scaled, unscaled } from "../../catalog/decimal.ts";
import type { Item } from "../../catalog/item.ts";
import { parseQuantityMeasure } from "../../catalog/measure.ts";
import { trimEndOf } from "../../lib/trim-text.ts";
import type { CatalogFacts } from "./catalog-facts.ts";
import { isConsumable, namesContainer } from "./consumable.ts";
import { quote } from "./evidence.ts";
import { CONFIDENCE, type ExtractorContext, fieldExtractor, type Finding } from "./extractor.ts";
import { quantitiesIn } from "./quantities.ts";
import measures from "./vocabulary/measures.json" with { type: "json" };

export const UNIT_PRICING = fieldExtractor({
  id: "unit_pricing",
  version: 1,
  field: "unit_pricing_measure",
  evidence:
    "the only weight or volume in the title, if the title names food, drinks, cosmetics or the like, or most titles of the catalog have one",
  current: ({ unitPricing }) => unitPricing,
  find: (item, _, context) => {
    const [match, another] = quantitiesIn(item.title);
    if (match === undefined || another !== undefined || !isContents(item, context)) return undefined;
    return measured(item, match, context);
  },
});

/** The share of titles with a quantity in a shop that sells goods by quantity. Measured: grocers above 0.8, others below 0.2. */
const QUANTITY_SHARE = 0.5;
const FEWEST_TITLES = 10;

function sellsByQuantity({ titles, quantities }: CatalogFacts): boolean {
  return titles >= FEWEST_TITLES && quantities >= titles * QUANTITY_SHARE;
}

function isContents(item: Item, context: ExtractorContext): boolean {
  const { isDigital, multipack, isBundle } = item;
  if (isDigital === true || multipack !== undefined || isBundle === true) return false;
  return isConsumable(item, context) || (sellsByQuantity(context.facts) && !namesContainer(item.title));
}

/** Three decimals may be thousands: "1.500 g". */
const AMBIGUOUS = /^[1-9]\d*[.,]\d{3}$/;

function measured(item: Item, match: RegExpExecArray, { facts }: ExtractorContext): Finding | undefined {
  const { 0: written, 1: times, 2: number = "", 3: unit = "", 4: timesAfter, index } = match;
  if (AMBIGUOUS.test(number)) return undefined;
  const checked = parseQuantityMeasure(`${number} ${unit}`);
  if (checked.kind !== "valid") return undefined;
  const count = times ?? timesAfter ?? "1";
  const total = multiplied(checked.value.value, count);
  if (total === undefined) return undefined;
  return {
    value: `${total} ${checked.value.unit}`,
    evidence: [quote(item, "title", index, index + written.length)],
    confidence: sellsByQuantity(facts) ? CONFIDENCE.separate : CONFIDENCE.inText,
    // A product of two numbers is not in the title; the spelling of a unit is one of a closed list.
    isClosed: total === checked.value.value,
  };
}

const PLACES = 6;

function multiplied(value: string, times: string): string | undefined {
  const amount = scaled(value, PLACES);
  if (amount === undefined || /^0+$/.test(times)) return undefined;
  return trimEndOf(trimEndOf(unscaled(amount * BigInt(times), PLACES), /0/), /\./);
}

const WEIGHTS = new Set(["g", "kg", "mg"]);
const VOLUMES = new Set(["ml", "cl", "l"]);
const METRIC_COUNTRIES = new Set(measures.metric_countries);

export const UNIT_PRICING_BASE = fieldExtractor({
  id: "unit_pricing_base",
  version: 1,
  field: "unit_pricing_base_measure",
  evidence: "the quantity of the item, in the countries where the law wants prices per kilogram and liter",
  // Without a quantity there is nothing to compare.
  current: ({ unitPricing }) => (unitPricing === undefined ? "" : unitPricing.base),
  find: (item, _, { settings: { country = "", targetCountries = [] } }) => {
    const unit = item.unitPricing?.measure.unit ?? "";
    const base = WEIGHTS.has(unit) ? "1 kg" : VOLUMES.has(unit) ? "1 l" : undefined;
    const isMetric = [country, ...targetCountries].some((code) => METRIC_COUNTRIES.has(code));
    if (base === undefined || !isMetric) return undefined;
    const evidence = [quote(item, "unit_pricing_measure")];
    return { value: base, evidence, confidence: CONFIDENCE.separate, isClosed: true };
  },
});

/**
 * The quantity that a unit price is computed from, where the title has it: "500 ml", "2 x 250 g", "1,5 L". Bottles, pots and
 * backpacks have a capacity, not contents: titles that name such things are left alone.
 */
import { scaled, unscaled } from "../../catalog/decimal.ts";
import type { Item } from "../../catalog/item.ts";
import { parseQuantityMeasure } from "../../catalog/measure.ts";
import { trimEndOf } from "../../lib/trim-text.ts";
import { CONFIDENCE, fieldExtractor, type Finding, quote } from "./extractor.ts";
import measures from "./vocabulary/measures.json" with { type: "json" };
import { phraseKey, wordsOf } from "./words.ts";

/** Units that contents are sold by. Milligrams are doses, and centimeters sizes. */
const QUANTITY =
  /(?<![\p{L}\p{N}.,/-])(?:(\d{1,3})\s?[x×*]\s?)?(\d{1,5}(?:[.,]\d{1,3})?)\s?(ml|cl|l|lt|ltr|litre|liter|litres|liters|g|gr|gram|grams|gramm|kg|oz|fl\.? ?oz|lb|lbs)(?:\s?[x×*]\s?(\d{1,3}))?(?![\p{L}\p{N}²³/%-])/giu;
/** "5G", "4G": a network, not a weight. */
const NETWORK = /^\d{1,2}G$/;
const NO_CONTENTS = new Set(measures.not_contents.map(phraseKey));
const LONGEST_TITLE = 1_000;

export const UNIT_PRICING = fieldExtractor({
  id: "unit_pricing",
  version: 1,
  field: "unit_pricing_measure",
  evidence: "the only weight or volume in the title, unless the title names a container, a device or a load",
  current: ({ unitPricing }) => unitPricing,
  find: (item) => {
    const title = item.title.slice(0, LONGEST_TITLE);
    const [match, another] = title.matchAll(QUANTITY);
    if (match === undefined || another !== undefined || !isContents(item, title)) return undefined;
    return measured(item, match);
  },
});

function isContents({ isDigital, multipack, isBundle }: Item, title: string): boolean {
  if (isDigital === true || multipack !== undefined || isBundle === true) return false;
  return !wordsOf(title).some(({ key }) => NO_CONTENTS.has(key));
}

function measured(item: Item, match: RegExpExecArray): Finding | undefined {
  const { 0: written, 1: times, 2: number = "", 3: unit = "", 4: timesAfter, index } = match;
  if (NETWORK.test(written)) return undefined;
  const checked = parseQuantityMeasure(`${number} ${unit}`, number.includes(",") ? "," : ".");
  if (checked.kind !== "valid") return undefined;
  const { value, unit: known } = checked.value;
  const total = multiplied(value, times ?? timesAfter ?? "1");
  const evidence = [quote(item, "title", index, index + written.length)];
  return total === undefined ? undefined : { value: `${total} ${known}`, evidence, confidence: CONFIDENCE.inText };
}

const PLACES = 6;

function multiplied(value: string, times: string): string | undefined {
  const amount = scaled(value, PLACES);
  if (amount === undefined || times === "0") return undefined;
  const product = unscaled(amount * BigInt(times), PLACES);
  return trimEndOf(trimEndOf(product, /0/), /\./);
}

/** Measures, unit prices, shipping, returns, ratings, and the market. */
import { defined } from "../../lib/defined.ts";
import { type Checked, PROBLEMS } from "../checked.ts";
import { parseDecimal, parseInteger } from "../decimal.ts";
import type { ShippingDraft, TextField } from "../draft.ts";
import type { Item, LengthUnit, Measure, Rating, Returns, ShippingRate, WeightUnit } from "../item.ts";
import {
  areComparable,
  type MeasureHints,
  parseLength,
  parseQuantityMeasure,
  parseWeight,
} from "../measure.ts";
import type { DecimalMark } from "../decimal.ts";
import { isBlank } from "../text.ts";
import { readCountry, readLanguage } from "../vocabulary/places.ts";
import {
  booleanField,
  cleanText,
  type DraftState,
  dropWithWarning,
  integerField,
  readField,
  readInteger,
  readList,
  urlField,
  validOrDrop,
} from "./fields.ts";
import { amountIn } from "./price.ts";

export function weightField(state: DraftState, field: TextField): Measure<WeightUnit> | undefined {
  return measure(state, field, (text) => parseWeight(text, hints(state, "weightUnit")));
}

export function lengthField(state: DraftState, field: TextField): Measure<LengthUnit> | undefined {
  return measure(state, field, (text) => parseLength(text, hints(state, "dimensionsUnit")));
}

function hints(state: DraftState, unitField: TextField): MeasureHints {
  return { unit: readField(state, unitField), decimalMark: state.decimalMark };
}

function quantityField(state: DraftState, field: TextField): Measure | undefined {
  return measure(state, field, (text) => parseQuantityMeasure(text, state.decimalMark));
}

/** Shops write zero for "not set". */
function measure<Unit extends string>(
  state: DraftState,
  field: TextField,
  parse: (text: string) => Checked<Measure<Unit>>,
): Measure<Unit> | undefined {
  const value = readField(state, field);
  if (value === undefined) return undefined;
  const parsed = parse(value);
  if (parsed.kind === "invalid" && parsed.reason === "zero") return undefined;
  return validOrDrop(state, parsed, { code: "invalid_measure", field, value });
}

export function readUnitPricing(state: DraftState): Item["unitPricing"] {
  const quantity = quantityField(state, "unitPricingMeasure");
  const base = quantityField(state, "unitPricingBaseMeasure");
  if (quantity === undefined) return undefined;
  if (base === undefined) return { measure: quantity };
  if (areComparable(quantity, base)) return { measure: quantity, base };
  const value = `${base.value} ${base.unit}`;
  const problem = `cannot be compared with ${quantity.value} ${quantity.unit}`;
  dropWithWarning(state, "invalid_measure", "unitPricingBaseMeasure", { value, problem });
  return { measure: quantity };
}

const MAX_RATES = 100;

export function readShipping(state: DraftState, currency: string): readonly ShippingRate[] | undefined {
  const { shipping: entries } = state.draft;
  if (entries === undefined) return undefined;
  const { decimalMark, warnings } = state;
  // The rows of a file mostly have the rate of the row before, which is then the same object.
  const source: RateSource = { raw: entries.length === 1 ? entries[0] : undefined, currency, decimalMark };
  if (isLast(source)) return lastRates.rates;
  const warningsBefore = warnings.length;
  const rates = readList(state, { field: "shipping", entries, limit: MAX_RATES }, (raw) =>
    readRate(state, raw, currency),
  );
  if (warnings.length === warningsBefore) lastRates = { ...source, rates };
  return rates;
}

/** Everything that a single rate depends on. */
type RateSource = {
  readonly raw: ShippingDraft | undefined;
  readonly currency: string;
  readonly decimalMark: DecimalMark | undefined;
};

/** The last ones that gave no warning. */
let lastRates: RateSource & { readonly rates: readonly ShippingRate[] | undefined } = {
  raw: undefined,
  currency: "",
  decimalMark: undefined,
  rates: undefined,
};

const isLast = ({ raw, currency, decimalMark }: RateSource): boolean =>
  raw !== undefined &&
  raw === lastRates.raw &&
  currency === lastRates.currency &&
  decimalMark === lastRates.decimalMark;

type MutableRate = { -readonly [Part in keyof ShippingRate]?: ShippingRate[Part] };

/** The price is what a rate is about: without one there is nothing to keep. */
function readRate(state: DraftState, raw: ShippingDraft, currency: string): ShippingRate | undefined {
  const { price: value = "" } = raw;
  if (value === "") {
    const dropped = { value: raw.country ?? "", problem: PROBLEMS.empty };
    return dropWithWarning(state, "invalid_shipping", "shipping", dropped);
  }
  const price = amountIn(state, currency, { code: "invalid_shipping", field: "shipping", value });
  if (price === undefined) return undefined;
  const country = isMeaningful(raw.country) ? readCountry(raw.country) : undefined;
  if (country === undefined && isMeaningful(raw.country)) {
    const problem = "is not an ISO 3166 country code";
    return dropWithWarning(state, "invalid_shipping", "shipping", { value: raw.country, problem });
  }
  const rate: MutableRate = country === undefined ? {} : { country };
  fillPlace(rate, state, raw);
  rate.price = price;
  fillDays(rate, state, raw);
  return { ...rate, price };
}

function fillPlace(rate: MutableRate, state: DraftState, raw: ShippingDraft): void {
  for (const part of ["region", "postalCode", "service"] as const) {
    const text = raw[part] === undefined ? undefined : cleanText(state, "shipping", raw[part]);
    if (text !== undefined) rate[part] = text;
  }
}

const SPANS = [
  ["minHandling", "maxHandling"],
  ["minTransit", "maxTransit"],
] as const;

function fillDays(rate: MutableRate, state: DraftState, raw: ShippingDraft): void {
  for (const [least, most] of SPANS) {
    const from = daysOf(state, raw[least]);
    const to = daysOf(state, raw[most]);
    if (from !== undefined && to !== undefined && from > to) {
      const problem = "is not a range of days: the first number is larger than the second";
      dropWithWarning(state, "invalid_number", "shipping", { value: `${from}-${to}`, problem });
      continue;
    }
    if (from !== undefined) rate[least] = from;
    if (to !== undefined) rate[most] = to;
  }
}

function daysOf(state: DraftState, text: string | undefined): number | undefined {
  return isMeaningful(text) ? readInteger(state, "shipping", text, 0) : undefined;
}

function isMeaningful(text: string | undefined): text is string {
  return text !== undefined && !isBlank(text);
}

/** "0 days" means no returns to one shop and no limit to another, so it is dropped. */
export function readReturns(state: DraftState): Returns | undefined {
  const accepted = booleanField(state, "acceptsReturns");
  const days = integerField(state, "returnDays", 1);
  const policyUrl = urlField(state, "returnPolicyUrl");
  if (accepted === undefined && days === undefined && policyUrl === undefined) return undefined;
  return defined({ accepted, days, policyUrl });
}

/** A mean without the number behind it cannot be shown anywhere; a count of zero means that there is no rating yet. */
export function readRating(state: DraftState): Rating | undefined {
  const mean = readField(state, "ratingValue");
  const countText = readField(state, "ratingCount");
  if (mean === undefined || countText === undefined) return warnOfHalfRating(state, mean, countText);
  const value = parseDecimal(mean, state.decimalMark);
  if (value === undefined || Number(value) > 5) {
    const dropped = { value: mean, problem: "is not from 0 to 5" };
    return dropWithWarning(state, "invalid_number", "ratingValue", dropped);
  }
  const count = readInteger(state, "ratingCount", countText, 0);
  return count === undefined || count === 0 ? undefined : { value, count };
}

function warnOfHalfRating(
  state: DraftState,
  value: string | undefined,
  count: string | undefined,
): undefined {
  const warnOf = (field: "ratingValue" | "ratingCount", text: string, problem: string): void =>
    dropWithWarning(state, "incomplete_value", field, { value: text, problem });
  if (value !== undefined && parseDecimal(value, state.decimalMark) !== "0")
    warnOf("ratingValue", value, "has no rating_count");
  if (count !== undefined && parseInteger(count) !== 0) warnOf("ratingCount", count, "has no rating_value");
}

export function countryField(state: DraftState): string | undefined {
  const value = readField(state, "country");
  if (value === undefined) return undefined;
  const problem = "is not an ISO 3166 country code";
  return readCountry(value) ?? dropWithWarning(state, "invalid_country", "country", { value, problem });
}

export function languageField(state: DraftState): string | undefined {
  const value = readField(state, "language");
  if (value === undefined) return undefined;
  const problem = "is not a language code such as en or de-AT";
  return readLanguage(value) ?? dropWithWarning(state, "invalid_language", "language", { value, problem });
}

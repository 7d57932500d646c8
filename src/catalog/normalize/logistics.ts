/** Shipping, returns and ratings. */
import type { ShippingDraft } from "../draft.ts";
import { parseDecimal, parseInteger } from "../decimal.ts";
import type { Rating, Returns, ShippingRate } from "../item.ts";
import { MONEY_PROBLEMS, parseMoney } from "../money.ts";
import { isBlank } from "../text.ts";
import { readCountry } from "../vocabulary/places.ts";
import {
  cleanText,
  firstOf,
  readField,
  type DraftState,
  type MutableItem,
  dropWithWarning,
  setField,
  textField,
} from "./fields.ts";
import { urlField, booleanField, integerField, readInteger } from "./typed-fields.ts";

const MOST_RATES = 100;

export function fillLogistics(item: MutableItem, state: DraftState): void {
  setField(item, "shipping", readShipping(item, state));
  setField(item, "shippingLabel", textField(state, "shippingLabel"));
  setField(item, "returns", readReturns(state));
  setField(item, "rating", readRating(state));
}

function readShipping(item: MutableItem, state: DraftState): readonly ShippingRate[] | undefined {
  const { shipping } = state.draft;
  if (shipping === undefined) return undefined;
  const rates: ShippingRate[] = [];
  for (const raw of firstOf(state, "shipping", shipping, MOST_RATES)) {
    const rate = readRate(state, raw, item.price.currency);
    if (rate !== undefined) rates.push(rate);
  }
  return rates.length === 0 ? undefined : rates;
}

type MutableRate = { -readonly [Part in keyof ShippingRate]?: ShippingRate[Part] };

/** The price is what a rate is about: without one there is nothing to keep. */
function readRate(state: DraftState, raw: ShippingDraft, currency: string): ShippingRate | undefined {
  const written = raw.price ?? "";
  const price = parseMoney(written, { currency, decimalMark: state.decimalMark });
  if (price.kind === "invalid") {
    const value = written === "" ? (raw.country ?? "") : written;
    return dropWithWarning(state, "invalid_shipping", "shipping", {
      value,
      problem: MONEY_PROBLEMS[price.reason],
    });
  }
  if (price.value.currency !== currency) {
    const problem = `is not in ${currency}`;
    return dropWithWarning(state, "currency_differs", "shipping", { value: written, problem });
  }
  const country = isMeaningful(raw.country) ? readCountry(raw.country) : undefined;
  if (country === undefined && isMeaningful(raw.country)) {
    const problem = "is not an ISO 3166 country code";
    return dropWithWarning(state, "invalid_shipping", "shipping", { value: raw.country, problem });
  }
  const rate: MutableRate = country === undefined ? {} : { country };
  fillPlace(rate, state, raw);
  rate.price = price.value;
  fillDays(rate, state, raw);
  return { ...rate, price: price.value };
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
      dropWithWarning(state, "invalid_number", "shipping", {
        value: `${from}-${to}`,
        problem: "is not a range of days: the first number is larger than the second",
      });
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
function readReturns(state: DraftState): Returns | undefined {
  const accepted = booleanField(state, "acceptsReturns");
  const days = integerField(state, "returnDays", 1);
  const policyUrl = urlField(state, "returnPolicyUrl");
  if (accepted === undefined && days === undefined && policyUrl === undefined) return undefined;
  return {
    ...(accepted === undefined ? {} : { accepted }),
    ...(days === undefined ? {} : { days }),
    ...(policyUrl === undefined ? {} : { policyUrl }),
  };
}

/** A mean without the number behind it cannot be shown anywhere; a count of zero means that there is no rating yet. */
function readRating(state: DraftState): Rating | undefined {
  const valueText = readField(state, "ratingValue");
  const countText = readField(state, "ratingCount");
  if (valueText === undefined || countText === undefined)
    return warnOfHalfRating(state, valueText, countText);
  const value = parseDecimal(valueText, state.decimalMark);
  if (value === undefined || Number(value) > 5)
    return dropWithWarning(state, "invalid_number", "ratingValue", {
      value: valueText,
      problem: "is not from 0 to 5",
    });
  const count = readInteger(state, "ratingCount", countText, 0);
  return count === undefined || count === 0 ? undefined : { value, count };
}

function warnOfHalfRating(
  state: DraftState,
  value: string | undefined,
  count: string | undefined,
): undefined {
  if (value !== undefined && parseDecimal(value, state.decimalMark) !== "0")
    dropWithWarning(state, "incomplete_value", "ratingValue", {
      value,
      problem: "has no rating_count",
    });
  if (count !== undefined && parseInteger(count) !== 0)
    dropWithWarning(state, "incomplete_value", "ratingCount", {
      value: count,
      problem: "has no rating_value",
    });
}

/** How the item gets to its buyer and back, and what buyers have said of it. */
import type { ShippingDraft } from "../draft.ts";
import { parseDecimal, parseInteger } from "../decimal.ts";
import type { Rating, Returns, ShippingRate } from "../item.ts";
import { MONEY_PROBLEMS, parseMoney } from "../money.ts";
import { isBlank } from "../text.ts";
import { readCountry } from "../vocabulary/places.ts";
import {
  cleanText,
  firstOf,
  given,
  type Intake,
  type ItemUnderWay,
  leaveOut,
  put,
  textOf,
} from "./intake.ts";
import { addressOf, flagOf, integerOf, readInteger } from "./typed-fields.ts";

const MOST_RATES = 100;

export function fillLogistics(item: ItemUnderWay, intake: Intake): void {
  put(item, "shipping", readShipping(item, intake));
  put(item, "shippingLabel", textOf(intake, "shippingLabel"));
  put(item, "returns", readReturns(intake));
  put(item, "rating", readRating(intake));
}

function readShipping(item: ItemUnderWay, intake: Intake): readonly ShippingRate[] | undefined {
  const { shipping } = intake.draft;
  if (shipping === undefined) return undefined;
  const rates: ShippingRate[] = [];
  for (const raw of firstOf(intake, "shipping", shipping, MOST_RATES)) {
    const rate = readRate(intake, raw, item.price.currency);
    if (rate !== undefined) rates.push(rate);
  }
  return rates.length === 0 ? undefined : rates;
}

type RateUnderWay = { -readonly [Part in keyof ShippingRate]?: ShippingRate[Part] };

/** The price is what a rate is about: without one there is nothing to keep. */
function readRate(intake: Intake, raw: ShippingDraft, currency: string): ShippingRate | undefined {
  const written = raw.price ?? "";
  const price = parseMoney(written, { currency, decimalMark: intake.decimalMark });
  if (price.kind === "invalid") {
    const value = written === "" ? (raw.country ?? "") : written;
    return leaveOut(intake, "invalid_shipping", "shipping", { value, problem: MONEY_PROBLEMS[price.reason] });
  }
  if (price.value.currency !== currency) {
    const problem = `is not in ${currency}`;
    return leaveOut(intake, "currency_differs", "shipping", { value: written, problem });
  }
  const country = isMeaningful(raw.country) ? readCountry(raw.country) : undefined;
  if (country === undefined && isMeaningful(raw.country)) {
    const problem = "is not an ISO 3166 country code";
    return leaveOut(intake, "invalid_shipping", "shipping", { value: raw.country, problem });
  }
  const rate: RateUnderWay = country === undefined ? {} : { country };
  fillPlace(rate, intake, raw);
  rate.price = price.value;
  fillDays(rate, intake, raw);
  return { ...rate, price: price.value };
}

function fillPlace(rate: RateUnderWay, intake: Intake, raw: ShippingDraft): void {
  for (const part of ["region", "postalCode", "service"] as const) {
    const text = raw[part] === undefined ? undefined : cleanText(intake, "shipping", raw[part]);
    if (text !== undefined) rate[part] = text;
  }
}

const SPANS = [
  ["minHandling", "maxHandling"],
  ["minTransit", "maxTransit"],
] as const;

function fillDays(rate: RateUnderWay, intake: Intake, raw: ShippingDraft): void {
  for (const [least, most] of SPANS) {
    const from = daysOf(intake, raw[least]);
    const to = daysOf(intake, raw[most]);
    if (from !== undefined && to !== undefined && from > to) {
      leaveOut(intake, "invalid_number", "shipping", {
        value: `${from}-${to}`,
        problem: "is no span of days",
      });
      continue;
    }
    if (from !== undefined) rate[least] = from;
    if (to !== undefined) rate[most] = to;
  }
}

function daysOf(intake: Intake, text: string | undefined): number | undefined {
  return isMeaningful(text) ? readInteger(intake, "shipping", text, 0) : undefined;
}

function isMeaningful(text: string | undefined): text is string {
  return text !== undefined && !isBlank(text);
}

/** "0 days" means no returns to one shop and no limit to another, so it is left out rather than read. */
function readReturns(intake: Intake): Returns | undefined {
  const accepted = flagOf(intake, "acceptsReturns");
  const days = integerOf(intake, "returnDays", 1);
  const policyUrl = addressOf(intake, "returnPolicyUrl");
  if (accepted === undefined && days === undefined && policyUrl === undefined) return undefined;
  return {
    ...(accepted === undefined ? {} : { accepted }),
    ...(days === undefined ? {} : { days }),
    ...(policyUrl === undefined ? {} : { policyUrl }),
  };
}

/** A mean without the number behind it cannot be shown anywhere; a count of zero means nobody has rated yet. */
function readRating(intake: Intake): Rating | undefined {
  const valueText = given(intake, "ratingValue");
  const countText = given(intake, "ratingCount");
  if (valueText === undefined || countText === undefined) return halfRating(intake, valueText, countText);
  const value = parseDecimal(valueText, intake.decimalMark);
  if (value === undefined || Number(value) > 5)
    return leaveOut(intake, "invalid_number", "ratingValue", {
      value: valueText,
      problem: "is not from 0 to 5",
    });
  const count = readInteger(intake, "ratingCount", countText, 0);
  return count === undefined || count === 0 ? undefined : { value, count };
}

function halfRating(intake: Intake, value: string | undefined, count: string | undefined): undefined {
  if (value !== undefined && parseDecimal(value, intake.decimalMark) !== "0")
    leaveOut(intake, "incomplete_value", "ratingValue", {
      value,
      problem: "has no count of ratings beside it",
    });
  if (count !== undefined && parseInteger(count) !== 0)
    leaveOut(intake, "incomplete_value", "ratingCount", { value: count, problem: "has no rating beside it" });
}

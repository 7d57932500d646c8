/** Price, sale, availability and unit price of an item. */
import { parseInstant } from "../../../catalog/dates.ts";
import { areComparable } from "../../../catalog/measure.ts";
import { readCountry } from "../../../catalog/vocabulary/places.ts";
import {
  compareDecimals,
  isPositiveDecimal,
  readMoney,
  type WrittenMoney,
} from "../../kit/validate/checks/money.ts";
import {
  PRODUCT_DECIMALS_MOST,
  PRODUCT_LENGTH_MOST,
  PRODUCT_WEIGHT_MOST,
  SHIPPING_LENGTH_LEAST,
  SHIPPING_LENGTH_MOST,
  SHIPPING_WEIGHT_MOST,
  UNIT_PRICING_BASES,
  UNIT_PRICING_SPECIAL_BASES,
} from "../fields.ts";
import type { GoogleFindings, GoogleRow, Group, RowCheck } from "./row.ts";

export type WrittenMeasure = { readonly value: string; readonly unit: string };

const MEASURE = /^(\d{1,12}(?:\.\d{1,12})?) ?([a-z]{1,5})$/;
const AXES = ["length", "width", "height"] as const;

/** A positive number and its unit, with or without a space; undefined for anything else. */
export function readMeasure(text: string): WrittenMeasure | undefined {
  const [, value = "", unit = ""] = MEASURE.exec(text) ?? [];
  return isPositiveDecimal(value) ? { value, unit } : undefined;
}

type Range = (measure: WrittenMeasure) => boolean;

function isLengthUnit(unit: string): unit is keyof typeof SHIPPING_LENGTH_MOST {
  return unit in SHIPPING_LENGTH_MOST;
}

function isWeightUnit(unit: string): unit is keyof typeof SHIPPING_WEIGHT_MOST {
  return unit in SHIPPING_WEIGHT_MOST;
}

const fitsParcel: Range = ({ value, unit }) =>
  isLengthUnit(unit) && Number(value) >= SHIPPING_LENGTH_LEAST && Number(value) <= SHIPPING_LENGTH_MOST[unit];

const fitsProduct: Range = ({ value }) =>
  Number(value) <= PRODUCT_LENGTH_MOST && (value.split(".")[1]?.length ?? 0) <= PRODUCT_DECIMALS_MOST;

/** Says what is wrong with the axes that are given, and answers how many there are. */
function sayAxes(row: GoogleRow, prefix: string, fits: Range, findings: GoogleFindings): number {
  let unit: string | undefined;
  let count = 0;
  for (const axis of AXES) {
    const field = `${prefix}_${axis}`;
    const value = row.text(field);
    if (value === undefined) continue;
    count += 1;
    const measure = readMeasure(value);
    unit ??= measure?.unit;
    if (measure === undefined || !isLengthUnit(measure.unit) || measure.unit !== unit)
      findings.say("gmc.dims.unit", { field, value });
    else if (!fits(measure)) findings.say("gmc.dims.range", { field, value });
  }
  return count;
}

const checkParcel: RowCheck = (row, findings) => {
  const count = sayAxes(row, "shipping", fitsParcel, findings);
  if (count > 0 && count < AXES.length) findings.say("gmc.dims.incomplete", { field: "shipping_length" });
};

const checkProduct: RowCheck = (row, findings) => void sayAxes(row, "product", fitsProduct, findings);

const WEIGHTS = { shipping_weight: SHIPPING_WEIGHT_MOST, product_weight: PRODUCT_WEIGHT_MOST } as const;

const checkWeights: RowCheck = (row, findings) => {
  for (const [field, most] of Object.entries(WEIGHTS)) {
    const value = row.text(field);
    if (value === undefined) continue;
    const measure = readMeasure(value);
    if (measure === undefined || !isWeightUnit(measure.unit)) findings.say("gmc.dims.unit", { field, value });
    else if (Number(measure.value) > most[measure.unit]) findings.say("gmc.dims.range", { field, value });
  }
};

export const MEASURE_CHECKS: readonly RowCheck[] = [checkParcel, checkProduct, checkWeights];

const DAY_MS = 86_400_000;
const YEAR_DAYS = 366;
const EXPIRY_DAYS = 30;
/** Google's longest time; an interval is two of them and a slash. */
const LONGEST_TIME = 25;
/** Google documents the zone as optional, and a time without one as UTC. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?$/;

export function moneyOf(row: GoogleRow, name: string): WrittenMoney | undefined {
  const text = row.text(name);
  return text === undefined ? undefined : readMoney(text).money;
}

/** The instant in milliseconds, or undefined for what Google would not read. */
function timeOf(given: string): number | undefined {
  const text = given.trim();
  if (text.length > LONGEST_TIME || !TIME.test(text)) return undefined;
  const read = parseInstant(text, "start");
  return read.kind === "valid" ? Date.parse(read.value) : undefined;
}

const checkPrice: RowCheck = (row, findings) => {
  const price = moneyOf(row, "price");
  if (price === undefined || isPositiveDecimal(price.amount)) return;
  const isFreeByContract = row.has("subscription_cost") || row.has("installment");
  if (!isFreeByContract) findings.say("gmc.price.zero", { field: "price", value: row.text("price") });
};

const checkSale: RowCheck = (row, findings) => {
  const field = "sale_price";
  const value = row.text(field);
  const sale = moneyOf(row, field);
  const price = moneyOf(row, "price");
  if (sale === undefined || price === undefined) return;
  if (sale.currency !== price.currency) findings.say("gmc.sale.currency", { field, value });
  else if (!isPositiveDecimal(sale.amount) || compareDecimals(sale.amount, price.amount) >= 0)
    findings.say("gmc.sale.notlower", { field, value, detail: `The price is ${price.amount}.` });
  if (!row.has("sale_price_effective_date")) findings.say("gmc.sale.nodates", { field, value });
};

const checkInterval: RowCheck = (row, findings, now) => {
  const field = "sale_price_effective_date";
  const value = row.text(field);
  if (value === undefined) return;
  const say = (detail: string) => findings.say("gmc.sale.interval", { field, value, detail });
  const [from, to, ...more] = value.split("/").map(timeOf);
  if (from === undefined || to === undefined || more.length > 0)
    say("The interval is not two ISO 8601 times with a slash between them.");
  else if (from >= to) say("The interval ends before it begins.");
  else if (to <= now.getTime()) findings.say("gmc.sale.expired", { field, value });
  if (!row.has("sale_price")) say("An interval without a sale price says nothing.");
};

const AWAITED = new Set(["preorder", "backorder"]);

const checkAvailabilityDate: RowCheck = (row, findings, now) => {
  const field = "availability_date";
  const value = row.text(field);
  const availability = row.text("availability") ?? "";
  if (value === undefined) {
    if (AWAITED.has(availability))
      findings.say("gmc.avail.date", { field, isMild: availability === "backorder" });
    return;
  }
  const time = timeOf(value);
  if (time === undefined) findings.say("gmc.avail.dateformat", { field, value });
  else if (time < now.getTime()) findings.say("gmc.avail.datepast", { field, value });
  else if (time > now.getTime() + YEAR_DAYS * DAY_MS) findings.say("gmc.avail.datefar", { field, value });
};

const checkExpiry: RowCheck = (row, findings, now) => {
  const field = "expiration_date";
  const value = row.text(field);
  if (value === undefined) return;
  const time = timeOf(value);
  if (time === undefined) findings.say("gmc.avail.dateformat", { field, value });
  else if (time <= now.getTime()) findings.say("gmc.expire.past", { field, value });
  else if (time > now.getTime() + EXPIRY_DAYS * DAY_MS) findings.say("gmc.expire.far", { field, value });
};

const checkMeasure: RowCheck = (row, findings) => {
  const field = "unit_pricing_measure";
  const value = row.text(field);
  if (value === undefined) return;
  const measure = readMeasure(value);
  // A unit that is not even comparable with itself is none of Google's.
  if (measure === undefined || !areComparable(measure, measure))
    findings.say("gmc.unit.format", { field, value });
};

const checkBaseMeasure: RowCheck = (row, findings) => {
  const field = "unit_pricing_base_measure";
  const value = row.text(field);
  if (value === undefined) return;
  const given = row.text("unit_pricing_measure");
  if (given === undefined) findings.say("gmc.unit.pair", { field, value });
  const base = readMeasure(value);
  const measure = readMeasure(given ?? "");
  if (base === undefined || !isBase(base)) findings.say("gmc.unit.base", { field, value });
  else if (measure !== undefined && !areComparable(measure, base))
    findings.say("gmc.unit.family", { field, value });
};

function isBase({ value, unit }: { readonly value: string; readonly unit: string }): boolean {
  return UNIT_PRICING_BASES.has(value) || UNIT_PRICING_SPECIAL_BASES.has(`${value} ${unit}`);
}

export const OFFER_CHECKS: readonly RowCheck[] = [
  checkPrice,
  checkSale,
  checkInterval,
  checkAvailabilityDate,
  checkExpiry,
  checkMeasure,
  checkBaseMeasure,
];

const FIELD = "shipping";
const AREAS = ["region", "postal_code", "location_id", "location_group_name"] as const;
/** Google's highest rate, in its own currency; others are not converted here. */
const HIGHEST = { amount: "1000", currency: "USD" } as const;

function shownRate(rate: Group): string {
  return [...rate].map(([part, value]) => `${part}=${value}`).join(" ");
}

function sayPlace(rate: Group, findings: GoogleFindings): void {
  const country = rate.get("country");
  if (country === undefined || readCountry(country) !== country)
    findings.say("gmc.ship.country", { field: FIELD, value: country });
  const areas = AREAS.filter((area) => rate.has(area));
  if (areas.length > 1) findings.say("gmc.ship.area", { field: FIELD, value: shownRate(rate) });
}

/** A rate may say nothing but how long it takes. */
function isSpeedAlone(rate: Group): boolean {
  return !rate.has("price") && (rate.has("max_handling_time") || rate.has("max_transit_time"));
}

function sayPrice(rate: Group, currency: string | undefined, findings: GoogleFindings): void {
  const value = rate.get("price");
  if (value === undefined) {
    // A rate may say that the country is shipped to, and nothing more.
    findings.say("gmc.ship.price", { field: FIELD, detail: "The shipping rate has no price.", isMild: true });
    return;
  }
  const { money, fault } = readMoney(value);
  if (money === undefined) {
    findings.say("gmc.ship.price", { field: FIELD, value, detail: `The shipping price ${fault?.says}.` });
    return;
  }
  if (fault !== undefined)
    findings.say("gmc.price.precision", { field: FIELD, value, detail: `The amount ${fault.says}.` });
  if (currency !== undefined && money.currency !== currency)
    findings.say("gmc.ship.currency", { field: FIELD, value });
  if (money.currency === HIGHEST.currency && compareDecimals(money.amount, HIGHEST.amount) > 0)
    findings.say("gmc.ship.max", { field: FIELD, value });
}

function sayTimes(rate: Group, findings: GoogleFindings): void {
  const say = (detail: string) =>
    findings.say("gmc.ship.times", { field: FIELD, value: shownRate(rate), detail });
  for (const what of ["handling", "transit"]) {
    const least = rate.get(`min_${what}_time`);
    const most = rate.get(`max_${what}_time`);
    if ([least, most].some((days) => days !== undefined && !/^\d{1,3}$/.test(days)))
      say(`A ${what} time is not a number of days.`);
    else if (least !== undefined && most === undefined) say(`The shortest ${what} time has no longest one.`);
    else if (Number(least ?? 0) > Number(most ?? 0)) say(`The shortest ${what} time is above the longest.`);
  }
  if (rate.has("max_handling_time") !== rate.has("max_transit_time"))
    say("Delivery speed needs both the longest handling and the longest transit time.");
}

function placeAndService(rate: Group): string {
  return JSON.stringify(["country", ...AREAS, "service"].map((part) => rate.get(part) ?? ""));
}

const checkShipping: RowCheck = (row, findings) => {
  const currency = moneyOf(row, "price")?.currency;
  const seen = new Set<string>();
  for (const rate of row.groups(FIELD)) {
    sayPlace(rate, findings);
    if (!isSpeedAlone(rate)) sayPrice(rate, currency, findings);
    sayTimes(rate, findings);
    const key = placeAndService(rate);
    if (seen.has(key)) findings.say("gmc.ship.ambiguous", { field: FIELD, value: shownRate(rate) });
    seen.add(key);
  }
};

export const SHIPPING_CHECKS: readonly RowCheck[] = [checkShipping];

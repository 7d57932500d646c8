/** Checks of price, sale, availability, unit price, measures and shipping of an item. */
import { parseInstant } from "../../../catalog/dates.ts";
import { GOOGLE_SURPLUS } from "../../../catalog/google-surplus.ts";
import { areComparable } from "../../../catalog/measure.ts";
import { readCountry } from "../../../catalog/vocabulary/places.ts";
import { compareDecimals, isPositiveDecimal, moneyIn, readMoney } from "../../kit/validate/checks/money.ts";
import { checkText, type RowGroup, type CheckedRow } from "../../kit/validate/row.ts";
import {
  MAX_PRODUCT_DECIMALS,
  MAX_PRODUCT_LENGTH,
  MAX_PRODUCT_WEIGHT,
  MIN_SHIPPING_LENGTH,
  MAX_SHIPPING_LENGTH,
  MAX_SHIPPING_WEIGHT,
  UNIT_PRICING_BASES,
  UNIT_PRICING_SPECIAL_BASES,
} from "../fields.ts";
import type { GoogleCheck, GoogleFindings } from "./rules.ts";

const DAY_MS = 86_400_000;
const YEAR_DAYS = 366;
const EXPIRY_DAYS = 30;
/** Google's longest time; an interval is two of them and a slash. */
const LONGEST_TIME = 25;
/** Google documents the zone as optional, and a time without one as UTC. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?$/;

/** The instant in milliseconds, or undefined for what Google would not read. */
function timeOf(value: string): number | undefined {
  const text = value.trim();
  if (text.length > LONGEST_TIME || !TIME.test(text)) return undefined;
  const read = parseInstant(text, "start");
  return read.kind === "valid" ? Date.parse(read.value) : undefined;
}

const checkAvailabilityDate: GoogleCheck = (row, findings) => {
  const availability = row.text("availability");
  if (!row.has("availability_date") && (availability === "preorder" || availability === "backorder"))
    findings.add("gmc.avail.date", { field: "availability_date", isMild: availability === "backorder" });
};

type WrittenMeasure = { readonly value: string; readonly unit: string };

const MEASURE = /^(\d{1,12}(?:\.\d{1,12})?) ?([a-z]{1,5})$/;

/** A positive number and its unit, with or without a space; undefined for anything else. */
function readMeasure(text: string): WrittenMeasure | undefined {
  const [, value = "", unit = ""] = MEASURE.exec(text) ?? [];
  return isPositiveDecimal(value) ? { value, unit } : undefined;
}

function isBase({ value, unit }: WrittenMeasure): boolean {
  return UNIT_PRICING_BASES.has(value) || UNIT_PRICING_SPECIAL_BASES.has(`${value} ${unit}`);
}

/** Price, sale, dates and unit price. */
export const OFFER_CHECKS: readonly GoogleCheck[] = [
  checkText("price", (value, add, row) => {
    const price = moneyIn(value);
    if (price === undefined || isPositiveDecimal(price.amount)) return;
    if (!row.has("subscription_cost") && !row.has("installment")) add("gmc.price.zero");
  }),
  checkText("sale_price", (value, add, row) => {
    const sale = moneyIn(value);
    const price = moneyIn(row.text("price"));
    if (sale === undefined || price === undefined) return;
    if (sale.currency !== price.currency) add("gmc.sale.currency");
    else if (!isPositiveDecimal(sale.amount) || compareDecimals(sale.amount, price.amount) >= 0)
      add("gmc.sale.notlower", { detail: `The price is ${price.amount}.` });
    if (!row.has("sale_price_effective_date")) add("gmc.sale.nodates");
  }),
  checkText("sale_price_effective_date", (value, add, row, now) => {
    const addInterval = (detail: string) => add("gmc.sale.interval", { detail });
    const [from, to, ...more] = value.split("/").map(timeOf);
    if (from === undefined || to === undefined || more.length > 0)
      addInterval("The interval is not two ISO 8601 times with a slash between them.");
    else if (from >= to) addInterval("The interval ends before it begins.");
    else if (to <= now.getTime()) add("gmc.sale.expired");
    if (!row.has("sale_price")) addInterval("The interval has no effect without a sale price.");
  }),
  checkAvailabilityDate,
  checkText("availability_date", (value, add, _, now) => {
    const time = timeOf(value);
    if (time === undefined) add("gmc.avail.dateformat");
    else if (time < now.getTime()) add("gmc.avail.datepast");
    else if (time > now.getTime() + YEAR_DAYS * DAY_MS) add("gmc.avail.datefar");
  }),
  checkText("expiration_date", (value, add, _, now) => {
    const time = timeOf(value);
    if (time === undefined) add("gmc.avail.dateformat");
    else if (time <= now.getTime()) add("gmc.expire.past");
    else if (time > now.getTime() + EXPIRY_DAYS * DAY_MS) add("gmc.expire.far");
  }),
  checkText("unit_pricing_measure", (value, add) => {
    const measure = readMeasure(value);
    // A unit that is not comparable with itself is not one of Google's.
    if (measure === undefined || !areComparable(measure, measure)) add("gmc.unit.format");
  }),
  checkText("unit_pricing_base_measure", (value, add, row) => {
    if (!row.has("unit_pricing_measure")) add("gmc.unit.pair");
    const base = readMeasure(value);
    const measure = readMeasure(row.text("unit_pricing_measure") ?? "");
    if (base === undefined || !isBase(base)) add("gmc.unit.base");
    else if (measure !== undefined && !areComparable(measure, base)) add("gmc.unit.family");
  }),
];

const SHIPPING = "shipping";
/** A rate is for one kind of area only. */
const AREAS = GOOGLE_SURPLUS.shipping.exclusive;
/** Google's highest rate, in its own currency; others are not converted here. */
const HIGHEST = { amount: "1000", currency: "USD" } as const;

function shownRate(rate: RowGroup): string {
  return [...rate].map(([part, value]) => `${part}=${value}`).join(" ");
}

function checkDestination(rate: RowGroup, findings: GoogleFindings): void {
  const country = rate.get("country");
  if (country === undefined || readCountry(country) !== country)
    findings.add("gmc.ship.country", { field: SHIPPING, value: country });
  if (AREAS.filter((area) => rate.has(area)).length > 1)
    findings.add("gmc.ship.area", { field: SHIPPING, value: shownRate(rate) });
}

/** A rate may state only how long shipping takes. */
function hasOnlyTimes(rate: RowGroup): boolean {
  return !rate.has("price") && (rate.has("max_handling_time") || rate.has("max_transit_time"));
}

function checkRatePrice(rate: RowGroup, currency: string | undefined, findings: GoogleFindings): void {
  const field = SHIPPING;
  const value = rate.get("price");
  if (value === undefined) {
    // A rate may state only that the country is shipped to.
    findings.add("gmc.ship.price", { field, detail: "The shipping rate has no price.", isMild: true });
    return;
  }
  const { money, fault } = readMoney(value);
  if (money === undefined) {
    findings.add("gmc.ship.price", { field, value, detail: `The shipping price ${fault?.description}.` });
    return;
  }
  if (fault !== undefined)
    findings.add("gmc.price.precision", { field, value, detail: `The amount ${fault.description}.` });
  if (currency !== undefined && money.currency !== currency)
    findings.add("gmc.ship.currency", { field, value });
  if (money.currency === HIGHEST.currency && compareDecimals(money.amount, HIGHEST.amount) > 0)
    findings.add("gmc.ship.max", { field, value });
}

function checkTimes(rate: RowGroup, findings: GoogleFindings): void {
  const add = (detail: string) =>
    findings.add("gmc.ship.times", { field: SHIPPING, value: shownRate(rate), detail });
  for (const what of ["handling", "transit"]) {
    const least = rate.get(`min_${what}_time`);
    const most = rate.get(`max_${what}_time`);
    if ([least, most].some((days) => days !== undefined && !/^\d{1,3}$/.test(days)))
      add(`A ${what} time is not a number of days.`);
    else if (least !== undefined && most === undefined) add(`The shortest ${what} time has no longest one.`);
    else if (Number(least ?? 0) > Number(most ?? 0)) add(`The shortest ${what} time is above the longest.`);
  }
  if (rate.has("max_handling_time") !== rate.has("max_transit_time"))
    add("Delivery speed needs both the longest handling and the longest transit time.");
}

export const checkShipping: GoogleCheck = (row, findings) => {
  const currency = moneyIn(row.text("price"))?.currency;
  const seen = new Set<string>();
  for (const rate of row.groups(SHIPPING)) {
    checkDestination(rate, findings);
    if (!hasOnlyTimes(rate)) checkRatePrice(rate, currency, findings);
    checkTimes(rate, findings);
    const key = JSON.stringify(["country", ...AREAS, "service"].map((part) => rate.get(part) ?? ""));
    if (seen.has(key)) findings.add("gmc.ship.ambiguous", { field: SHIPPING, value: shownRate(rate) });
    seen.add(key);
  }
};

const AXES = ["length", "width", "height"] as const;

type MeasureCheck = (measure: WrittenMeasure) => boolean;

function isLengthUnit(unit: string): unit is keyof typeof MAX_SHIPPING_LENGTH {
  return unit in MAX_SHIPPING_LENGTH;
}

function isWeightUnit(unit: string): unit is keyof typeof MAX_SHIPPING_WEIGHT {
  return unit in MAX_SHIPPING_WEIGHT;
}

const fitsParcel: MeasureCheck = ({ value, unit }) =>
  isLengthUnit(unit) && Number(value) >= MIN_SHIPPING_LENGTH && Number(value) <= MAX_SHIPPING_LENGTH[unit];

const fitsProduct: MeasureCheck = ({ value }) =>
  Number(value) <= MAX_PRODUCT_LENGTH && (value.split(".")[1]?.length ?? 0) <= MAX_PRODUCT_DECIMALS;

/** Checks the axes that the row has, and returns how many these are. */
function checkAxes(row: CheckedRow, prefix: string, fits: MeasureCheck, findings: GoogleFindings): number {
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
      findings.add("gmc.dims.unit", { field, value });
    else if (!fits(measure)) findings.add("gmc.dims.range", { field, value });
  }
  return count;
}

const checkLengths: GoogleCheck = (row, findings) => {
  const count = checkAxes(row, "shipping", fitsParcel, findings);
  if (count > 0 && count < AXES.length) findings.add("gmc.dims.incomplete", { field: "shipping_length" });
  checkAxes(row, "product", fitsProduct, findings);
};

const checkWeight = (field: string, most: Readonly<Record<keyof typeof MAX_SHIPPING_WEIGHT, number>>) =>
  checkText(field, (value, add) => {
    const measure = readMeasure(value);
    if (measure === undefined || !isWeightUnit(measure.unit)) add("gmc.dims.unit");
    else if (Number(measure.value) > most[measure.unit]) add("gmc.dims.range");
  });

export const MEASURE_CHECKS: readonly GoogleCheck[] = [
  checkLengths,
  checkWeight("shipping_weight", MAX_SHIPPING_WEIGHT),
  checkWeight("product_weight", MAX_PRODUCT_WEIGHT),
];

/** Price, sale, availability and unit price of an item. */
import { parseInstant } from "../../../catalog/dates.ts";
import { areComparable } from "../../../catalog/measure.ts";
import { UNIT_PRICING_BASES, UNIT_PRICING_SPECIAL_BASES } from "../units.ts";
import { compareDecimals, isPositiveDecimal } from "../../kit/validate/checks/decimals.ts";
import { readMoney, type WrittenMoney } from "../../kit/validate/checks/money.ts";
import { readMeasure } from "./measures.ts";
import type { GoogleRow, RowCheck } from "./row.ts";

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

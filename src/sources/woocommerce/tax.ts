/**
 * The price that a shop shows for an entered price, calculated with the tax rates of its country as WooCommerce does
 * (`wc_get_price_including_tax`, `wc_get_price_excluding_tax` and `WC_Tax`). Plugins may change prices further, so this
 * is only for shops whose Store API is closed, or shows visitors the taxes of their own country.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import { roundHalfUp, scaled, unscaled } from "../../catalog/decimal.ts";
import { isTrue, numberIn, textIn, textsIn } from "../kit/json.ts";
import type { WoocommerceStore } from "./store.ts";

type Rate = { readonly isCompound: boolean /** In 1/10,000 of a percent. */; readonly rate: bigint };

/** The rates of one tax class; null if they depend on postcodes or cities, which are not matched here. */
export type TaxRates = (taxClass: string) => readonly Rate[] | null;

const HUNDRED_PERCENT = 1_000_000n;
/** Amounts are integers of 10^-12. Taxes are rounded to 10^-6 before they are added (WC_ROUNDING_PRECISION). */
const AMOUNT_PLACES = 12;
const TAX_PLACES = 6;

/** Whether a rate is for the country and state of the shop. */
export function isRateOfShop(
  row: JsonObject,
  { baseCountry = "", baseState = "" }: WoocommerceStore,
): boolean {
  const matches = (field: string, place: string): boolean =>
    [undefined, place.toUpperCase()].includes(textIn(row, field)?.toUpperCase());
  return matches("country", baseCountry) && matches("state", baseState);
}

/** `rows` are the rates of the shop's country. */
export function taxRates(rows: readonly JsonObject[]): TaxRates {
  return (taxClass) => {
    const ofClass = rows.filter((row) => (textIn(row, "class") ?? "standard") === (taxClass || "standard"));
    if (ofClass.some((row) => [...textsIn(row, "postcodes"), ...textsIn(row, "cities")].length > 0))
      return null;
    return onePerPriority(ofClass).map((row) => ({
      isCompound: isTrue(row, "compound"),
      rate: scaled(textIn(row, "rate") ?? "0", 4) ?? 0n,
    }));
  };
}

/** Of each priority the most specific one: with a country, then with a state, then the oldest. */
function onePerPriority(rows: readonly JsonObject[]): readonly JsonObject[] {
  const sorted = rows.toSorted(
    (a, b) => priorityOf(a) - priorityOf(b) || widthOf(a) - widthOf(b) || Number(a["id"]) - Number(b["id"]),
  );
  return sorted.filter((row, i) => i === 0 || priorityOf(row) !== priorityOf(sorted[i - 1] ?? row));
}

function priorityOf(row: JsonObject): number {
  return numberIn(row, "priority") ?? 1;
}

function widthOf(row: JsonObject): number {
  return (textIn(row, "country") === undefined ? 2 : 0) + (textIn(row, "state") === undefined ? 1 : 0);
}

/** The shown price for an entered price of this row; null if the tax rates do not determine it. */
export function priceCalculator(row: JsonObject, store: WoocommerceStore, taxes: TaxRates): ToShown | null {
  const isTaxed = (textIn(row, "tax_status") ?? "taxable") === "taxable";
  const base = isTaxed ? taxes(textIn(row, "tax_class") ?? "") : [];
  if (base === null) return null;
  const { pricesIncludeTax, showsTax, roundsAtSubtotal, priceDecimals: places = 2 } = store;
  // A visitor whose place is not known pays no tax yet.
  const ofVisitor = store.visitorPlace === "none" ? [] : base;
  const eachRounded = (taxes: readonly bigint[]): readonly bigint[] =>
    roundsAtSubtotal ? taxes : taxes.map((tax) => roundTo(tax, places));
  function shown(price: bigint): bigint {
    if (showsTax && !pricesIncludeTax) return price + sum(eachRounded(taxesOn(price, ofVisitor)));
    if (!pricesIncludeTax || (showsTax && ofVisitor === base)) return price;
    const within = taxesWithin(price, base ?? []);
    return price - sum(showsTax ? eachRounded(within) : within);
  }
  return (entered) => {
    const price = scaled(entered ?? "", AMOUNT_PLACES);
    return price === undefined ? entered : roundHalfUp(unscaled(shown(price), AMOUNT_PLACES), places);
  };
}

/** A text that is not a number stays as it is. */
type ToShown = (entered: string | undefined) => string | undefined;

/** `WC_Tax::calc_exclusive_tax`: compound rates apply to the price and all taxes before them. */
function taxesOn(price: bigint, rates: readonly Rate[]): readonly bigint[] {
  const { simple, compound } = byKind(rates);
  const taxes = simple.map((rate) => divide(price * rate, HUNDRED_PERCENT));
  for (const rate of compound) taxes.push(divide((price + sum(taxes)) * rate, HUNDRED_PERCENT));
  return taxes.map((tax) => roundTo(tax, TAX_PLACES));
}

/** `WC_Tax::calc_inclusive_tax`: compound rates are subtracted first, the last of them before the others. */
function taxesWithin(price: bigint, rates: readonly Rate[]): readonly bigint[] {
  const { simple, compound } = byKind(rates);
  const taxes: bigint[] = [];
  let rest = price;
  for (const rate of compound.toReversed()) {
    const net = divide(rest * HUNDRED_PERCENT, HUNDRED_PERCENT + rate);
    taxes.push(rest - net);
    rest = net;
  }
  const all = HUNDRED_PERCENT + sum(simple);
  for (const rate of simple) taxes.push(divide(rest * rate, all));
  return taxes.map((tax) => roundTo(tax, TAX_PLACES));
}

function byKind(rates: readonly Rate[]) {
  const ofKind = (kind: boolean): bigint[] =>
    rates.flatMap(({ isCompound, rate }) => (isCompound === kind ? [rate] : []));
  return { simple: ofKind(false), compound: ofKind(true) };
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** Rounds half up; no amount here is negative. */
const divide = (dividend: bigint, divisor: bigint): bigint => (2n * dividend + divisor) / (2n * divisor);

function roundTo(amount: bigint, places: number): bigint {
  const unit = 10n ** BigInt(AMOUNT_PLACES - Math.min(places, AMOUNT_PLACES));
  return divide(amount, unit) * unit;
}

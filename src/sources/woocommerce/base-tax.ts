/**
 * What a shop shows for an entered price, worked out from its own tax table as WooCommerce does
 * (`wc_get_price_including_tax`, `wc_get_price_excluding_tax` and `WC_Tax` in WooCommerce's source). It is the second
 * choice: the Store API says what the shop shows, plugins included. Here are the taxes of the shop's own country, for
 * shops whose Store API is closed, or shows every visitor the prices of the country the request comes from.
 */
import { roundHalfUp, scaled, unscaled } from "../../catalog/decimal.ts";
import type { ShownPrices } from "./amounts.ts";
import type { Facts } from "./facts.ts";
import { isTrue, type Row, textIn, textsIn } from "./wire.ts";

type Rate = { readonly isCompound: boolean /** In 1/10,000 of a percent. */; readonly rate: bigint };

/** The rates of one tax class; null where they depend on postcodes or cities, which are not matched here. */
export type TaxTable = (taxClass: string) => readonly Rate[] | null;

const WHOLE = 1_000_000n;
/** Amounts are whole numbers of 10^-12, taxes are rounded to 10^-6 before they are summed (WC_ROUNDING_PRECISION). */
const AMOUNT_PLACES = 12;
const TAX_PLACES = 6;

/** Whether a rate is for the shop's own country and state. Shops have thousands that are not. */
export function isRateHere(row: Row, { baseCountry, baseState }: Facts): boolean {
  return matches(row, "country", baseCountry ?? "") && matches(row, "state", baseState ?? "");
}

/** `rows` are the rates of the shop's own country. */
export function taxTable(rows: readonly Row[]): TaxTable {
  return (taxClass) => {
    const ofClass = rows.filter((row) => (textIn(row, "class") ?? "standard") === (taxClass || "standard"));
    if (ofClass.some((row) => textsIn(row, "postcodes").length + textsIn(row, "cities").length > 0))
      return null;
    return onePerPriority(ofClass).map((row) => ({
      isCompound: isTrue(row, "compound"),
      rate: scaled(textIn(row, "rate") ?? "0", 4) ?? 0n,
    }));
  };
}

function matches(row: Row, field: string, place: string): boolean {
  const own = textIn(row, field) ?? "";
  return own === "" || own.toUpperCase() === place.toUpperCase();
}

/** Of each priority the narrowest: with a country before without one, with a state before without one, then the oldest. */
function onePerPriority(rows: readonly Row[]): readonly Row[] {
  const sorted = rows.toSorted(
    (a, b) => priorityOf(a) - priorityOf(b) || widthOf(a) - widthOf(b) || Number(a["id"]) - Number(b["id"]),
  );
  return sorted.filter((row, i) => i === 0 || priorityOf(row) !== priorityOf(sorted[i - 1] ?? row));
}

function priorityOf(row: Row): number {
  return Number(textIn(row, "priority") ?? "1");
}

function widthOf(row: Row): number {
  return (textIn(row, "country") === undefined ? 2 : 0) + (textIn(row, "state") === undefined ? 1 : 0);
}

/** The prices of a row as shown; null where the tax table does not say. */
export function shownByTable(row: Row, facts: Facts, table: TaxTable): ShownPrices | null {
  const isTaxed = (textIn(row, "tax_status") ?? "taxable") === "taxable";
  const rates = isTaxed ? table(textIn(row, "tax_class") ?? "") : [];
  if (rates === null) return null;
  const entries = ["price", "regular_price", "sale_price"].flatMap((field) => {
    const entered = textIn(row, field);
    return entered === undefined ? [] : [[field, shownAmount(entered, facts, rates)] as const];
  });
  return Object.fromEntries(entries);
}

function shownAmount(entered: string, facts: Facts, base: readonly Rate[]): string {
  const { pricesIncludeTax, showsTax, roundsAtSubtotal } = facts;
  const places = facts.priceDecimals ?? 2;
  const price = scaled(entered, AMOUNT_PLACES);
  if (price === undefined) return entered;
  // A visitor of whom no place is known pays no tax yet.
  const ofVisitor = facts.visitorPlace === "none" ? [] : base;
  const eachRounded = (taxes: readonly bigint[]): readonly bigint[] =>
    roundsAtSubtotal ? taxes : taxes.map((tax) => roundedTo(tax, places));
  if (showsTax && !pricesIncludeTax)
    return textOf(price + sum(eachRounded(taxesOn(price, ofVisitor))), places);
  if (!pricesIncludeTax || (showsTax && ofVisitor === base)) return textOf(price, places);
  const within = taxesWithin(price, base);
  return textOf(price - sum(showsTax ? eachRounded(within) : within), places);
}

/** `WC_Tax::calc_exclusive_tax`: compound rates are on the price and all taxes before them. */
function taxesOn(price: bigint, rates: readonly Rate[]): readonly bigint[] {
  const taxes: bigint[] = [];
  for (const { rate } of rates.filter(({ isCompound }) => !isCompound))
    taxes.push(divided(price * rate, WHOLE));
  for (const { rate } of rates.filter(({ isCompound }) => isCompound))
    taxes.push(divided((price + sum(taxes)) * rate, WHOLE));
  return taxes.map((tax) => roundedTo(tax, TAX_PLACES));
}

/** `WC_Tax::calc_inclusive_tax`: compound rates are taken off first, the last of them before the others. */
function taxesWithin(price: bigint, rates: readonly Rate[]): readonly bigint[] {
  const taxes: bigint[] = [];
  let rest = price;
  for (const { rate } of rates.filter(({ isCompound }) => isCompound).toReversed()) {
    const tax = rest - divided(rest * WHOLE, WHOLE + rate);
    taxes.push(tax);
    rest -= tax;
  }
  const plain = rates.filter(({ isCompound }) => !isCompound);
  const all = WHOLE + sum(plain.map(({ rate }) => rate));
  for (const { rate } of plain) taxes.push(divided(rest * rate, all));
  return taxes.map((tax) => roundedTo(tax, TAX_PLACES));
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** Halves up; nothing here is negative. */
const divided = (dividend: bigint, divisor: bigint): bigint => (2n * dividend + divisor) / (2n * divisor);

function roundedTo(amount: bigint, places: number): bigint {
  const unit = 10n ** BigInt(AMOUNT_PLACES - Math.min(places, AMOUNT_PLACES));
  return divided(amount, unit) * unit;
}

function textOf(amount: bigint, places: number): string {
  return roundHalfUp(unscaled(amount, AMOUNT_PLACES), places);
}

/**
 * Amounts as WooCommerce writes them. The Store API counts in whole minor units (`"2400"` with two decimals is 24.00):
 * they are turned into decimals by moving the point, never by arithmetic.
 */
import { unscaled } from "../../catalog/decimal.ts";
import { type Row, textIn } from "./wire.ts";

/** Where a row of the REST API carries its prices as shown; null where they are unknown. */
export const SHOWN_PRICES = "shown_prices";

/** The prices of a row as the shop shows them, under the names that the REST API has for them as entered. */
export type ShownPrices = {
  readonly price?: string;
  readonly regular_price?: string;
  readonly sale_price?: string;
};

/** An amount of the Store API's `prices`. */
export function amountIn(prices: Row, field: string): string | undefined {
  const amount = textIn(prices, field);
  return amount === undefined
    ? undefined
    : decimalOf(amount, Number(textIn(prices, "currency_minor_unit") ?? "2"));
}

/** `2400` and 2 make `24.00`. What is no whole number is left as it stands, for `normalize` to refuse. */
export function decimalOf(minor: string, digits: number): string {
  const parts = /^(-?)(\d+)$/.exec(minor);
  if (parts === null || !Number.isInteger(digits) || digits < 1 || digits > 8) return minor;
  const [, sign = "", whole = ""] = parts;
  return `${sign}${unscaled(BigInt(whole), digits)}`;
}

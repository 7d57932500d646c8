/**
 * What a variant costs. A variant without a price of its own has the product's; a sale price of zero means no sale.
 * `calculated_price` is what the shop shows before prices for single customers, option rules included, so it is the
 * price now. `retail_price` is the maker's suggestion and never our regular price. The catalog keeps four decimals;
 * shoppers see as many as the store shows, halves rounded up.
 */
import { currencyExponent } from "../../catalog/currency.ts";
import { roundHalfUp } from "../../catalog/decimal.ts";
import type { ShownPrice } from "./shown-prices.ts";
import type { Store } from "./store.ts";
import { type Fields, numberIn } from "./wire.ts";
import { trimEndOf } from "../../lib/trim-text.ts";

export type PriceTexts = { readonly price?: string; readonly salePrice?: string };

/** `shown`: with or without tax as the shop shows it, where that is another number than the one in the catalog. */
export function pricesOf(
  product: Fields,
  variant: Fields,
  store: Pick<Store, "currency" | "decimals">,
  shown?: ShownPrice,
): PriceTexts {
  const { regular, now } = shown ?? enteredIn(product, variant);
  if (now === undefined) return {};
  const text = (amount: number): string => asShown(decimalText(amount), store);
  // Rules of options can raise the price; and a regular price of zero is one that was never set.
  if (regular === undefined || now >= regular) return { price: text(now) };
  const [price, salePrice] = [text(regular), text(now)];
  return price === salePrice ? { price } : { price, salePrice };
}

function enteredIn(product: Fields, variant: Fields): Partial<ShownPrice> {
  const regular = numberIn(variant, "price") ?? numberIn(product, "price");
  const sale = numberIn(variant, "sale_price") ?? numberIn(product, "sale_price");
  const now = positive(numberIn(variant, "calculated_price")) ?? positive(sale) ?? regular;
  return { ...(regular === undefined ? {} : { regular }), ...(now === undefined ? {} : { now }) };
}

function asShown(amount: string, { currency, decimals }: Pick<Store, "currency" | "decimals">): string {
  const places = decimals ?? currencyExponent(currency) ?? DECIMALS;
  return (amount.split(".")[1]?.length ?? 0) > places ? roundHalfUp(amount, places) : amount;
}

function positive(number: number | undefined): number | undefined {
  return number !== undefined && number > 0 ? number : undefined;
}

/** BigCommerce keeps four decimals. */
const DECIMALS = 4;
/** What binary fractions are off by, at most, after a few additions. */
const NOISE = 1e-9;

/** A number as the shop meant it: `13.49`, though the answer said 13.490000000000002. Nothing else is rounded. */
export function decimalText(number: number): string {
  const fixed = number.toFixed(DECIMALS);
  const isNoise = Math.abs(Number(fixed) - number) <= NOISE * Math.max(1, Math.abs(number));
  return isNoise ? trimEndOf(trimEndOf(fixed, /0/), /\./) : String(number);
}

/**
 * What a variant costs. A variant without a price of its own has the product's; a sale price of zero means no sale.
 * `calculated_price` is what the shop shows before prices for single customers, option rules included, so it is the
 * price now. `retail_price` is the maker's suggestion and never our regular price.
 */
import { type Fields, numberIn } from "./wire.ts";

export type PriceTexts = { readonly price?: string; readonly salePrice?: string };

export function pricesOf(product: Fields, variant: Fields): PriceTexts {
  const regular = numberIn(variant, "price") ?? numberIn(product, "price");
  const sale = numberIn(variant, "sale_price") ?? numberIn(product, "sale_price");
  const now = positive(numberIn(variant, "calculated_price")) ?? positive(sale) ?? regular;
  if (now === undefined) return {};
  // Rules of options can raise the price; and a regular price of zero is one that nobody has set.
  if (regular === undefined || now >= regular) return { price: decimalText(now) };
  return { price: decimalText(regular), salePrice: decimalText(now) };
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
  return isNoise ? fixed.replace(/\.?0+$/, "") : String(number);
}

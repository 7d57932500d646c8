/** Prices in the forms that shops send them, as the texts of a draft. */
import { currencyExponent } from "../../catalog/currency.ts";
import { roundHalfUp } from "../../catalog/decimal.ts";
import type { Draft } from "../../catalog/draft.ts";
import { counted } from "../../lib/counted.ts";
import { trimEndOf } from "../../lib/trim-text.ts";

/** A regular price and the price that customers pay now; either may be unknown. */
export type ShopPrices = { readonly regular?: number | undefined; readonly now?: number | undefined };

/**
 * A price below the regular one is a sale. A regular price of zero was never set, and rules of a shop can raise the
 * price: then the price now is the only one. `toText` formats an amount as the shop shows it.
 */
export function priceFields({ regular, now }: ShopPrices, toText: (amount: number) => string): Draft {
  if (now === undefined) return {};
  if (regular === undefined || now >= regular) return { price: toText(now) };
  const [price, salePrice] = [toText(regular), toText(now)];
  return price === salePrice ? { price } : { price, salePrice };
}

/** Rounding errors of binary fractions after a few additions are smaller than this. */
const FLOAT_ERROR = 1e-9;

/** `13.49` for 13.490000000000002. A number with more decimals than `places` is not rounded. */
export function decimalText(number: number, places: number): string {
  const fixed = number.toFixed(places);
  const isExact = Math.abs(Number(fixed) - number) <= FLOAT_ERROR * Math.max(1, Math.abs(number));
  return isExact ? trimEndOf(trimEndOf(fixed, /0/), /\./) : String(number);
}

/**
 * A shop may show prices with more decimals than their currency has (`12.3450 €`). Feeds need what a customer pays, so
 * such prices are rounded half up. Returns the same object if nothing was rounded.
 */
export function roundToCurrency(draft: Draft): Draft {
  const exponent = currencyExponent(draft.currency ?? "");
  if (exponent === undefined) return draft;
  const price = rounded(draft.price, exponent);
  const salePrice = rounded(draft.salePrice, exponent);
  if (price === draft.price && salePrice === draft.salePrice) return draft;
  return {
    ...draft,
    ...(price === undefined ? {} : { price }),
    ...(salePrice === undefined ? {} : { salePrice }),
  };
}

function rounded(amount: string | undefined, exponent: number): string | undefined {
  const tooFine = amount?.split(".")[1]?.slice(exponent) ?? "";
  return amount !== undefined && /[1-9]/.test(tooFine) ? roundHalfUp(amount, exponent) : amount;
}

/** `setting` is where the merchant chooses how many decimals the shop shows. */
export function roundedNote(items: number, setting: string): string {
  const which = counted(items, "item has", "items have");
  return `${which} a price with more decimals than the currency has; it was rounded. The shop shows more decimals than customers can pay (${setting}).`;
}

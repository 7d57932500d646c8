/**
 * A shop may show prices with more decimals than their currency has (`12.3450 €`). Feeds take what a customer pays, so
 * such prices are rounded half up, and the read reports how many items that concerns.
 */
import { counted } from "../lib/counted.ts";
import { currencyExponent } from "../catalog/currency.ts";
import { roundHalfUp } from "../catalog/decimal.ts";
import type { Draft } from "../catalog/draft.ts";

/** Returns the same object where nothing had to be rounded. */
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

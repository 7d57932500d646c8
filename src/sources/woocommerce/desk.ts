/** Where events are made: numbered without a gap, stopped by the signal, with a count of what was left out. */
import { currencyExponent } from "../../catalog/currency.ts";
import { roundHalfUp } from "../../catalog/decimal.ts";
import type { Draft } from "../../catalog/draft.ts";
import type { SourceEvent } from "../source.ts";
import { type LeftOut, leftOut } from "./left-out.ts";

export type Desk = {
  readonly draft: (draft: Draft) => SourceEvent;
  readonly broken: (what: string) => SourceEvent;
  readonly unpriced: (id: string) => SourceEvent;
  readonly leftOut: LeftOut;
  /** What the whole read should know of the prices. */
  readonly priceNotes: () => readonly string[];
};

export function eventDesk(signal: AbortSignal): Desk {
  let last = 0;
  let tooFine = 0;
  function next(): number {
    signal.throwIfAborted();
    last += 1;
    return last;
  }
  return {
    draft: (draft) => {
      const payable = inCurrency(draft);
      if (payable !== draft) tooFine += 1;
      return { kind: "draft", position: next(), draft: payable, decimalMark: "." };
    },
    unpriced: (id) => {
      const message =
        "The shop does not tell at which price it shows this item: its REST API gives prices as they are entered, and its Store API does not list the item. Look for a plugin that hides it there.";
      const rejection = {
        itemId: id,
        position: next(),
        field: "price",
        code: "missing_price",
        message,
      } as const;
      return { kind: "rejected", rejection };
    },
    broken: (what) => {
      const message = `The shop sent something among its ${what} that has no id. A plugin may change the answers of its REST API.`;
      const rejection = {
        itemId: null,
        position: next(),
        field: "id",
        code: "unreadable_row",
        message,
      } as const;
      return { kind: "rejected", rejection };
    },
    leftOut: leftOut(),
    priceNotes: () => {
      if (tooFine === 0) return [];
      const items = tooFine === 1 ? "1 item has" : `${tooFine} items have`;
      return [
        `${items} a price with more decimals than the currency has; it was rounded. The shop shows more decimals than customers can pay (WooCommerce → Settings → General → Number of decimals).`,
      ];
    },
  };
}

/** Amounts that can be paid. The same draft where nothing had to be rounded. */
function inCurrency(draft: Draft): Draft {
  const exponent = currencyExponent(draft.currency ?? "");
  if (exponent === undefined) return draft;
  const payable = (amount: string | undefined): string | undefined =>
    amount !== undefined &&
    /\.\d*[1-9]/.test(amount) &&
    /[1-9]/.test(amount.split(".")[1]?.slice(exponent) ?? "")
      ? roundHalfUp(amount, exponent)
      : amount;
  const [price, salePrice] = [payable(draft.price), payable(draft.salePrice)];
  if (price === draft.price && salePrice === draft.salePrice) return draft;
  return {
    ...draft,
    ...(price === undefined ? {} : { price }),
    ...(salePrice === undefined ? {} : { salePrice }),
  };
}

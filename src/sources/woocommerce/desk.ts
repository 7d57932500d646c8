/** Where events are made: numbered without a gap, stopped by the signal, with a count of what was left out. */
import type { Draft } from "../../catalog/draft.ts";
import { roundedNote, roundToCurrency } from "../kit/prices.ts";
import type { SourceEvent } from "../source.ts";
import { type LeftOut, leftOut } from "./left-out.ts";

const DECIMALS = "WooCommerce → Settings → General → Number of decimals";

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
      const priced = roundToCurrency(draft);
      if (priced !== draft) tooFine += 1;
      return { kind: "draft", position: next(), draft: priced, decimalMark: "." };
    },
    unpriced: (id) => {
      const message =
        "The shop does not say at which price it shows this item: its REST API gives prices as they are entered, and its Store API does not list the item. Look for a plugin that hides it there.";
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
    priceNotes: () => (tooFine === 0 ? [] : [roundedNote(tooFine, DECIMALS)]),
  };
}

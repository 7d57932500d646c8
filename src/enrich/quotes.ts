/** Quotes from an item, as programs outside give them: they count only if the item has them, character by character. */
import type { Item } from "../catalog/item.ts";
import { QUOTED_FIELD, type Quote } from "../contract/propose-value.ts";
import { type Evidence, textOf } from "./extractors/evidence.ts";
import { withShopTexts } from "./shop-texts.ts";

const QUOTABLE = new RegExp(QUOTED_FIELD);
const WORD_PART = /[\p{L}\p{N}\p{M}]/u;

/** The first place where the text stands as whole words: "red" is not quoted from "tired". */
export function findQuote(item: Item, { field, text }: Quote): Evidence | undefined {
  const whole = QUOTABLE.test(field) ? textOf(withShopTexts(item), field) : undefined;
  if (whole === undefined || text === "") return undefined;
  for (let from = whole.indexOf(text); from >= 0; from = whole.indexOf(text, from + 1)) {
    const to = from + text.length;
    if (isBorder(whole, from) && isBorder(whole, to)) return { field, from, to, text };
  }
  return undefined;
}

/** Whether no word goes on across this position. */
function isBorder(text: string, at: number): boolean {
  return !(WORD_PART.test(text.slice(at - 1, at)) && WORD_PART.test(text.charAt(at))) || at === 0;
}

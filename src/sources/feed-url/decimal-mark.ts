/**
 * How a file writes its prices, by majority over many of them. One price alone may be read two ways (`1.299`); a
 * column of them rarely can.
 */
import type { Draft } from "../../catalog/draft.ts";
import type { DecimalMark } from "../../catalog/money.ts";

/** The mark most prices use, `otherwise` when they do not say. */
export function decimalMarkOf(drafts: Iterable<Draft>, otherwise: DecimalMark | null): DecimalMark | null {
  let commas = 0;
  let points = 0;
  for (const draft of drafts) {
    for (const price of [draft.price, draft.salePrice, draft.listPrice]) {
      const vote = price === undefined ? null : markOf(price);
      if (vote === ",") commas += 1;
      if (vote === ".") points += 1;
    }
  }
  if (commas === points) return otherwise;
  return commas > points ? "," : ".";
}

const NUMBER = /\d[\d.,]*/;

/** The last of two kinds of marks is the decimal one; a single mark is when one or two digits follow it. */
function markOf(price: string): DecimalMark | null {
  const digits = NUMBER.exec(price)?.[0] ?? "";
  const last = Math.max(digits.lastIndexOf(","), digits.lastIndexOf("."));
  if (last === -1) return null;
  const mark = digits.charAt(last) === "," ? "," : ".";
  const other = mark === "," ? "." : ",";
  if (digits.includes(other)) return mark;
  // The same mark twice can only group thousands.
  if (digits.indexOf(mark) !== last) return other;
  const decimals = digits.length - last - 1;
  return decimals === 1 || decimals === 2 ? mark : null;
}

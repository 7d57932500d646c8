/** Holds a text to the limit that its field has in the table. */
import { clamp } from "../../catalog/text.ts";
import { isLonger } from "../../lib/text-length.ts";
import type { Field, Limit } from "./field-table.ts";

/** The text, its beginning, or undefined when the field would rather be empty than cut. */
export function within(text: string, { codePoints, over }: Limit): string | undefined {
  if (text.length <= codePoints) return text;
  if (over === "cut") return clamp(text, codePoints);
  return over === "drop" && isLonger(text, codePoints) ? undefined : text;
}

/** How long a field's text may be. */
export function limitOf({ limit }: Pick<Field, "limit">): number {
  return limit?.codePoints ?? Number.POSITIVE_INFINITY;
}

/** How long a sub-value of a field may be. */
export function partLimitOf({ limit, partLimits }: Field, part: string): number {
  return partLimits?.[part] ?? limitOf(limit === undefined ? {} : { limit });
}

/** How many characters all groups of a field may have together. */
export function totalOf({ total }: Pick<Field, "total">): number {
  return total ?? Number.POSITIVE_INFINITY;
}

/** How many values a field may have. */
export function mostOf({ most }: Pick<Field, "most">): number {
  return most ?? Number.POSITIVE_INFINITY;
}

/** A number as sentences have it: `5,000`. */
export function shownNumber(count: number): string {
  return count.toLocaleString("en");
}

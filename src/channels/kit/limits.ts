/** Holds a text to the limit its field has in the profile. */
import { clamp } from "../../catalog/text.ts";
import type { Limit } from "./field-table.ts";

/** Consumers count code points. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** A text has never more code points than code units, so most are settled by the first look. */
export function isLonger(text: string, codePoints: number): boolean {
  return text.length > codePoints && lengthOf(text) > codePoints;
}

/** The text, its beginning, or undefined when the field would rather be empty than cut. */
export function within(text: string, { codePoints, over }: Limit): string | undefined {
  if (text.length <= codePoints) return text;
  if (over === "cut") return clamp(text, codePoints);
  return over === "drop" && isLonger(text, codePoints) ? undefined : text;
}

/** How long a field's text may be, for those who fit the text themselves. */
export function limitOf({ limit }: { readonly limit?: Limit }): number {
  return limit?.codePoints ?? Number.POSITIVE_INFINITY;
}

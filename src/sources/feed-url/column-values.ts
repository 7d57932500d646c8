/**
 * How well the values of a column fit a field. A name alone is not enough for a suggestion: `web_price` may have cents,
 * `code` may have the same value in every row, and `product` may have numbers.
 */
import type { TextField } from "../../catalog/draft.ts";
import { readAvailability } from "../../catalog/vocabulary/availability.ts";

export type Confidence = "high" | "low";

/** With fewer values a fit may be chance. */
const MIN_VALUES = 3;
/** The share of values that must fit. */
const MIN_SHARE = 0.9;

const URL_LIKE = /^(?:https?:)?\/\/\S+$|^\/\S*$/i;
const IMAGE_LIKE = /\.(?:jpe?g|png|webp|gif|avif|svg|bmp|tiff?)(?:[?#;,|\s]|$)/i;
const FLAG = /^(?:true|false|yes|no|y|n|ja|nein|oui|non|si|0|1)$/i;
const AMOUNT = /^[^\d\s]{0,5}\s?\d[\d.,' \u00a0]{0,15}\s?[^\d]{0,6}$/;
/** An amount with decimals, or of less than 100. Few goods cost less than 100 cents. */
const NO_CENTS = /\d[.,]\d\d?(?:\D|$)|^\D*\d{1,2}\D*$/;
const hasLetters = (value: string): boolean => /\p{L}{2}/u.test(value);
const isLink = (value: string): boolean => URL_LIKE.test(value) && !IMAGE_LIKE.test(value);
const isText = (value: string): boolean =>
  hasLetters(value) &&
  !FLAG.test(value) &&
  ![URL_LIKE, IMAGE_LIKE, /^[^\s@]+@\S+$/].some((one) => one.test(value));
/** Longer texts are no names of brands. */
const MAX_BRAND_CHARS = 70;

const FITS: Partial<Record<TextField, (value: string) => boolean>> = {
  id: (value) => value.length <= 100 && !URL_LIKE.test(value),
  title: isText,
  description: isText,
  brand: (value) => isText(value) && value.length <= MAX_BRAND_CHARS,
  link: isLink,
  image: (value) => IMAGE_LIKE.test(value) || URL_LIKE.test(value),
  price: (value) => AMOUNT.test(value),
  quantity: (value) => /^\d{1,7}(?:[.,]0+)?$/.test(value),
  // A word that is not known would make the availability of every item unknown.
  availability: (value) => readAvailability(value) !== undefined,
};

/** The share of different values, of fields that differ from item to item. Variants share titles and pages. */
const MIN_DISTINCT: Partial<Record<TextField, number>> = { id: 0.9, title: 0.3, link: 0.3 };

/** With so many values, those of a brand repeat: a column in which each row has its own has names of something else. */
const MANY_VALUES = 10;
const MAX_DISTINCT: Partial<Record<TextField, number>> = { brand: 0.9 };

/** Null if the values do not fit, or there are none. */
export function confidenceOf(field: TextField, values: readonly string[]): Confidence | null {
  const fits = FITS[field];
  if (fits === undefined || values.length === 0) return null;
  const share = values.filter(fits).length / values.length;
  if (share < MIN_SHARE || !isAsDistinctAs(field, values)) return null;
  return values.length >= MIN_VALUES && share === 1 ? "high" : "low";
}

/** Whether the values differ and repeat as those of the field do. */
function isAsDistinctAs(field: TextField, values: readonly string[]): boolean {
  const distinct = new Set(values).size / values.length;
  if (distinct < (MIN_DISTINCT[field] ?? 0)) return false;
  return values.length < MANY_VALUES || distinct <= (MAX_DISTINCT[field] ?? 1);
}

/** True if all amounts are whole numbers from 100 on, which may be cents. */
export function mayBeCents(values: readonly string[]): boolean {
  return !values.some((value) => NO_CENTS.test(value));
}

/**
 * The result of every check in this layer: the value in canonical form, or a reason from a closed list. A check does
 * not throw on bad input and does not guess.
 */
import { GOOGLE_LIMITS } from "./google-limits.ts";

/** Why a text is not a value, as the end of a sentence that names it. */
export const PROBLEMS = {
  // dates
  not_iso: "is not a date such as 2027-01-15",
  ambiguous_date: "can be read as day and month or as month and day. Write 2027-01-15",
  no_such_time: "names a day or time that does not exist",
  not_an_interval: "is not two ISO 8601 dates separated by a slash",
  ends_before_start: "ends before it begins",
  // measures
  not_a_measure: "is not a number with a unit",
  missing_unit: "has no unit",
  unknown_unit: "has a unit that is not known",
  zero: "is zero",
  // prices
  empty: "is empty",
  not_a_number: "is not a single number",
  negative: "is negative",
  range: "is a range of prices",
  without_tax: "is without tax, and feeds state what buyers pay. Send the price with tax",
  exponent: "is in scientific notation",
  too_precise: "has more decimals than its currency",
  too_small: "is less than the smallest amount of its currency",
  ambiguous_number: "can be read with decimals or with thousands. Set decimal_mark",
  too_large: "has more than twelve digits",
  missing_currency: "names no currency, and none is set",
  ambiguous_currency: "has a currency sign that several currencies share",
  unknown_currency: "names a currency that is not in ISO 4217",
  conflicting_currencies: "names two currencies",
  // links
  not_an_address: "is not a web address",
  relative: "is relative, and the store's address is not known. Set store_url of the source or the catalog",
  missing_scheme: "does not begin with https:// or http://",
  wrong_scheme: "is neither https nor http",
  has_credentials: "contains a user name or password",
  too_long: `is longer than ${GOOGLE_LIMITS.url.toLocaleString("en")} characters`,
} as const;

export type Invalid = { readonly kind: "invalid"; readonly reason: keyof typeof PROBLEMS };
export type Checked<Value> = { readonly kind: "valid"; readonly value: Value } | Invalid;

export function valid<Value>(value: Value): Checked<Value> {
  return { kind: "valid", value };
}

export function invalid(reason: Invalid["reason"]): Invalid {
  return { kind: "invalid", reason };
}

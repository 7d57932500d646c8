/**
 * Prices as shops write them, read into exact amounts. The digits are only ever moved as text: nothing is computed
 * in floating point and nothing is rounded, so an amount finer than its currency is refused.
 *
 * One mark followed by exactly three digits (`1,299` or `1.299`) can be read two ways. The column's known decimal
 * mark decides; without one it is a thousands mark, unless the currency itself has three or more decimals.
 */
import { currencyExponent, nameCurrency } from "./currency.ts";
import { type Checked, invalid, valid } from "./checked.ts";
import type { Money } from "./item.ts";

export type DecimalMark = "." | ",";

export type MoneyHints = {
  /** The currency of an amount that names none. */
  readonly currency?: string | undefined;
  readonly decimalMark?: DecimalMark | undefined;
};

/** Google takes twelve digits before the point; that is the limit here. */
const MAX_WHOLE_DIGITS = 12;
/** Longer than any price with its currency and spacing; what is longer is prose. */
const MAX_TEXT_LENGTH = 64;

/** The spelling most feeds use. Two decimals or none can be read one way only, whatever the decimal mark. */
const PLAIN = /^(\d{1,12})(?:\.(\d\d))?(?: ([A-Z]{3}))?$/;
const UNUSUAL_SPACES = /[\t\u00a0\u2000-\u200a\u202f]/g;
const WHOLE_AMOUNT_DASH = /^[.,](?:-{1,2}|[–—])/;
const NEGATIVE = /[-−–(]/;
const RANGE = /[-–—~]/;
const EXPONENT = /^[\d.,]+e[+-]?\d+$/i;
const DIGITS = /^\d+$/;
const AMBIGUOUS_HEAD = /^[1-9]\d{0,2}$/;
/** Thousands in threes by one kind of mark throughout, or the Indian way: `12,34,567`. */
const GROUPED = /^\d{1,3}(?:(?:\.\d{3})+|(?:,\d{3})+|(?: \d{3})+|(?:['’]\d{3})+|(?:,\d{2})+,\d{3})$/;

export function parseMoney(text: string, hints: MoneyHints): Checked<Money> {
  const plain = PLAIN.exec(text);
  if (plain === null) return parseLoosely(text, hints);
  const [, whole = "", fraction = "", code = hints.currency] = plain;
  return toMoney(whole, fraction, code);
}

export function formatMoney(money: Money): string {
  return `${money.amount} ${money.currency}`;
}

/** Negative, zero or positive, as for sorting. Amounts of two currencies have no order: asking is a bug. */
export function compareMoney(a: Money, b: Money): number {
  if (a.currency !== b.currency) throw new RangeError(`cannot compare ${a.currency} with ${b.currency}`);
  // One currency means one number of decimals, so the longer text is the larger amount.
  if (a.amount.length !== b.amount.length) return a.amount.length - b.amount.length;
  return a.amount === b.amount ? 0 : a.amount < b.amount ? -1 : 1;
}

export function isZero(money: Money): boolean {
  return money.amount.startsWith("0") && !/[1-9]/.test(money.amount);
}

function parseLoosely(text: string, hints: MoneyHints): Checked<Money> {
  const tidy = text.length > MAX_TEXT_LENGTH ? "" : text.replace(UNUSUAL_SPACES, " ").trim();
  if (tidy === "") return invalid(text.trim() === "" ? "empty" : "not_a_number");
  const parts = splitPrice(tidy);
  if (parts.kind === "invalid") return parts;
  const { before, digits, after } = parts.value;
  const currency = readCurrency(before, after, hints.currency);
  if (currency.kind === "invalid") return currency;
  const exponent = currencyExponent(currency.value);
  if (exponent === undefined) return invalid("unknown_currency");
  const at = decimalPlace(digits, hints.decimalMark, exponent);
  return at < 0
    ? toMoneyFrom(digits, "0", currency.value)
    : toMoneyFrom(digits.slice(0, at) || "0", digits.slice(at + 1), currency.value);
}

function toMoneyFrom(whole: string, fraction: string, currency: string): Checked<Money> {
  const isNumber = (DIGITS.test(whole) || GROUPED.test(whole)) && DIGITS.test(fraction);
  return isNumber ? toMoney(whole.replace(/\D/g, ""), fraction, currency) : invalid("not_a_number");
}

type Parts = { readonly before: string; readonly digits: string; readonly after: string };

/** Splits the number from the text before and after it, and refuses what is not a single amount. */
function splitPrice(text: string): Checked<Parts> {
  const first = text.search(/[.,]?\d/);
  if (first < 0) return invalid("not_a_number");
  const last = text.search(/\d\D*$/);
  const digits = text.slice(first, last + 1);
  const before = text.slice(0, first).trim();
  const after = text
    .slice(last + 1)
    .replace(WHOLE_AMOUNT_DASH, "")
    .trim();
  if (EXPONENT.test(digits)) return invalid("exponent");
  if (RANGE.test(digits)) return invalid("range");
  if (NEGATIVE.test(before)) return invalid("negative");
  return valid({ before, digits, after });
}

function readCurrency(before: string, after: string, expected: string | undefined): Checked<string> {
  if (before === "" && after === "")
    return expected === undefined ? invalid("missing_currency") : valid(expected);
  if (before === "" || after === "") return currencyNamed(before + after, expected);
  // `$19.99 CAD`: the code settles what the sign means, on either side.
  const isCodeLast = currencyExponent(after.toUpperCase()) !== undefined;
  const named = currencyNamed(isCodeLast ? after : before, expected);
  return named.kind === "invalid" ? named : confirmCurrency(named.value, isCodeLast ? before : after);
}

/** A second sign may confirm the currency that the first one named, and do nothing else. */
function confirmCurrency(currency: string, sign: string): Checked<string> {
  const other = currencyNamed(sign, currency);
  if (other.kind === "valid") return other.value === currency ? other : invalid("conflicting_currencies");
  return other.reason === "ambiguous_currency" ? invalid("conflicting_currencies") : other;
}

function currencyNamed(token: string, expected: string | undefined): Checked<string> {
  const named = nameCurrency(token, expected);
  if (named.kind === "named") return valid(named.code);
  if (named.kind === "ambiguous") return invalid("ambiguous_currency");
  return invalid(/^[a-z]{3}$/i.test(token) ? "unknown_currency" : "not_a_number");
}

/** The position of the decimal mark, or -1 when every mark groups thousands. */
function decimalPlace(digits: string, hint: DecimalMark | undefined, exponent: number): number {
  const dot = digits.lastIndexOf(".");
  const comma = digits.lastIndexOf(",");
  const at = Math.max(dot, comma);
  if (at < 0 || (dot >= 0 && comma >= 0)) return at;
  const mark = dot >= 0 ? "." : ",";
  if (digits.indexOf(mark) !== at) return -1;
  const isAmbiguous = digits.length - at === 4 && AMBIGUOUS_HEAD.test(digits.slice(0, at));
  if (!isAmbiguous) return at;
  const isDecimal = hint === undefined ? exponent >= 3 : hint === mark;
  return isDecimal ? at : -1;
}

function toMoney(whole: string, fraction: string, currency: string | undefined): Checked<Money> {
  if (currency === undefined) return invalid("missing_currency");
  const exponent = currencyExponent(currency);
  if (exponent === undefined) return invalid("unknown_currency");
  const amount = whole.length > 1 && whole.startsWith("0") ? whole.replace(/^0+(?=\d)/, "") : whole || "0";
  if (amount.length > MAX_WHOLE_DIGITS) return invalid("too_large");
  // Zeros past the last decimal of the currency say nothing; any other digit there would have to be rounded away.
  if (fraction.length > exponent && /[1-9]/.test(fraction.slice(exponent))) return invalid("too_precise");
  if (exponent === 0) return valid({ amount, currency });
  return valid({ amount: `${amount}.${fraction.slice(0, exponent).padEnd(exponent, "0")}`, currency });
}

/**
 * Prices as shops write them, read into exact amounts. The digits are only ever moved as text: nothing is computed
 * in floating point. An amount finer than its currency is rounded half up, and says so.
 *
 * One mark followed by exactly three digits (`1,299` or `1.299`) can be read two ways, a thousand times apart. The
 * known decimal mark decides, then the currency (`markByCurrency`). Without either the amount is refused.
 */
import { currencyExponent, isWholeInPractice, nameCurrency } from "./currency.ts";
import { type Checked, type Invalid, invalid, valid } from "./checked.ts";
import { asciiDigits, type DecimalMark, roundHalfUp } from "./decimal.ts";
import type { Money } from "./item.ts";
import { wordKey } from "./words.ts";
import stockUnits from "./vocabulary/stock-units.json" with { type: "json" };
import taxNotes from "./vocabulary/tax-notes.json" with { type: "json" };

export type MoneyHints = {
  /** The currency of an amount that names none. */
  readonly currency?: string | undefined;
  readonly decimalMark?: DecimalMark | undefined;
};

export type CheckedMoney =
  | Invalid
  /** `isRounded`: the text has more decimals than its currency. */
  | { readonly kind: "valid"; readonly value: Money; readonly isRounded?: true };

/** Google takes twelve digits before the point; that is the limit here. */
const MAX_WHOLE_DIGITS = 12;
/** Longer than any price with its currency and spacing; what is longer is prose. */
const MAX_TEXT_LENGTH = 64;

/** The spelling most feeds use. Two decimals or none can be read one way only, whatever the decimal mark. */
const PLAIN = /^(\d{1,12})(?:\.(\d\d))?(?: ([A-Z]{3}))?$/;
const UNUSUAL_SPACES = /[\t\u00a0\u2000-\u200a\u202f]/g;
/** Marks that only set the direction of writing, as in Arabic and Hebrew. */
const DIRECTIONS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;
/** `199,-`, `199.–` and the Swedish `199:-`. */
const WHOLE_AMOUNT_DASH = /^ ?[.,:](?:-{1,2}|[–—])/;
const NEGATIVE = /[-−–(]/;
const RANGE = /[-–—~]/;
const EXPONENT = /^[\d.,]+e[+-]?\d+$/i;
const DIGITS = /^\d+$/;
const AMBIGUOUS = /^([1-9]\d{0,2})([.,])(\d{3})$/;
const SPACED = /\d[ '’]\d/;
/** Thousands in threes by one kind of mark throughout, or the Indian way: `12,34,567`. */
const GROUPED = /^\d{1,3}(?:(?:\.\d{3})+|(?:,\d{3})+|(?: \d{3})+|(?:['’]\d{3})+|(?:,\d{2})+,\d{3})$/;

/**
 * "inkl. MwSt.", "TTC", "税込": the price is the one that buyers pay. A price with a note that tax is to be added is
 * refused.
 */
const TAX_INCLUDED = noteKeys(taxNotes.included);
const TAX_EXCLUDED = noteKeys(taxNotes.excluded);

const PIECES: ReadonlySet<string> = new Set(stockUnits.pieces.map(wordKey));

export function parseMoney(text: string, hints: MoneyHints): CheckedMoney {
  const plain = PLAIN.exec(text);
  if (plain === null) return parseLoosely(text, hints);
  const [, whole = "", fraction = "", code = hints.currency] = plain;
  // RUR is not in the list of currencies; it is another name of the ruble.
  if (code !== undefined && currencyExponent(code) === undefined) return parseLoosely(text, hints);
  return toMoney(whole, fraction, code);
}

export function formatMoney(money: Money): string {
  return `${money.amount} ${money.currency}`;
}

/**
 * A plain number with a point, so that it is read as that number whatever the decimal mark: a fourth decimal decides.
 */
export function unambiguous(number: string): string {
  return /^\d{1,3}\.\d{3}$/.test(number) ? `${number}0` : number;
}

/**
 * Returns a negative number, zero or a positive number, as for sorting. Amounts of two currencies have no order: asking
 * is a bug.
 */
export function compareMoney(a: Money, b: Money): number {
  if (a.currency !== b.currency) throw new RangeError(`cannot compare ${a.currency} with ${b.currency}`);
  // Amounts of one currency have the same number of decimals, so the longer text is the larger amount.
  if (a.amount.length !== b.amount.length) return a.amount.length - b.amount.length;
  return a.amount === b.amount ? 0 : a.amount < b.amount ? -1 : 1;
}

export function isZero(money: Money): boolean {
  return money.amount.startsWith("0") && !/[1-9]/.test(money.amount);
}

function parseLoosely(text: string, hints: MoneyHints): CheckedMoney {
  const amount = readAmount(text, hints.currency);
  if (amount.kind === "invalid") return amount;
  const { digits, currency } = amount.value;
  if (!digits.isAmbiguous) return toMoney(digits.whole, digits.fraction, currency);
  const mark = hints.decimalMark ?? markByCurrency(digits.mark, currency);
  if (mark === null) return invalid("ambiguous_number");
  return mark === digits.mark
    ? toMoney(digits.whole, digits.fraction, currency)
    : toMoney(digits.whole + digits.fraction, "", currency);
}

/** The price in ASCII digits. The Arabic decimal mark has one meaning, and so has the Arabic mark between thousands. */
function tidyPrice(text: string): string {
  const spaced = text.replace(UNUSUAL_SPACES, " ").trim();
  if (!/[^\0-\x7f]/.test(spaced)) return spaced;
  const halfWidth = spaced.replaceAll("（", "(").replaceAll("）", ")");
  const plain = asciiDigits(halfWidth.replace(DIRECTIONS, "").replaceAll("٬", ""));
  return plain
    .replace(/٫(\d{1,20})/, (_, fraction: string) => `.${fraction.length === 3 ? `${fraction}0` : fraction}`)
    .trim();
}

/** A price before it is known which mark is the decimal mark. */
export type Amount = { readonly digits: Digits; readonly currency: string };

export function readAmount(text: string, expectedCurrency: string | undefined): Checked<Amount> {
  const tidy = text.length > MAX_TEXT_LENGTH ? "" : tidyPrice(text);
  if (tidy === "") return invalid(text.trim() === "" ? "empty" : "not_a_number");
  const parts = splitPrice(tidy);
  if (parts.kind === "invalid") return parts;
  const currency = readCurrency(parts.value.before, parts.value.after, expectedCurrency);
  if (currency.kind === "invalid") return currency;
  if (currencyExponent(currency.value) === undefined) return invalid("unknown_currency");
  const digits = splitDigits(parts.value.digits);
  return digits === undefined ? invalid("not_a_number") : valid({ digits, currency: currency.value });
}

/** A number split at its decimal mark; without any mark except between thousands, `whole` has all digits. */
export type Digits =
  | {
      readonly isAmbiguous: false;
      readonly whole: string;
      readonly fraction: string;
      /** The decimal mark that this number shows: it has one, or groups thousands by the other mark. */
      readonly shows: DecimalMark | null;
      /** Spaces or apostrophes separate the thousands. */
      readonly isSpaced: boolean;
    }
  /** One to three digits, a mark, three digits: the mark is the decimal mark or separates thousands. */
  | {
      readonly isAmbiguous: true;
      readonly whole: string;
      readonly fraction: string;
      readonly mark: DecimalMark;
    };

function splitDigits(digits: string): Digits | undefined {
  const [, head, sign, tail] = AMBIGUOUS.exec(digits) ?? [];
  if (head !== undefined && tail !== undefined)
    return { isAmbiguous: true, whole: head, fraction: tail, mark: sign === "," ? "," : "." };
  const at = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","));
  if (at < 0) return splitNumber(digits, "0", null);
  const mark = digits.charAt(at) === "," ? "," : ".";
  if (digits.indexOf(mark) < at) return splitNumber(digits, "0", otherMark(mark));
  return splitNumber(digits.slice(0, at) || "0", digits.slice(at + 1), mark);
}

function splitNumber(whole: string, fraction: string, shows: DecimalMark | null): Digits | undefined {
  const isNumber = (DIGITS.test(whole) || GROUPED.test(whole)) && DIGITS.test(fraction);
  if (!isNumber) return undefined;
  return {
    isAmbiguous: false,
    whole: whole.replace(/\D/g, ""),
    fraction,
    shows,
    isSpaced: SPACED.test(whole),
  };
}

export const otherMark = (mark: DecimalMark): DecimalMark => (mark === "." ? "," : ".");

/** Returns true if the price can be read only with a known decimal mark. */
export function isAmbiguousPrice(text: string): boolean {
  if (text.length > MAX_TEXT_LENGTH || !/[.,]\p{Nd}{3}(?!\p{Nd})/u.test(text)) return false;
  const parts = splitPrice(tidyPrice(text));
  return parts.kind === "valid" && splitDigits(parts.value.digits)?.isAmbiguous === true;
}

/**
 * Returns the decimal mark of an ambiguous amount if its currency leaves one reading. Prices in yen have no decimals.
 * Prices in dinars have three, and the point is how feeds write them; a comma is either.
 */
function markByCurrency(mark: DecimalMark, currency: string): DecimalMark | null {
  if (isWholeInPractice(currency)) return otherMark(mark);
  return mark === "." && (currencyExponent(currency) ?? 0) >= 3 ? mark : null;
}

type NumberParts = { readonly before: string; readonly digits: string; readonly after: string };

/** Splits the number from the text before and after it, and refuses what is not a single amount. */
function splitPrice(text: string): Checked<NumberParts> {
  const first = firstDigit(text);
  if (first < 0) return invalid("not_a_number");
  const last = text.search(/\d\D*$/);
  const rest = text.slice(last + 1);
  const isWhole = WHOLE_AMOUNT_DASH.test(rest);
  const digits = isWhole ? withoutDecimals(text.slice(first, last + 1)) : text.slice(first, last + 1);
  const lead = text.slice(0, first).trim();
  const trail = rest.replace(WHOLE_AMOUNT_DASH, "").trim();
  if (hasTaxNote(lead, TAX_EXCLUDED) || hasTaxNote(trail, TAX_EXCLUDED)) return invalid("without_tax");
  const before = withoutTaxNote(lead, TAX_INCLUDED);
  const after = withoutPiece(withoutTaxNote(trail, TAX_INCLUDED));
  if (EXPONENT.test(digits)) return invalid("exponent");
  if (RANGE.test(digits)) return invalid("range");
  if (NEGATIVE.test(before)) return invalid("negative");
  return valid({ before, digits, after });
}

/**
 * Returns where the number begins. The point of an abbreviation (`Rs.99`) is not a decimal point; after a code
 * (`EUR.99`) it is.
 */
function firstDigit(text: string): number {
  const first = text.search(/[.,]?\d/);
  const before = text.slice(0, Math.max(first, 0));
  const isAbbreviation = text.charAt(first) === "." && /\p{L}$/u.test(before);
  return isAbbreviation && currencyExponent(before.toUpperCase()) === undefined ? first + 1 : first;
}

/** A dash stands for the decimals (`1.299,-`), so a mark in the digits separates thousands. */
function withoutDecimals(digits: string): string {
  if (digits.includes(".")) return `${digits},00`;
  return digits.includes(",") ? `${digits}.00` : digits;
}

function noteKeys(notes: Readonly<Record<string, readonly string[]>>): ReadonlySet<string> {
  return new Set(Object.values(notes).flat().map(wordKey));
}

/**
 * The text without a note about tax, which is before the sign of a currency (`税込 ¥`) or after it and then begins at a
 * letter, a plus or a bracket: `€ inkl. MwSt.`, `円(税込)`. The sign is never a part of the note: it would be lost.
 */
function withoutTaxNote(text: string, notes: ReadonlySet<string>): string {
  if (text.length < 2) return text;
  const sign = text.search(/\p{Sc}/u);
  if (sign > 0 && notes.has(wordKey(text.slice(0, sign)))) return text.slice(sign);
  for (const { index } of text.matchAll(/[\p{L}(+]/gu))
    if (index > sign && notes.has(wordKey(text.slice(index))))
      return text.slice(0, index).replace(/[ ,(*/]{1,3}$/, "");
  return text;
}

function hasTaxNote(text: string, notes: ReadonlySet<string>): boolean {
  return withoutTaxNote(text, notes) !== text;
}

/** The text without "per piece", as in `₽ /шт` or `zł/szt.`. Any other unit is the price of another quantity. */
function withoutPiece(text: string): string {
  const [note, unit = ""] = /\/ ?([\p{L}.]{1,12})$/u.exec(text) ?? [];
  return note !== undefined && PIECES.has(wordKey(unit)) ? text.slice(0, -note.length).trim() : text;
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

function toMoney(whole: string, fraction: string, currency: string | undefined): CheckedMoney {
  if (currency === undefined) return invalid("missing_currency");
  const exponent = currencyExponent(currency);
  if (exponent === undefined) return invalid("unknown_currency");
  const amount = whole.length > 1 && whole.startsWith("0") ? whole.replace(/^0+(?=\d)/, "") : whole || "0";
  if (amount.length > MAX_WHOLE_DIGITS) return invalid("too_large");
  // Zeros past the last decimal of the currency say nothing; any other digit there has to be rounded away.
  if (fraction.length > exponent && /[1-9]/.test(fraction.slice(exponent)))
    return roundedMoney(`${amount}.${fraction.slice(0, exponent + 1)}`, exponent, currency);
  if (exponent === 0) return valid({ amount, currency });
  return valid({ amount: `${amount}.${fraction.slice(0, exponent).padEnd(exponent, "0")}`, currency });
}

/** An amount must not become free by rounding, so one below half of the smallest coin is refused. */
function roundedMoney(number: string, exponent: number, currency: string): CheckedMoney {
  const value = { amount: roundHalfUp(number, exponent), currency };
  if (isZero(value)) return invalid("too_small");
  const isTooLarge = value.amount.split(".", 1).join("").length > MAX_WHOLE_DIGITS;
  return isTooLarge ? invalid("too_large") : { kind: "valid", value, isRounded: true };
}

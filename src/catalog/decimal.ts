/**
 * Plain decimal numbers as text: weights, ratings, counts. Exact, never floating point; one canonical spelling
 * (`1.50` becomes `1.5`). A comma before exactly three digits could be a thousands mark: without knowing the
 * column's decimal mark such a number is refused rather than read wrong by a factor of a thousand.
 */
import { trimEndOf } from "../lib/trim-text.ts";

export type DecimalMark = "." | ",";

/** Arabic-Indic, Persian, Devanagari and full-width digits; each list begins with its zero. */
const OTHER_DIGITS = /[٠-٩۰-۹०-९０-９]/gu;
const ZEROS = ["٠", "۰", "०", "０"].map((zero) => zero.charCodeAt(0));

/** The text with the digits 0 to 9 in place of those of other scripts. */
export function asciiDigits(text: string): string {
  return text.replace(OTHER_DIGITS, (digit) => {
    const code = digit.charCodeAt(0);
    return String(code - (ZEROS.find((zero) => code >= zero && code <= zero + 9) ?? code));
  });
}

/** Allows for rounding errors of floating point in exports: `4.666666666666667`. */
const DECIMAL = /^(\d{0,12})(?:([.,])(\d{1,20}))?$/;
/** Two different marks leave one reading: the first separates thousands, and the other one decimals. */
const GROUPED_INTEGER = /^[+-]?[1-9]\d{0,2}(?:(?:\.\d{3})+,0{1,6}|(?:,\d{3})+\.0{1,6})$/;
const INTEGER = /^([+-]?)0*(\d{1,9})(?:[.,]0+)?$/;

/** The canonical spelling of a number that is not negative, or undefined. */
export function parseDecimal(text: string, hint?: DecimalMark): string | undefined {
  const parts = text === "" ? null : DECIMAL.exec(text);
  if (parts === null) return undefined;
  const [, whole = "", mark, fraction = ""] = parts;
  const mayGroup = fraction.length === 3 && !/^0*$/.test(whole);
  if (!mayGroup || mark === (hint ?? ".")) return canonical(whole, fraction);
  return hint === undefined ? undefined : canonical(whole + fraction, "");
}

/** A whole number of at most nine digits; `12.0` and `26.067,00` count, `12.5` does not. */
export function parseInteger(text: string): number | undefined {
  const parts = INTEGER.exec(
    GROUPED_INTEGER.test(text) ? text.replace(/[.,]0+$/, "").replace(/[.,]/g, "") : text,
  );
  if (parts === null) return undefined;
  const magnitude = Number(parts[2]);
  return parts[1] === "-" && magnitude !== 0 ? -magnitude : magnitude;
}

/** Moves the decimal point by `places`: to the right when positive. */
export function shiftDecimal(value: string, places: number): string {
  if (places === 0) return value;
  const [whole = "", fraction = ""] = value.split(".");
  if (places > 0) {
    const padded = fraction.padEnd(places, "0");
    return canonical(whole + padded.slice(0, places), padded.slice(places));
  }
  const padded = whole.padStart(1 - places, "0");
  return canonical(padded.slice(0, places), padded.slice(places) + fraction);
}

function canonical(whole: string, fraction: string): string {
  const head = whole.startsWith("0") ? whole.replace(/^0+(?=\d)/, "") : whole || "0";
  const tail = trimEndOf(fraction, /0/);
  return tail === "" ? head : `${head}.${tail}`;
}

/**
 * The plain number with exactly so many decimals, halves up, as shops round what they show. Other texts stay as they
 * are.
 */
export function roundHalfUp(value: string, places: number): string {
  const tenths = scaled(value.trim(), places + 1);
  return tenths === undefined ? value : unscaled((tenths + 5n) / 10n, places);
}

/** The plain number in units of 10^-places, for exact arithmetic; finer decimals are cut. Undefined for other texts. */
export function scaled(value: string, places: number): bigint | undefined {
  const parts = /^(\d{1,20})(?:\.(\d{1,30}))?$/.exec(value);
  if (parts === null) return undefined;
  const [, whole = "", fraction = ""] = parts;
  return BigInt(whole + fraction.slice(0, places).padEnd(places, "0"));
}

/** The inverse of `scaled`: with exactly so many decimals. */
export function unscaled(amount: bigint, places: number): string {
  const digits = amount.toString().padStart(places + 1, "0");
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** Whether the text is a zero, with or without decimals. */
export function isZeroDecimal(value: string | undefined): boolean {
  return value !== undefined && /^0+(?:[.,]0*)?$/.test(value);
}

/**
 * Trade item numbers. A value is a GTIN only when it has 8, 12, 13 or 14 digits and the right check digit; what a
 * spreadsheet has damaged is recognized and refused, never restored by guessing. An ISBN-10 is another spelling of a
 * GTIN and is rewritten. A zero-suppressed UPC-E is not expanded: its eight digits may as well be a shop's own number,
 * and one such number in ten has the right check digit by chance. Ranges: GS1 General Specifications, prefixes for
 * restricted circulation and coupons.
 */

/** Why a text is not a GTIN, as the end of a sentence that names it. */
export const GTIN_PROBLEMS = {
  not_digits: "has characters other than digits",
  spreadsheet_damage: "is in scientific notation: a spreadsheet has cut it",
  lost_zero: "has 11 digits: it seems to have lost a leading zero",
  wrong_length: "does not have 8, 12, 13 or 14 digits",
  wrong_check_digit: "has a wrong check digit",
  placeholder: "is a placeholder",
} as const;
export type GtinProblem = keyof typeof GTIN_PROBLEMS;

/** Unusual properties of a number with a valid check digit. Feeds may omit such a number. */
export const GTIN_NOTES = {
  restricted: "is from a range for use inside one shop",
  coupon: "is from a range for coupons",
  variable_measure: "names goods of variable measure",
} as const;
export type GtinNote = keyof typeof GTIN_NOTES;

export type CheckedGtin =
  | { readonly kind: "valid"; readonly gtin: string; readonly note?: GtinNote }
  | { readonly kind: "invalid"; readonly reason: GtinProblem };

/** Runs of digits that people type to fill a field; some of them have a right check digit by chance. */
const COUNTED_UP = new Set([
  "12345670",
  "123456789012",
  "012345678905",
  "1234567890128",
  "0123456789012",
  "12345678901231",
  "01234567890128",
]);

const CLEAN = /^\d+$/;
const ALL_EQUAL = /^(\d)\1*$/;
const ISBN_10 = /^\d{9}[\dXx]$/;
const SCIENTIFIC = /^\d(?:[.,]\d+)?e\+?\d+$/i;
const SEPARATORS = /[\s\-‐‑‒–]/g;
/** `="0123"` and `'0123` keep a spreadsheet from damaging a number; `.0` is what a float column adds to one. */
const WRAPPING = /^(?:="([^"]*)"|'?(.*?)(?:\.0)?)$/;
const LONGEST_TEXT = 40;

export function checkGtin(text: string): CheckedGtin {
  if (CLEAN.test(text)) return checkDigits(text);
  const trimmed = text.trim();
  if (trimmed.length > LONGEST_TEXT) return { kind: "invalid", reason: "not_digits" };
  if (SCIENTIFIC.test(trimmed)) return { kind: "invalid", reason: "spreadsheet_damage" };
  const unwrapped = WRAPPING.exec(trimmed);
  const digits = (unwrapped?.[1] ?? unwrapped?.[2] ?? "").replace(SEPARATORS, "");
  if (CLEAN.test(digits) || ISBN_10.test(digits)) return checkDigits(digits);
  return { kind: "invalid", reason: "not_digits" };
}

/** The note on a GTIN known to be valid, for a renderer that must leave such numbers out. */
export function gtinNote(gtin: string): GtinNote | undefined {
  if (gtin.length === 8) return /^[02]/.test(gtin) ? "restricted" : undefined;
  if (gtin.length === 14 && gtin.startsWith("9")) return "variable_measure";
  const thirteen = gtin.length === 14 ? gtin.slice(1) : gtin.padStart(13, "0");
  if (/^(?:2|02|04)/.test(thirteen)) return "restricted";
  return /^(?:98|99|05)/.test(thirteen) ? "coupon" : undefined;
}

/** How a number is handled, by its number of digits. */
const BY_LENGTH: ReadonlyMap<number, (digits: string) => CheckedGtin> = new Map([
  [8, checkWhole],
  [10, checkIsbn10],
  [11, checkEleven],
  [12, checkWhole],
  [13, checkWhole],
  [14, checkWhole],
]);

function checkDigits(digits: string): CheckedGtin {
  const check = BY_LENGTH.get(digits.length);
  if (check === undefined) return { kind: "invalid", reason: "wrong_length" };
  if (ALL_EQUAL.test(digits) || COUNTED_UP.has(digits)) return { kind: "invalid", reason: "placeholder" };
  return check(digits);
}

function checkWhole(digits: string): CheckedGtin {
  return hasCheckDigit(digits) ? accepted(digits) : { kind: "invalid", reason: "wrong_check_digit" };
}

function checkEleven(digits: string): CheckedGtin {
  return { kind: "invalid", reason: hasCheckDigit(digits) ? "lost_zero" : "wrong_length" };
}

function accepted(gtin: string): CheckedGtin {
  const note = gtinNote(gtin);
  return note === undefined ? { kind: "valid", gtin } : { kind: "valid", gtin, note };
}

function checkIsbn10(isbn: string): CheckedGtin {
  let sum = 0;
  for (let i = 0; i < 10; i++) {
    const char = isbn.charAt(i);
    sum += (10 - i) * (char === "X" || char === "x" ? 10 : Number(char));
  }
  if (sum % 11 !== 0) return { kind: "invalid", reason: "wrong_length" };
  const body = `978${isbn.slice(0, 9)}`;
  return accepted(body + checkDigitOf(body));
}

function hasCheckDigit(digits: string): boolean {
  const last = digits.length - 1;
  return checkDigitOf(digits.slice(0, last)) === digits.charAt(last);
}

/** From the right, weights 3, 1, 3, 1 …; the check digit brings the sum to a multiple of ten. */
export function checkDigitOf(body: string): string {
  let sum = 0;
  for (let i = body.length - 1, weight = 3; i >= 0; i--, weight = 4 - weight) {
    sum += weight * (body.charCodeAt(i) - 48);
  }
  return String((10 - (sum % 10)) % 10);
}

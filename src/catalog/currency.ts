/** Currencies: their codes, and the signs and words for them. */
import { CURRENCIES } from "../lib/iso-codes.ts";
import withdrawn from "./vocabulary/withdrawn-currencies.json" with { type: "json" };
import signs from "./vocabulary/currency-signs.json" with { type: "json" };

/** Only upper case is recognized: callers convert outside text first. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code);
}

/** Returns the number of digits after the decimal point, or undefined if the code is not a currency. */
export function currencyExponent(code: string): number | undefined {
  return CURRENCIES.get(code);
}

type Withdrawn = { readonly successor: string; readonly year: number; readonly rate?: string };
const WITHDRAWN: ReadonlyMap<string, Withdrawn> = new Map(Object.entries<Withdrawn>(withdrawn));

/**
 * Says which code replaced a withdrawn one, as the end of a sentence that names the code or the price. Amounts are
 * never converted: the file may have new amounts under the old code. Rates of the euro are those of Council Regulation
 * (EC) No 2866/98, with its amendments.
 */
export function withdrawnCurrency(code: string): string | undefined {
  const found = WITHDRAWN.get(code.toUpperCase());
  if (found === undefined) return undefined;
  const { successor, year, rate } = found;
  const ratio = rate === undefined ? "" : ` (1 ${successor} was ${rate} ${code.toUpperCase()})`;
  return `was withdrawn; ${successor} replaced it in ${year}${ratio}. Prices are not converted: send amounts in ${successor}, with that code`;
}

/**
 * Currencies with decimals in ISO 4217 that no shop uses: a thousand of them buy less than half a US dollar, so nothing
 * costs a fraction of one.
 */
const WHOLE_IN_PRACTICE: ReadonlySet<string> = new Set(
  "COP IDR IQD IRR KHR LAK LBP MGA MMK MNT TZS UZS".split(" "),
);

/** Returns true if prices in the currency have no decimals, by ISO 4217 or because no shop uses them. */
export function isWholeInPractice(code: string): boolean {
  return currencyExponent(code) === 0 || WHOLE_IN_PRACTICE.has(code);
}

/** Signs and words that mean one currency everywhere, in capitals and without a point at the end. */
const CLEAR_SIGNS: ReadonlyMap<string, string> = new Map(
  Object.entries(signs.clear).flatMap(([code, list]) => list.map((sign): [string, string] => [sign, code])),
);

/**
 * Signs that several currencies share. They only confirm a currency named elsewhere; alone they name none. A sign that
 * is clear for most is here too where a shop that names another currency prices with it: `£` in Egypt.
 */
const SHARED_SIGNS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(signs.shared).map(([sign, codes]) => [sign, new Set(codes.split(" "))]),
);

export type NamedCurrency =
  | { readonly kind: "named"; readonly code: string }
  /** Several currencies share the sign, and the currency expected here is not among them. */
  | { readonly kind: "ambiguous" }
  | { readonly kind: "unknown" };

/**
 * Finds the currency that a code, sign or word beside an amount means. `expected` is the currency of the place where
 * the text was found; it settles shared signs and nothing else, so `$` in a euro catalog stays ambiguous.
 */
export function nameCurrency(token: string, expected: string | undefined): NamedCurrency {
  const folded = token.toUpperCase();
  if (CURRENCIES.has(folded)) return { kind: "named", code: folded };
  const sign = folded.endsWith(".") ? folded.slice(0, -1) : folded;
  const shared = SHARED_SIGNS.get(sign);
  if (expected !== undefined && shared?.has(expected)) return { kind: "named", code: expected };
  const clear = CLEAR_SIGNS.get(sign);
  if (clear !== undefined) return { kind: "named", code: clear };
  return shared === undefined ? { kind: "unknown" } : { kind: "ambiguous" };
}

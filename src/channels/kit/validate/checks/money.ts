/** Money as OpenAI and Google ask for it: `18.00 USD`, with all the decimals of its currency or none. */
import { currencyExponent } from "../../../../catalog/currency.ts";

export type WrittenMoney = { readonly amount: string; readonly currency: string };

/**
 * What is wrong with an amount, as the end of a sentence. `precision`: more decimals than the currency has. `short`:
 * fewer, and not none.
 */
export type MoneyFault = {
  readonly kind: "format" | "currency" | "precision" | "short";
  readonly description: string;
};

export type ReadMoney = { readonly money?: WrittenMoney; readonly fault?: MoneyFault };

const MONEY = /^(0|[1-9]\d*)(?:\.(\d+))? ([A-Z]{3})$/;

/** Why a text is not an amount; the first that fits is reported. */
const LIKELY: readonly (readonly [RegExp, string])[] = [
  [/^[\d.,]+$/, "names no currency"],
  [/[$€£¥₹]/, "has a currency sign instead of an ISO 4217 code"],
  [/^-/, "is negative"],
  [/\d,\d/, "has a comma; the decimal mark is a point and thousands have none"],
  [/\d[eE][+-]?\d/, "is in scientific notation"],
  [/^\d[\d.]* ?[a-z]{3}$/, "has its currency in lower case"],
  [/^[A-Za-z]{3} ?\d/, "has its currency before the amount"],
  [/^\d[\d.]*[A-Za-z]{3}$/, "has no space between amount and currency"],
  [/^0\d/, "begins with a zero too many"],
];

export function readMoney(text: string): ReadMoney {
  const parts = MONEY.exec(text);
  if (parts === null) return { fault: { kind: "format", description: likelyFault(text) } };
  const [, whole = "", fraction, currency = ""] = parts;
  const exponent = currencyExponent(currency);
  if (exponent === undefined)
    return { fault: { kind: "currency", description: "names a currency that is not in ISO 4217" } };
  const amount = fraction === undefined ? whole : `${whole}.${fraction}`;
  const money = { amount, currency };
  const fault = decimalsFault(fraction?.length ?? 0, exponent, currency);
  return fault === undefined ? { money } : { money, fault };
}

/** The amount of a text that may be absent or not an amount. */
export function moneyIn(text: string | undefined): WrittenMoney | undefined {
  return text === undefined ? undefined : readMoney(text).money;
}

/** All the decimals of the currency, or none. */
function decimalsFault(decimals: number, exponent: number, currency: string): MoneyFault | undefined {
  if (decimals === exponent || decimals === 0) return undefined;
  if (decimals < exponent)
    return { kind: "short", description: `has ${decimals} of the ${exponent} decimals of ${currency}` };
  const description =
    exponent === 0
      ? `has decimals, and ${currency} has none`
      : `has more than the ${exponent} decimals of ${currency}`;
  return { kind: "precision", description };
}

function likelyFault(text: string): string {
  return LIKELY.find(([pattern]) => pattern.test(text))?.[1] ?? "is not an amount like `18.00 USD`";
}

const DECIMAL = /^\d+(?:\.\d+)?$/;

export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

export function isPositiveDecimal(text: string): boolean {
  return isDecimal(text) && /[1-9]/.test(text);
}

/** Negative, zero or positive, as for sorting; both must be decimals. */
export function compareDecimals(a: string, b: string): number {
  const [wholeA, fractionA] = parts(a);
  const [wholeB, fractionB] = parts(b);
  if (wholeA.length !== wholeB.length) return wholeA.length - wholeB.length;
  if (wholeA !== wholeB) return wholeA < wholeB ? -1 : 1;
  const places = Math.max(fractionA.length, fractionB.length);
  const [restA, restB] = [fractionA.padEnd(places, "0"), fractionB.padEnd(places, "0")];
  if (restA === restB) return 0;
  return restA < restB ? -1 : 1;
}

function parts(decimal: string): readonly [string, string] {
  const point = decimal.indexOf(".");
  const whole = point === -1 ? decimal : decimal.slice(0, point);
  return [whole.replace(/^0+(?=\d)/, ""), point === -1 ? "" : decimal.slice(point + 1)];
}

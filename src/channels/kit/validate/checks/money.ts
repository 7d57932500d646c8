/** Money as OpenAI and Google ask for it: `18.00 USD`, with all the decimals of its currency or none. */
import { currencyExponent } from "../../../../catalog/currency.ts";

export type WrittenMoney = { readonly amount: string; readonly currency: string };

/**
 * What is wrong with an amount, as the end of a sentence. `precision`: more decimals than the currency has. `short`:
 * fewer, and not none.
 */
export type MoneyFault = {
  readonly kind: "format" | "currency" | "precision" | "short";
  readonly says: string;
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
  if (parts === null) return { fault: { kind: "format", says: likelyFault(text) } };
  const [, whole = "", fraction, currency = ""] = parts;
  const exponent = currencyExponent(currency);
  if (exponent === undefined)
    return { fault: { kind: "currency", says: "names a currency that is not in ISO 4217" } };
  const amount = fraction === undefined ? whole : `${whole}.${fraction}`;
  const money = { amount, currency };
  const fault = decimalsFault(fraction?.length ?? 0, exponent, currency);
  return fault === undefined ? { money } : { money, fault };
}

/** All the decimals of the currency, or none. */
function decimalsFault(decimals: number, exponent: number, currency: string): MoneyFault | undefined {
  if (decimals === exponent || decimals === 0) return undefined;
  if (decimals < exponent)
    return { kind: "short", says: `has ${decimals} of the ${exponent} decimals of ${currency}` };
  const says =
    exponent === 0
      ? `has decimals, and ${currency} has none`
      : `has more than the ${exponent} decimals of ${currency}`;
  return { kind: "precision", says };
}

function likelyFault(text: string): string {
  return LIKELY.find(([pattern]) => pattern.test(text))?.[1] ?? "is not an amount like `18.00 USD`";
}

/** Exact fractions. What formulas compute is rounded once, at the end, and never passes through a floating-point number. */
import { unscaled } from "../../catalog/decimal.ts";

/** The denominator is positive. */
export type Fraction = { readonly numerator: bigint; readonly denominator: bigint };

const PLAIN_NUMBER = /^(-?)(\d*)(?:\.(\d+))?$/;

export const whole = (number: bigint): Fraction => ({ numerator: number, denominator: 1n });

/** The number, which has a decimal point if it has decimals; undefined for other texts. */
export function fractionOf(text: string): Fraction | undefined {
  const [, sign, integer = "", decimals = ""] = PLAIN_NUMBER.exec(text) ?? [];
  if (sign === undefined || integer + decimals === "") return undefined;
  const magnitude = BigInt(integer + decimals);
  return { numerator: sign === "-" ? -magnitude : magnitude, denominator: 10n ** BigInt(decimals.length) };
}

export const add = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.denominator + b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
});
export const negated = ({ numerator, denominator }: Fraction): Fraction => ({
  numerator: -numerator,
  denominator,
});
export const subtract = (a: Fraction, b: Fraction): Fraction => add(a, negated(b));
export const multiply = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
});

/** Undefined for a division by zero. */
export function divide(a: Fraction, b: Fraction): Fraction | undefined {
  if (b.numerator === 0n) return undefined;
  const result = { numerator: a.numerator * b.denominator, denominator: a.denominator * b.numerator };
  return result.denominator > 0n
    ? result
    : { numerator: -result.numerator, denominator: -result.denominator };
}

export const isLess = (a: Fraction, b: Fraction): boolean => subtract(a, b).numerator < 0n;

/** The greatest whole number that is not above the fraction. */
function floor({ numerator, denominator }: Fraction): bigint {
  const quotient = numerator / denominator;
  return numerator < 0n && quotient * denominator !== numerator ? quotient - 1n : quotient;
}

export type Direction = "nearest" | "up" | "down";

const HALF: Fraction = { numerator: 1n, denominator: 2n };

function roundWhole(value: Fraction, direction: Direction): bigint {
  if (direction === "up") return -floor(negated(value));
  return floor(direction === "down" ? value : add(value, HALF));
}

/** The number of the form `ending + n * step` that the direction leads to; of two that are equally near, the higher one. */
export function roundTo(
  value: Fraction,
  {
    step,
    ending,
    direction,
  }: { readonly step: Fraction; readonly ending: Fraction; readonly direction: Direction },
): Fraction {
  const steps = divide(subtract(value, ending), step);
  if (steps === undefined) throw new Error("a step of zero");
  return add(multiply(whole(roundWhole(steps, direction)), step), ending);
}

/** With exactly so many decimals, halves up. */
export function fixedText(value: Fraction, places: number): string {
  const amount = roundWhole(multiply(value, whole(10n ** BigInt(places))), "nearest");
  return amount < 0n ? `-${unscaled(-amount, places)}` : unscaled(amount, places);
}

/** With at most two decimals, halves up: `12.5`. */
export function shortText(value: Fraction): string {
  const text = fixedText(value, 2).replace(/\.00$|0$/, "");
  return text === "-0" ? "0" : text;
}

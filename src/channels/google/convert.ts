/** Measures in other units, exactly: digits are moved and multiplied as whole numbers, nothing is rounded. */
import { shiftDecimal } from "../../catalog/decimal.ts";
import type { Measure } from "../../catalog/item.ts";
import type { Conversion } from "./units.ts";

export function convert<Unit extends string>(
  value: string,
  { unit, factor, shift }: Conversion<Unit>,
): Measure<Unit> {
  if (factor === 1n) return { value: shift === 0 ? value : shiftDecimal(value, shift), unit };
  const decimals = decimalsOf(value);
  const whole = BigInt(shiftDecimal(value, decimals)) * factor;
  return { value: shiftDecimal(String(whole), shift - decimals), unit };
}

export function decimalsOf(value: string): number {
  const point = value.indexOf(".");
  return point === -1 ? 0 : value.length - point - 1;
}

/** Numbers, amounts, measures and times as values that can be compared. */
import type { RuleField } from "./fields.ts";
import { ownValue } from "../../lib/own-value.ts";

/** Quantities of two units have no order. */
export type Quantity = {
  readonly value: number;
  /** Undefined: whatever unit the other one has. */
  readonly unit: string | undefined;
};

/** Units of weight in grams and of length in millimeters. */
const FACTORS: Readonly<Record<string, readonly [factor: number, unit: string]>> = {
  g: [1, "g"],
  kg: [1_000, "g"],
  oz: [28.349523125, "g"],
  lb: [453.59237, "g"],
  mm: [1, "mm"],
  cm: [10, "mm"],
  m: [1_000, "mm"],
  in: [25.4, "mm"],
  ft: [304.8, "mm"],
};

/** The text is as `RuleField.read` has it: "9.50 USD", "2 kg", an instant, or a number. */
export function quantityOf(kind: RuleField["kind"], text: string): Quantity {
  if (kind === "time") return { value: Date.parse(text), unit: "" };
  if (kind === "number") return { value: Number(text), unit: "" };
  const space = text.indexOf(" ");
  // At most 15 digits, which a number holds exactly enough to keep their order.
  const value = Number(text.slice(0, space));
  const unit = text.slice(space + 1);
  if (kind === "money") return { value, unit };
  const [factor, base] = ownValue(FACTORS, unit) ?? [1, unit];
  return { value: value * factor, unit: base };
}

export function areComparable(a: Quantity, b: Quantity): boolean {
  return a.unit === undefined || b.unit === undefined || a.unit === b.unit;
}

/** The units and ranges Google Merchant Center takes, by attribute. Figures from its 2026 product data specification. */
import type { LengthUnit, WeightUnit } from "../../catalog/item.ts";

/** The numbers a base measure may have. */
export const UNIT_PRICING_BASES: ReadonlySet<string> = new Set(["1", "2", "4", "8", "10", "100"]);
/** Bases allowed beside the plain numbers, each in one unit only. */
export const UNIT_PRICING_SPECIAL_BASES: ReadonlySet<string> = new Set([
  "75 cl",
  "750 ml",
  "50 kg",
  "1000 kg",
]);

/** How a measure is rewritten in another unit: times `factor`, then the point moves `shift` places to the right. */
export type Conversion<Unit extends string> = {
  readonly unit: Unit;
  readonly factor: bigint;
  readonly shift: number;
};

/** Google measures lengths in centimeters and inches only. All of these are exact in decimals. */
export const GOOGLE_LENGTH: Readonly<Record<LengthUnit, Conversion<"cm" | "in">>> = {
  mm: { unit: "cm", factor: 1n, shift: -1 },
  cm: { unit: "cm", factor: 1n, shift: 0 },
  m: { unit: "cm", factor: 1n, shift: 2 },
  in: { unit: "in", factor: 1n, shift: 0 },
  ft: { unit: "in", factor: 12n, shift: 0 },
};

/** The next larger unit, for weights whose number is above the limit. */
export const LARGER_WEIGHT: Readonly<Record<WeightUnit, Conversion<WeightUnit>>> = {
  g: { unit: "kg", factor: 1n, shift: -3 },
  kg: { unit: "kg", factor: 1n, shift: 0 },
  oz: { unit: "lb", factor: 625n, shift: -4 },
  lb: { unit: "lb", factor: 1n, shift: 0 },
};

export const PRODUCT_LENGTH_MOST = 3000;
export const PRODUCT_DECIMALS_MOST = 4;
export const PRODUCT_WEIGHT_MOST = { g: 2000, kg: 2000, oz: 2000, lb: 2000 } as const;
export const SHIPPING_WEIGHT_MOST = { g: 1000, kg: 1000, oz: 2000, lb: 2000 } as const;
export const SHIPPING_LENGTH_LEAST = 1;
export const SHIPPING_LENGTH_MOST = { cm: 400, in: 150 } as const;

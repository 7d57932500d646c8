/** Sizes, weights and unit prices in Google's units. What does not fit its ranges is left out, never rounded. */
import type { Item, LengthUnit, Measure, WeightUnit } from "../../catalog/item.ts";
import { areComparable } from "../../catalog/measure.ts";
import {
  GOOGLE_LENGTH,
  LARGER_WEIGHT,
  PRODUCT_DECIMALS_MOST,
  PRODUCT_LENGTH_MOST,
  SHIPPING_LENGTH_LEAST,
  SHIPPING_LENGTH_MOST,
  UNIT_PRICING_BASES,
  UNIT_PRICING_SPECIAL_BASES,
} from "./units.ts";
import { convert, decimalsOf } from "./convert.ts";

type Axis = Measure<LengthUnit> | undefined;
type GoogleLength = Measure<"cm" | "in">;

function written({ value, unit }: Measure): string {
  return `${value} ${unit}`;
}

/** Google shows no size at all when the units differ, so one that differs keeps all of them out. */
function inOneUnit(axes: readonly Axis[]): readonly (GoogleLength | undefined)[] | undefined {
  const lengths = axes.map((axis) => axis && convert(axis.value, GOOGLE_LENGTH[axis.unit]));
  const known = lengths.filter((length) => length !== undefined);
  return known.every(({ unit }) => unit === known[0]?.unit) ? lengths : undefined;
}

function fitsProduct({ value }: GoogleLength): boolean {
  return Number(value) <= PRODUCT_LENGTH_MOST && decimalsOf(value) <= PRODUCT_DECIMALS_MOST;
}

function fitsParcel({ value, unit }: GoogleLength): boolean {
  return Number(value) >= SHIPPING_LENGTH_LEAST && Number(value) <= SHIPPING_LENGTH_MOST[unit];
}

/** Length, width and height are axis 0, 1 and 2. */
export function productLength({ length, width, height }: Item, axis: 0 | 1 | 2): string | undefined {
  if (length === undefined && width === undefined && height === undefined) return undefined;
  const found = inOneUnit([length, width, height])?.[axis];
  return found !== undefined && fitsProduct(found) ? written(found) : undefined;
}

export function parcelLength(item: Item, axis: 0 | 1 | 2): string | undefined {
  const { shippingLength, shippingWidth, shippingHeight } = item;
  if (shippingLength === undefined || shippingWidth === undefined || shippingHeight === undefined)
    return undefined;
  const lengths = inOneUnit([shippingLength, shippingWidth, shippingHeight]);
  if (lengths?.every((length) => length !== undefined && fitsParcel(length)) !== true) return undefined;
  const found = lengths[axis];
  return found && written(found);
}

export function weightUpTo(
  weight: Measure<WeightUnit> | undefined,
  most: Readonly<Record<WeightUnit, number>>,
): string | undefined {
  if (weight === undefined) return undefined;
  if (Number(weight.value) <= most[weight.unit]) return written(weight);
  const larger = convert(weight.value, LARGER_WEIGHT[weight.unit]);
  return Number(larger.value) <= most[larger.unit] ? written(larger) : undefined;
}

export function unitPricingMeasure({ unitPricing }: Item): string | undefined {
  return unitPricing && written(unitPricing.measure);
}

/** A base in another family of units would make a wrong price of a right one. */
export function unitPricingBase({ unitPricing }: Item): string | undefined {
  const base = unitPricing?.base;
  if (unitPricing === undefined || base === undefined || !areComparable(unitPricing.measure, base))
    return undefined;
  const text = written(base);
  return UNIT_PRICING_BASES.has(base.value) || UNIT_PRICING_SPECIAL_BASES.has(text) ? text : undefined;
}

/**
 * Values that are made of several parts of an item: sale intervals, shipping groups, and measures in Google's units.
 * What Google would misread or what is outside of its ranges is left out. Nothing is rounded.
 */
import { shiftDecimal } from "../../catalog/decimal.ts";
import type { GoogleGroup } from "../../catalog/google-attributes.ts";
import { GOOGLE_ONLY_SHIPPING_PARTS, SHIPPING_PARTS } from "../../catalog/google-surplus.ts";
import type { Item, LengthUnit, Measure, ShippingRate, WeightUnit } from "../../catalog/item.ts";
import { areComparable } from "../../catalog/measure.ts";
import { formatMoney, isZero } from "../../catalog/money.ts";
import type { Variant } from "../kit/variants.ts";
import type { GroupValue } from "./cell.ts";
import {
  type Conversion,
  GOOGLE_LENGTH,
  LARGER_WEIGHT,
  MAX_PRODUCT_DECIMALS,
  MAX_PRODUCT_LENGTH,
  MIN_SHIPPING_LENGTH,
  MAX_SHIPPING_LENGTH,
  UNIT_PRICING_BASES,
  UNIT_PRICING_SPECIAL_BASES,
} from "./fields.ts";

/** `2026-11-14T10:00Z`: Google takes at most 25 characters and no milliseconds. */
export function toMinute(instant: string): string {
  return `${instant.slice(0, 16)}Z`;
}

/** When the offer ends by the file, which states the minute. */
export function expiryInFile(expiresAt: string): string {
  return `${expiresAt.slice(0, 16)}:00.000Z`;
}

/** Google takes the date only of a preorder or a backorder, and only in the future. */
export function availabilityDate(
  { availability, availabilityDate: date }: Item,
  now: string,
): string | undefined {
  if (date === undefined || date <= now) return undefined;
  return availability === "preorder" || availability === "backorder" ? toMinute(date) : undefined;
}

export function saleInterval({ saleFrom, saleTo }: Item): string | undefined {
  if (saleFrom === undefined || saleTo === undefined) return undefined;
  const from = toMinute(saleFrom);
  const to = toMinute(saleTo);
  return from < to ? `${from}/${to}` : undefined;
}

/**
 * The sale price, running or announced. A sale can be announced before it begins only with both ends of its interval.
 * Google accepts no sale price of zero.
 */
export function statedSale({ item, salePrice }: Variant, now: string): string | undefined {
  if (salePrice !== undefined || item.salePrice === undefined) return salePrice;
  if (isZero(item.salePrice)) return undefined;
  const isAnnounced = item.saleFrom !== undefined && item.saleFrom > now && saleInterval(item) !== undefined;
  return isAnnounced ? formatMoney(item.salePrice) : undefined;
}

type Days = number | undefined;

/** The parts of a shipping rate that only Google has: empty for the rates of our own field. */
const NO_LIMITS = GOOGLE_ONLY_SHIPPING_PARTS.map(() => undefined);

/** Google reads a shortest time only with its longest, and only below it. */
function span(least: Days, most: Days): readonly [Days, Days] {
  return [least !== undefined && most !== undefined && least <= most ? least : undefined, most];
}

function shippingGroup(rate: ShippingRate, country: string): GroupValue {
  // Only one kind of area may be named; a postal code is the narrower one, so it claims nothing new.
  const region = rate.postalCode === undefined ? rate.region : undefined;
  const price = formatMoney(rate.price);
  const handling = span(rate.minHandling, rate.maxHandling);
  const transit = span(rate.minTransit, rate.maxTransit);
  return [country, region, rate.postalCode, rate.service, price, ...handling, ...transit, ...NO_LIMITS];
}

export function shippingGroups(
  item: Item,
  storeCountry: string | undefined,
): readonly GroupValue[] | undefined {
  const { shipping, google } = item;
  if (shipping === undefined && google?.shipping === undefined) return undefined;
  const groups: GroupValue[] = [];
  for (const rate of shipping ?? []) {
    const group = rateGroup(rate, item, storeCountry);
    if (group !== undefined) groups.push(group);
  }
  for (const rate of (google?.shipping ?? []) as readonly GoogleGroup[])
    groups.push(SHIPPING_PARTS.map((part) => rate[part]));
  return groups;
}

/** Returns no group for a rate whose country is unknown or that is in another currency. */
function rateGroup(rate: ShippingRate, item: Item, storeCountry: string | undefined): GroupValue | undefined {
  const country = rate.country ?? item.country ?? storeCountry;
  const isUsable = country !== undefined && rate.price.currency === item.price.currency;
  return isUsable ? shippingGroup(rate, country) : undefined;
}

/** Exact: digits are moved and multiplied as whole numbers. */
export function convert<Unit extends string>(
  value: string,
  { unit, factor, shift }: Conversion<Unit>,
): Measure<Unit> {
  if (factor === 1n) return { value: shift === 0 ? value : shiftDecimal(value, shift), unit };
  const decimals = decimalsOf(value);
  const whole = BigInt(shiftDecimal(value, decimals)) * factor;
  return { value: shiftDecimal(String(whole), shift - decimals), unit };
}

function decimalsOf(value: string): number {
  const point = value.indexOf(".");
  return point === -1 ? 0 : value.length - point - 1;
}

type Axis = Measure<LengthUnit> | undefined;
type GoogleLength = Measure<"cm" | "in">;

function measureText({ value, unit }: Measure): string {
  return `${value} ${unit}`;
}

/** Google shows no size when units differ, so then all axes are left out. */
function inOneUnit(axes: readonly Axis[]): readonly (GoogleLength | undefined)[] | undefined {
  const lengths = axes.map((axis) => axis && convert(axis.value, GOOGLE_LENGTH[axis.unit]));
  const known = lengths.filter((length) => length !== undefined);
  return known.every(({ unit }) => unit === known[0]?.unit) ? lengths : undefined;
}

function fitsProduct({ value }: GoogleLength): boolean {
  return Number(value) <= MAX_PRODUCT_LENGTH && decimalsOf(value) <= MAX_PRODUCT_DECIMALS;
}

function fitsParcel({ value, unit }: GoogleLength): boolean {
  return Number(value) >= MIN_SHIPPING_LENGTH && Number(value) <= MAX_SHIPPING_LENGTH[unit];
}

/** Length, width and height are axis 0, 1 and 2. */
export function productLength({ length, width, height }: Item, axis: 0 | 1 | 2): string | undefined {
  if (length === undefined && width === undefined && height === undefined) return undefined;
  const found = inOneUnit([length, width, height])?.[axis];
  return found !== undefined && fitsProduct(found) ? measureText(found) : undefined;
}

export function parcelLength(item: Item, axis: 0 | 1 | 2): string | undefined {
  const { shippingLength, shippingWidth, shippingHeight } = item;
  if (shippingLength === undefined || shippingWidth === undefined || shippingHeight === undefined)
    return undefined;
  const lengths = inOneUnit([shippingLength, shippingWidth, shippingHeight]);
  if (lengths?.every((length) => length !== undefined && fitsParcel(length)) !== true) return undefined;
  const found = lengths[axis];
  return found && measureText(found);
}

export function weightUpTo(
  weight: Measure<WeightUnit> | undefined,
  most: Readonly<Record<WeightUnit, number>>,
): string | undefined {
  if (weight === undefined) return undefined;
  if (Number(weight.value) <= most[weight.unit]) return measureText(weight);
  const larger = convert(weight.value, LARGER_WEIGHT[weight.unit]);
  return Number(larger.value) <= most[larger.unit] ? measureText(larger) : undefined;
}

export function unitPricingMeasure({ unitPricing }: Item): string | undefined {
  return unitPricing && measureText(unitPricing.measure);
}

/** The base must be in the same kind of unit as the measure (weight, volume), or the price per unit would be wrong. */
export function unitPricingBase({ unitPricing }: Item): string | undefined {
  const base = unitPricing?.base;
  if (unitPricing === undefined || base === undefined || !areComparable(unitPricing.measure, base))
    return undefined;
  const text = measureText(base);
  return UNIT_PRICING_BASES.has(base.value) || UNIT_PRICING_SPECIAL_BASES.has(text) ? text : undefined;
}

/** Sizes and weights: one unit, inside Google's ranges. */
import {
  PRODUCT_DECIMALS_MOST,
  PRODUCT_LENGTH_MOST,
  PRODUCT_WEIGHT_MOST,
  SHIPPING_LENGTH_LEAST,
  SHIPPING_LENGTH_MOST,
  SHIPPING_WEIGHT_MOST,
} from "../units.ts";
import { isPositiveDecimal } from "../../kit/validate/checks/decimals.ts";
import type { GoogleFindings, GoogleRow, RowCheck } from "./row.ts";

export type WrittenMeasure = { readonly value: string; readonly unit: string };

const MEASURE = /^(\d{1,12}(?:\.\d{1,12})?) ?([a-z]{1,5})$/;
const AXES = ["length", "width", "height"] as const;

/** A positive number and its unit, with or without a space; undefined for anything else. */
export function readMeasure(text: string): WrittenMeasure | undefined {
  const [, value = "", unit = ""] = MEASURE.exec(text) ?? [];
  return isPositiveDecimal(value) ? { value, unit } : undefined;
}

type Range = (measure: WrittenMeasure) => boolean;

function isLengthUnit(unit: string): unit is keyof typeof SHIPPING_LENGTH_MOST {
  return unit in SHIPPING_LENGTH_MOST;
}

function isWeightUnit(unit: string): unit is keyof typeof SHIPPING_WEIGHT_MOST {
  return unit in SHIPPING_WEIGHT_MOST;
}

const fitsParcel: Range = ({ value, unit }) =>
  isLengthUnit(unit) && Number(value) >= SHIPPING_LENGTH_LEAST && Number(value) <= SHIPPING_LENGTH_MOST[unit];

const fitsProduct: Range = ({ value }) =>
  Number(value) <= PRODUCT_LENGTH_MOST && (value.split(".")[1]?.length ?? 0) <= PRODUCT_DECIMALS_MOST;

/** Says what is wrong with the axes that are given, and answers how many there are. */
function sayAxes(row: GoogleRow, prefix: string, fits: Range, findings: GoogleFindings): number {
  let unit: string | undefined;
  let count = 0;
  for (const axis of AXES) {
    const field = `${prefix}_${axis}`;
    const value = row.text(field);
    if (value === undefined) continue;
    count += 1;
    const measure = readMeasure(value);
    unit ??= measure?.unit;
    if (measure === undefined || !isLengthUnit(measure.unit) || measure.unit !== unit)
      findings.say("gmc.dims.unit", { field, value });
    else if (!fits(measure)) findings.say("gmc.dims.range", { field, value });
  }
  return count;
}

const checkParcel: RowCheck = (row, findings) => {
  const count = sayAxes(row, "shipping", fitsParcel, findings);
  if (count > 0 && count < AXES.length) findings.say("gmc.dims.incomplete", { field: "shipping_length" });
};

const checkProduct: RowCheck = (row, findings) => void sayAxes(row, "product", fitsProduct, findings);

const WEIGHTS = { shipping_weight: SHIPPING_WEIGHT_MOST, product_weight: PRODUCT_WEIGHT_MOST } as const;

const checkWeights: RowCheck = (row, findings) => {
  for (const [field, most] of Object.entries(WEIGHTS)) {
    const value = row.text(field);
    if (value === undefined) continue;
    const measure = readMeasure(value);
    if (measure === undefined || !isWeightUnit(measure.unit)) findings.say("gmc.dims.unit", { field, value });
    else if (Number(measure.value) > most[measure.unit]) findings.say("gmc.dims.range", { field, value });
  }
};

export const MEASURE_CHECKS: readonly RowCheck[] = [checkParcel, checkProduct, checkWeights];

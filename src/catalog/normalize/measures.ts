/** How heavy and how large the item and its parcel are, and what its unit price is per. Zero means "not set" to shops. */
import type { TextField } from "../draft.ts";
import type { Item, Measure } from "../item.ts";
import type { Checked } from "../checked.ts";
import {
  areComparable,
  MEASURE_PROBLEMS,
  type MeasureHints,
  type MeasureProblem,
  parseLength,
  parseQuantityMeasure,
  parseWeight,
} from "../measure.ts";
import { given, type Intake, type ItemUnderWay, leaveOut, put } from "./intake.ts";

type Parse<Unit extends string> = (
  text: string,
  hints: MeasureHints,
) => Checked<Measure<Unit>, MeasureProblem>;

export function fillMeasures(item: ItemUnderWay, intake: Intake): void {
  put(item, "weight", measureOf(intake, "weight", "weightUnit", parseWeight));
  put(item, "length", measureOf(intake, "length", "dimensionsUnit", parseLength));
  put(item, "width", measureOf(intake, "width", "dimensionsUnit", parseLength));
  put(item, "height", measureOf(intake, "height", "dimensionsUnit", parseLength));
  put(item, "shippingWeight", measureOf(intake, "shippingWeight", "weightUnit", parseWeight));
  put(item, "shippingLength", measureOf(intake, "shippingLength", "dimensionsUnit", parseLength));
  put(item, "shippingWidth", measureOf(intake, "shippingWidth", "dimensionsUnit", parseLength));
  put(item, "shippingHeight", measureOf(intake, "shippingHeight", "dimensionsUnit", parseLength));
}

export function readUnitPricing(intake: Intake): Item["unitPricing"] {
  const measure = quantityOf(intake, "unitPricingMeasure");
  const base = quantityOf(intake, "unitPricingBaseMeasure");
  if (measure === undefined) return undefined;
  if (base === undefined) return { measure };
  if (areComparable(measure, base)) return { measure, base };
  const value = `${base.value} ${base.unit}`;
  const problem = `cannot be compared with ${measure.value} ${measure.unit}`;
  leaveOut(intake, "invalid_measure", "unitPricingBaseMeasure", { value, problem });
  return { measure };
}

function measureOf<Unit extends string>(
  intake: Intake,
  field: TextField,
  unitField: TextField,
  parse: Parse<Unit>,
): Measure<Unit> | undefined {
  const text = given(intake, field);
  if (text === undefined) return undefined;
  return kept(
    intake,
    field,
    text,
    parse(text, { unit: given(intake, unitField), decimalMark: intake.decimalMark }),
  );
}

function quantityOf(
  intake: Intake,
  field: "unitPricingMeasure" | "unitPricingBaseMeasure",
): Measure | undefined {
  const text = given(intake, field);
  return text === undefined
    ? undefined
    : kept(intake, field, text, parseQuantityMeasure(text, intake.decimalMark));
}

function kept<Unit extends string>(
  intake: Intake,
  field: string,
  text: string,
  measure: Checked<Measure<Unit>, MeasureProblem>,
): Measure<Unit> | undefined {
  if (measure.kind === "valid") return measure.value;
  if (measure.reason === "zero") return undefined;
  const problem = MEASURE_PROBLEMS[measure.reason];
  return leaveOut(intake, "invalid_measure", field, { value: text, problem });
}

/** Weights, dimensions and unit prices. Shops write zero for "not set". */
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
import { readField, type DraftState, type MutableItem, dropWithWarning, setField } from "./fields.ts";

type Parse<Unit extends string> = (
  text: string,
  hints: MeasureHints,
) => Checked<Measure<Unit>, MeasureProblem>;

export function fillMeasures(item: MutableItem, state: DraftState): void {
  setField(item, "weight", measureOf(state, "weight", "weightUnit", parseWeight));
  setField(item, "length", measureOf(state, "length", "dimensionsUnit", parseLength));
  setField(item, "width", measureOf(state, "width", "dimensionsUnit", parseLength));
  setField(item, "height", measureOf(state, "height", "dimensionsUnit", parseLength));
  setField(item, "shippingWeight", measureOf(state, "shippingWeight", "weightUnit", parseWeight));
  setField(item, "shippingLength", measureOf(state, "shippingLength", "dimensionsUnit", parseLength));
  setField(item, "shippingWidth", measureOf(state, "shippingWidth", "dimensionsUnit", parseLength));
  setField(item, "shippingHeight", measureOf(state, "shippingHeight", "dimensionsUnit", parseLength));
}

export function readUnitPricing(state: DraftState): Item["unitPricing"] {
  const measure = quantityOf(state, "unitPricingMeasure");
  const base = quantityOf(state, "unitPricingBaseMeasure");
  if (measure === undefined) return undefined;
  if (base === undefined) return { measure };
  if (areComparable(measure, base)) return { measure, base };
  const value = `${base.value} ${base.unit}`;
  const problem = `cannot be compared with ${measure.value} ${measure.unit}`;
  dropWithWarning(state, "invalid_measure", "unitPricingBaseMeasure", { value, problem });
  return { measure };
}

function measureOf<Unit extends string>(
  state: DraftState,
  field: TextField,
  unitField: TextField,
  parse: Parse<Unit>,
): Measure<Unit> | undefined {
  const text = readField(state, field);
  if (text === undefined) return undefined;
  return kept(
    state,
    field,
    text,
    parse(text, { unit: readField(state, unitField), decimalMark: state.decimalMark }),
  );
}

function quantityOf(
  state: DraftState,
  field: "unitPricingMeasure" | "unitPricingBaseMeasure",
): Measure | undefined {
  const text = readField(state, field);
  return text === undefined
    ? undefined
    : kept(state, field, text, parseQuantityMeasure(text, state.decimalMark));
}

function kept<Unit extends string>(
  state: DraftState,
  field: string,
  text: string,
  measure: Checked<Measure<Unit>, MeasureProblem>,
): Measure<Unit> | undefined {
  if (measure.kind === "valid") return measure.value;
  if (measure.reason === "zero") return undefined;
  const problem = MEASURE_PROBLEMS[measure.reason];
  return dropWithWarning(state, "invalid_measure", field, { value: text, problem });
}

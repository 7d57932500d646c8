/**
 * The columns of formats without a header: they come up as the records name them. The plan is recomputed when a
 * record brings a name not met before, which in a real file stops after the first few records.
 */
import type { Draft, TextField } from "../../catalog/draft.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { memoize } from "../../lib/memoize.ts";
import { type ColumnPlan, planColumns } from "./columns.ts";
import { readHeader, type ReadName } from "./aliases.ts";
import { textOf, type CellValue } from "./cells.ts";
import { firstRows } from "./first-rows.ts";

export type DynamicColumns = {
  /** The draft of one record, whose fields are put in one by one. */
  readonly map: (setFields: (set: SetField) => void) => Draft;
  readonly names: () => readonly string[];
  /** Texts of a field in the first records. */
  readonly valuesOf: (name: string) => readonly string[];
  readonly has: (field: TextField) => boolean;
};

export type SetField = (name: string, value: CellValue) => void;

/** How a set of names becomes a plan. */
export type PlanNames = (names: readonly string[]) => ColumnPlan;

export function planByNames(readName: ReadName = readHeader): PlanNames {
  return (names) => planColumns(names.map(readName));
}

/** Longer lists of names are rare, and their plans are large. */
const MAX_KEY_CHARS = 2_000;
const MAX_PLANS = 100;

/** The same for many small bodies with the same names: to plan columns takes longer than to read a product. */
export function memoizedPlans(planNames: PlanNames): PlanNames {
  const known = memoize(MAX_PLANS, (key) => planNames(JSON.parse(key) as string[]));
  return (names) => {
    const key = JSON.stringify(names);
    return key.length > MAX_KEY_CHARS ? planNames(names) : known(key);
  };
}

const NO_COLUMNS = planColumns([]);

export function dynamicColumns(maxColumns: number, planNames: PlanNames = planByNames()): DynamicColumns {
  const columnOf = new Map<string, number>();
  const first = firstRows<CellValue | undefined>();
  let plan: ColumnPlan = NO_COLUMNS;

  function add(name: string): number {
    if (columnOf.size >= maxColumns) {
      throw new FormatError("too_large", `The items have more than ${maxColumns} differently named fields.`);
    }
    columnOf.set(name, columnOf.size);
    return columnOf.size - 1;
  }

  return {
    names: () => [...columnOf.keys()],
    valuesOf: (name) => first.valuesAt(columnOf.get(name), (value) => value && textOf(value)),
    has: (field) => plan.has(field),
    map: (setFields) => {
      const before = columnOf.size;
      const cells: (CellValue | undefined)[] = [];
      setFields((name, value) => {
        cells[columnOf.get(name) ?? add(name)] = value;
      });
      first.add(cells);
      if (columnOf.size !== before) plan = planNames([...columnOf.keys()]);
      return plan.map(cells);
    },
  };
}

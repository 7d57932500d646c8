/** Texts of the result of a dry run. */
import { counted } from "../plural.ts";

export const planText = {
  title: "What would change",
  nothingStored: "Nothing was stored.",
  changed: (count: number) =>
    count === 0 ? "No item would change." : `${counted(count, "item")} would change.`,
  score: "Score",
  notScored: "not scored",
  points: "points before rounding and limits",
  rows: (file: string) => `Rows in ${file}`,
  findings: "Findings that change",
  noFindings: "The number of findings stays the same.",
  finding: "Problem",
  before: "Before",
  after: "After",
  difference: "Difference",
  examples: (count: number) => counted(count, "example"),
  item: "Item",
  field: "Field",
  none: "none",
  refused: (count: number) =>
    `${counted(count, "value is", "values are")} refused by the checks of the field; these items would stay as they are.`,
  refusal: (item: string, message: string) => `${item}: ${message}`,
} as const;

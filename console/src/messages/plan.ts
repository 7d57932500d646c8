/** Texts of the result of a dry run. */
import { counted } from "../plural.ts";

/** What a sync would do. */
export const syncPlanText = {
  intro: "This is what a sync would do now. Nothing was stored, and the feeds are as they were.",
  rows: "Rows of the source",
  newItems: "New items",
  changedItems: "Changed items",
  removedItems: "Removed items",
  rejected: "Rejected rows",
  feeds: "The feeds and the score",
  findings: "Findings",
  examples: "Changed items, for example",
  item: "Item",
  title: "Title",
  tableOf: (list: string) => `${list}, by id`,
  listed: (shown: number, all: string) => `${shown} of ${all}`,
  sync: "Sync now",
  again: "Try again",
  source: "Open the source",
} as const;

export const planText = {
  title: "What would change",
  nothingStored: "Nothing was stored.",
  published: "The files after it would be published.",
  exceeded:
    "This exceeds limits of the publish guard. It does not hold your own changes, so check them before you save:",
  held: "The files after it would be held, and the published ones would stay:",
  changed: (count: number) =>
    count === 0 ? "No item would change." : `${counted(count, "item")} would change.`,
  score: "Score",
  notScored: "not scored",
  points: "points before rounding and limits",
  ceiling: (limit: number, reason: string) => `. The score is at most ${limit}: ${reason}`,
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

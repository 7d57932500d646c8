/** The result of a dry run: what a change would do to the feeds, the findings and the score. Nothing is stored. */
import { Type } from "typebox";
import { integer, Nullable, number, text } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

const PlanFigures = Type.Object(
  {
    items: integer("Items of the catalog."),
    files: Type.Record(
      Type.String(),
      Type.Object({ written: integer("Rows in the file."), excluded: integer("Items that are not in it.") }),
      { description: "By file name." },
    ),
    score: Nullable(integer("Of the audit; null for an empty catalog.")),
    grade: Nullable(Type.String()),
    points: Nullable(
      Type.String({
        description: "The score before rounding and before its ceiling, as an exact fraction.",
        examples: ["1685/20"],
      }),
    ),
    findings: Type.Record(Type.String(), Type.Integer(), {
      description: "How many items have a finding, by rule.",
      examples: [{ "class.category": 300 }],
    }),
  },
  { title: "PlanFigures" },
);
export type PlanFigures = Wire<typeof PlanFigures>;

const ChangedValue = Type.Object({
  field: text("Its name in a push."),
  before: Nullable(Type.String()),
  after: Nullable(Type.String()),
});

export const ChangedItem = Type.Object(
  { item_id: Type.String(), changes: Type.Array(ChangedValue) },
  { title: "ChangedItem" },
);
export type ChangedItem = Wire<typeof ChangedItem>;

export const Plan = Type.Object(
  {
    changed_items: integer("How many items the change concerns."),
    refused_values: integer("Values that the checks of their fields refuse; these items stay as they are."),
    refusals: Type.Array(
      Type.Object({
        item_id: Type.String(),
        rule: Type.String(),
        field: Type.String(),
        message: Type.String(),
      }),
      { description: "Up to ten of them." },
    ),
    examples: Type.Array(ChangedItem, { description: "Up to ten changed items." }),
    before: PlanFigures,
    after: PlanFigures,
    gain: number("Points of the score, before rounding and before its ceiling."),
  },
  {
    title: "Plan",
    description: "What a change would do. Computed by doing it, rendering and auditing, and rolling it back.",
  },
);
export type Plan = Wire<typeof Plan>;

/** The result of a dry run: what a change would do to the feeds, the findings and the score. Nothing is stored. */
import { Type } from "./type.ts";
import { Exceeded } from "./publish-guard.ts";
import { integer, Nullable, number, text } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

const PlanFigures = Type.Object(
  {
    items: integer("Items of the catalog."),
    files: Type.Record(
      Type.String(),
      Type.Object({
        written: integer("Rows in the file."),
        excluded: integer("Items that the merchant leaves out of the file."),
        refused: integer("Items in the file that its destination will refuse."),
      }),
      { description: "By file name." },
    ),
    score: Nullable(integer("Of the audit; null for an empty catalog.")),
    grade: Nullable(Type.String()),
    points: Nullable(
      Type.String({
        description: "The score before rounding, as an exact fraction.",
        examples: ["1685/20"],
      }),
    ),
    ceiling: Type.Optional(
      Nullable(
        Type.Object(
          { limit: integer("The highest possible score."), reason: text("Why, in a sentence.") },
          {
            description:
              "While channels refuse items, no other fix can raise the score above it; null: no limit.",
          },
        ),
      ),
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

const PlanGuard = Type.Object(
  {
    held: Type.Boolean({
      description:
        "The render would be held. A change of rules or approvals is not held, whatever limits it exceeds.",
    }),
    exceeded: Type.Array(Exceeded),
  },
  {
    title: "PlanGuard",
    description: "What the publish guard would say; null if it has nothing to compare, or is off.",
  },
);
export type PlanGuard = Wire<typeof PlanGuard>;

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
    gain: number("Points of the score, before rounding."),
    guard: Nullable(PlanGuard),
  },
  {
    title: "Plan",
    description: "What a change would do. Computed by doing it, rendering and auditing, and rolling it back.",
  },
);
export type Plan = Wire<typeof Plan>;

const NamedItem = Type.Object({ item_id: Type.String(), title: Type.String() }, { title: "NamedItem" });
export type NamedItem = Wire<typeof NamedItem>;

export const SyncPlan = Type.Object(
  {
    new_items: integer("Items that the catalog does not have yet."),
    changed_items: integer("Items that it has otherwise; `stats.upserted` counts both."),
    examples: Type.Array(ChangedItem, {
      description: "Up to ten changed items, as the feeds would have them.",
    }),
    new_examples: Type.Array(NamedItem, { description: "Up to ten new items." }),
    removed_examples: Type.Array(NamedItem, { description: "Up to ten removed items." }),
    before: PlanFigures,
    after: PlanFigures,
    gain: number("Points of the score, before rounding."),
    guard: Nullable(PlanGuard),
  },
  {
    title: "SyncPlan",
    description:
      "What a sync would do, beside its statistics. Computed by doing it with copies of the items, rendering and auditing.",
  },
);
export type SyncPlan = Wire<typeof SyncPlan>;

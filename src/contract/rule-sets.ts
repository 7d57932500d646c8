/** The rules resource: the rule set in force, its versions, and what saving one did or would do. */
import { Type } from "./type.ts";
import { Plan } from "./plans.ts";
import { ReadyMadeRule, Rule, RuleProblem } from "./rules.ts";
import { Data, DateTime, flag, integer, Nullable, text, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

const STORED = {
  version: integer("0 before the first rules were saved."),
  note: Nullable(text("What the person who saved it wrote.")),
  saved_by: Nullable(text("The id of the key; null for the command line.")),
  saved_at: Nullable(DateTime),
};

export const RulesAnswer = Data(
  Type.Object(
    {
      ...STORED,
      rules: Type.Array(Rule, { description: "In the order in which they are applied." }),
      problems: Type.Array(RuleProblem, {
        description:
          "Rules that cannot match any more, because the source that they name was removed or renamed, and rules that this version of the program no longer accepts: they are not applied. If there are none of these: rules that compare variants, if a product has too many (`group_too_large`).",
      }),
    },
    { title: "StoredRules" },
  ),
  "The rules in force.",
);

export const RuleVersionsAnswer = Data(
  Type.Object({
    versions: Type.Array(
      Type.Object({ ...STORED, rules: integer("How many rules it has.") }, { title: "RuleVersion" }),
    ),
  }),
  "The newest versions, newest first.",
);

export const RuleVersionParams = Type.Object({
  version: Type.String({
    pattern: "^[1-9][0-9]{0,8}$",
    description: "A number from the list.",
    examples: ["3"],
  }),
});

export const SaveRules = Type.Object(
  {
    rules: Type.Array(Rule, { maxItems: 500 }),
    note: Type.Optional(Type.String({ maxLength: 1_000, pattern: "^[^\\u0000]*$" })),
    version: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "The version that you changed. If another one is in force by now, nothing is stored.",
      }),
    ),
    dry_run: Type.Optional(flag("Stores nothing and says what would change.")),
  },
  {
    title: "SaveRules",
    additionalProperties: false,
    examples: [
      {
        rules: [{ name: "Condition", action: { type: "default", field: "condition", value: "new" } }],
        dry_run: true,
      },
    ],
  },
);

/** The result of a run of rules. */
const Applied = Type.Object(
  {
    run_id: Uuid,
    items: integer("Items that were computed."),
    changed_items: integer("Items whose values have changed."),
    refused_values: integer("Values that the checks of their fields refused; these items stay as they were."),
    refusals: Type.Optional(Plan.properties.refusals),
  },
  { title: "AppliedRules" },
);
export type Applied = Wire<typeof Applied>;

export const SavedRulesAnswer = Data(
  Type.Object(
    { version: Nullable(Type.Integer()), applied: Nullable(Applied), plan: Nullable(Plan) },
    { title: "SavedRules", description: "`plan` of a dry run; otherwise the new version and what it did." },
  ),
  "The rules are in force. The feeds change with the next sync or POST /feeds.",
);

const RuleField = Type.Object(
  {
    name: Type.String(),
    kind: text("What its values are: text, word, flag, number, money, measure, time, list, paths, parts."),
    values: Type.Array(Type.String(), { description: "Of a word: the values that it can have." }),
    can_be_set: flag("Whether an action can change it."),
  },
  { title: "RuleField" },
);

export const RuleFormAnswer = Data(
  Type.Object({
    fields: Type.Array(RuleField, {
      description:
        "Also shipping to the catalog's countries, days to dates, and the lowest and highest of variants. Any country can be used (`shipping.FR`), and entries by name: `options.Color`, `details.Glaze`, `days_since.details.Added`.",
    }),
    operators: Type.Array(Type.String()),
    actions: Type.Array(Type.String()),
    ready_made: Type.Array(ReadyMadeRule),
  }),
  "What rules can be made of.",
);

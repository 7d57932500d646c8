/**
 * Rules change the items of a catalog on their way into the feeds (docs/rules.md). The schemas check the form of a rule
 * set and its sizes; whether fields, operators and values fit each other is checked when the rules are compiled
 * (`enrich/rules/compile.ts`), with a sentence for each problem.
 */
import { Type } from "./type.ts";
import { flag, text } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

export const MAX_RULES = 500;
const MAX_CONDITIONS = 50;
const MAX_VALUES = 1_000;
const MAX_TABLE = 10_000;
const MAX_PARAMETERS = 20;

/** PostgreSQL cannot store NUL. */
const limited = (maxLength: number, description: string, examples: readonly string[] = []) =>
  Type.String({
    maxLength,
    pattern: "^[^\\u0000]*$",
    description,
    ...(examples.length > 0 && { examples: [...examples] }),
  });

export const RuleChannel = Type.Enum(["google", "openai", "schema_org"], {
  title: "RuleChannel",
  description: "`google`: gmc.tsv. `openai`: acp.csv and acp.json. `schema_org`: jsonld.json.",
});

export const RULE_OPERATORS = [
  "is",
  "is_not",
  "one_of",
  "not_one_of",
  "contains",
  "does_not_contain",
  "starts_with",
  "ends_with",
  "like",
  "matches",
  "does_not_match",
  "less_than",
  "greater_than",
  "is_empty",
  "is_not_empty",
] as const;

export const RULE_ACTIONS = [
  "set",
  "default",
  "copy",
  "template",
  "replace",
  "map",
  "calculate",
  "clear",
  "add_parameters",
  "exclude",
] as const;

const FieldName = limited(200, "A field of docs/rules.md.", ["brand"]);
const LONGEST_VALUE = 5_000;
const Scalar = Type.Union([
  Type.String({ maxLength: LONGEST_VALUE, pattern: "^[^\\u0000]*$" }),
  Type.Number(),
  Type.Boolean(),
]);

const RuleCondition = Type.Object(
  {
    field: FieldName,
    operator: Type.Enum([...RULE_OPERATORS]),
    value: Type.Optional(
      Type.Union([Scalar, Type.Array(Scalar, { maxItems: MAX_VALUES })], {
        description: "A list for `one_of` and `not_one_of`; nothing for `is_empty` and `is_not_empty`.",
      }),
    ),
  },
  {
    title: "RuleCondition",
    additionalProperties: false,
    examples: [
      { field: "brand", operator: "is", value: "Kiln" },
      { field: "price", operator: "less_than", value: 5 },
    ],
  },
);
export type RuleCondition = Wire<typeof RuleCondition>;

const conditions = Type.Array(RuleCondition, { minItems: 1, maxItems: MAX_CONDITIONS });
const InnerGroup = Type.Object(
  { all: Type.Optional(conditions), any: Type.Optional(conditions) },
  { title: "RuleConditionGroup", additionalProperties: false, minProperties: 1, maxProperties: 1 },
);
const entries = Type.Array(Type.Union([RuleCondition, InnerGroup]), {
  minItems: 1,
  maxItems: MAX_CONDITIONS,
});

const RuleWhen = Type.Object(
  { all: Type.Optional(entries), any: Type.Optional(entries) },
  {
    title: "RuleWhen",
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description:
      "`all`: every condition must match. `any`: one is enough. An entry may be such a group itself.",
    examples: [{ all: [{ field: "brand", operator: "is_empty" }] }],
  },
);
export type RuleWhen = Wire<typeof RuleWhen>;

const RuleAction = Type.Object(
  {
    type: Type.Enum([...RULE_ACTIONS], { description: "docs/rules.md says what each does." }),
    field: Type.Optional({ ...FieldName, description: "The field to change." }),
    value: Type.Optional(
      Type.Union([Scalar, Type.Array(Scalar, { maxItems: MAX_VALUES })], {
        description: "Of `set` and `default`; a list for fields with several values.",
      }),
    ),
    from: Type.Optional({ ...FieldName, description: "Of `copy` and `map`: the field that is read." }),
    text: Type.Optional(limited(2_000, "Of `template`.", ["{brand} {title} {color}"])),
    find: Type.Optional(limited(500, "Of `replace`: the text to be replaced, in this case.")),
    pattern: Type.Optional(
      limited(500, "Of `replace`, in place of `find`: a regular expression in RE2's syntax.", [
        "\\s*\\(new\\)$",
      ]),
    ),
    with: Type.Optional(
      limited(1_000, "Of `replace`: the new text; empty to remove. With `pattern`, `$1` is its first group."),
    ),
    table: Type.Optional(
      Type.Record(Type.String(), Scalar, {
        maxProperties: MAX_TABLE,
        description: "Of `map`: values of `from`, and what each becomes.",
        examples: [{ "Home > Mugs": "2169" }],
      }),
    ),
    otherwise: Type.Optional(
      Type.Union([limited(LONGEST_VALUE, "Of `map`: for all other values."), Type.Number(), Type.Boolean()]),
    ),
    formula: Type.Optional(
      limited(500, "Of `calculate`: numbers, fields, `+ - * /`, percentages and functions.", [
        "ending_up(price * 1.1, 0.99)",
      ]),
    ),
    parameters: Type.Optional(
      Type.Record(Type.String(), limited(500, "A text or a template."), {
        minProperties: 1,
        maxProperties: MAX_PARAMETERS,
        description: "Of `add_parameters`: query parameters of the links.",
        examples: [{ utm_source: "google", utm_content: "{id}" }],
      }),
    ),
  },
  {
    title: "RuleAction",
    additionalProperties: false,
    examples: [{ type: "default", field: "condition", value: "new" }, { type: "exclude" }],
  },
);
export type RuleAction = Wire<typeof RuleAction>;

export const Rule = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: "^\\s*[^\\s\\u0000][^\\u0000]*$",
      description: "Unique in the rule set, in any case. Explanations and refusals state it.",
    }),
    enabled: Type.Optional(Type.Boolean({ description: "Default true." })),
    channel: Type.Optional(
      Type.Union([RuleChannel, Type.Array(RuleChannel, { minItems: 1, maxItems: 3, uniqueItems: true })], {
        description: "Only for these; all unless set.",
      }),
    ),
    when: Type.Optional(RuleWhen),
    action: RuleAction,
  },
  {
    title: "Rule",
    additionalProperties: false,
    examples: [
      {
        name: "No items under 5 on Google",
        channel: "google",
        when: { all: [{ field: "price", operator: "less_than", value: 5 }] },
        action: { type: "exclude" },
      },
    ],
  },
);
export type Rule = Wire<typeof Rule>;

export const RuleSet = Type.Object(
  { rules: Type.Array(Rule, { maxItems: MAX_RULES, description: "Applied in this order." }) },
  {
    title: "RuleSet",
    additionalProperties: false,
    examples: [
      { rules: [{ name: "Condition", action: { type: "default", field: "condition", value: "new" } }] },
    ],
  },
);
export type RuleSet = Wire<typeof RuleSet>;

/** Why a rule set was refused. */
export const RULE_PROBLEMS = {
  too_many_rules: "The rule set has more rules than allowed.",
  duplicate_name: "Another rule has the same name.",
  unknown_field: "There is no such field.",
  field_not_settable: "Rules cannot set the field, or only by another action.",
  private_field: "The field is never published, and the action would copy it to another one.",
  missing_part: "The action or the condition needs another part.",
  unexpected_part: "The action or the condition has a part without meaning for it.",
  operator_not_fitting: "The operator cannot be used with the field.",
  invalid_value: "The value is none that the field can have.",
  invalid_formula: "The formula cannot be read.",
  invalid_pattern: "The regular expression cannot be used.",
  invalid_template: "The template cannot be read.",
  never_matches: "The conditions contradict each other.",
  no_effect: "The action changes nothing.",
  group_too_large:
    "A product has more than 2,000 variants, which are not compared. The rule is applied, with no value for these fields. GET /rules says so; nothing is refused for it.",
} as const;

export const RuleProblem = Type.Object(
  {
    rule: Type.Integer({ minimum: 0, description: "Its index in the rule set." }),
    name: text("The name of the rule."),
    pointer: text("JSON Pointer into the rule set."),
    code: Type.Enum(Object.keys(RULE_PROBLEMS) as (keyof typeof RULE_PROBLEMS)[]),
    message: text("What is wrong, and what to do."),
  },
  {
    title: "RuleProblem",
    examples: [
      {
        rule: 0,
        name: "Brand",
        pointer: "/rules/0/action/field",
        code: "unknown_field",
        message: 'There is no field "brandd". Did you mean brand?',
      },
    ],
  },
);
export type RuleProblem = Wire<typeof RuleProblem>;

export const ReadyMadeRule = Type.Object(
  {
    id: Type.String(),
    title: text("What it is for."),
    description: text("What it does, in a sentence or two."),
    rule: Rule,
    parameters: Type.Array(
      Type.Object({
        label: text("What to fill in."),
        pointer: text("JSON Pointer to its place in the rule."),
        is_example: flag(
          "The value in the rule is an example from another shop: ask for the one of this shop. Otherwise it suits most shops.",
        ),
      }),
    ),
  },
  { title: "ReadyMadeRule", description: "A rule with examples in the places that are to be filled in." },
);
export type ReadyMadeRule = Wire<typeof ReadyMadeRule>;

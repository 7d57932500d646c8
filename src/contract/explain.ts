/** The history of every value of one item: from the source to the text in each feed. */
import { Type } from "./type.ts";
import { FeedFileName } from "./feeds.ts";
import { PublishedItem } from "./items.ts";
import { RuleChannel } from "./rules.ts";
import { Data, DateTime, flag, integer, ItemId, Nullable, text, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

const FIELD = text("Its name in a push and in rules.");
const value = (description: string) => Nullable(Type.String({ description }));

const Decider = Nullable(
  Type.Object(
    { key_id: Uuid, name: Nullable(Type.String({ description: "Null if the key no longer exists." })) },
    { title: "Decider", description: "The API key; null for a command on the server." },
  ),
);

const Note = Type.Object(
  {
    code: text("Of the warning; docs/errors.md lists them."),
    message: Type.String(),
    run_id: Uuid,
    position: Nullable(integer("Where in the source, counted from 1.")),
  },
  {
    title: "NormalizationNote",
    description:
      "A warning about this field when the item was read. The text as the source had it is not kept.",
  },
);

const Mapping = Type.Object(
  {
    path: text("The merchant's category path."),
    before: value("Always null: a category of the source's own stays."),
    after: value("The category; null: it was decided that none fits."),
    decided_at: DateTime,
    decided_by: Decider,
  },
  { title: "CategoryMappingStep", description: "A decision about the item's category path." },
);

const RuleStep = Type.Object(
  {
    rule: text("Its name."),
    version: integer("Of the rule set."),
    channel: Nullable(RuleChannel),
    before: value("Null: none."),
    after: value("Null: none."),
    refused: value("Why the value of the rule is not used; null if it is."),
  },
  {
    title: "RuleStep",
    description:
      "A rule that changed the value. `channel` is null for a change of the item; else only this channel has it.",
  },
);

const ApprovedStep = Type.Object(
  {
    proposal_id: Uuid,
    state: Type.Enum(["approved", "conflicted"], {
      description: "`conflicted`: the source now has another value than the one it was decided against.",
    }),
    extractor: Type.String({ examples: ["brand"] }),
    version: integer("Of the extractor."),
    is_generated: flag("Whether a model wrote it."),
    before: value("Null: none."),
    after: value("Null: none."),
    refused: value("Why the value is not used; null if it is."),
    decided_at: Nullable(DateTime),
    decided_by: Decider,
    reason: Nullable(Type.String()),
  },
  { title: "ApprovedStep", description: "An approved proposal, which wins over source and rules." },
);

const ExplainedColumn = Type.Object(
  {
    column: Type.String({
      description: "Of a table, or the member of a JSON object; inner members by their path.",
      examples: ["offers.price"],
    }),
    text: text("The final text, as a reader of the file gets it: without quotes and escapes."),
    form: Type.Enum(["as_is", "cut", "mapped", "combined", "conditional", "default"], {
      title: "ColumnForm",
      description:
        "`as_is`: the value itself. `cut`: its beginning. `mapped`: the same in another form. `combined`: made of several fields. `conditional`: the column is there because of the field, but its text is not made of the value. `default`: the item has no value, and the text comes from the catalog's settings.",
    }),
    cut_to: Nullable(integer("How many characters were kept; null if nothing was cut.")),
    limit: Nullable(integer("How many characters the column takes, if it is known to be limited.")),
    fields: Type.Array(Type.String(), { description: "All fields of the item on which the text depends." }),
  },
  { title: "ExplainedColumn" },
);
export type ExplainedColumn = Wire<typeof ExplainedColumn>;

const FieldInFile = Type.Object(
  {
    file: FeedFileName,
    outcome: Type.Enum(["written", "excluded", "not_written", "no_value", "not_in_file"], {
      title: "FieldOutcome",
      description:
        "`written`: it is in `columns`. `excluded`: the whole item is not in the file. `not_written`: the file has a place for the field, but not for this value, or not next to the item's other values. `no_value`: the item has none. `not_in_file`: the file has no place for the field.",
    }),
    message: text("The same as a sentence."),
    columns: Type.Array(ExplainedColumn, { description: "In the order of the file." }),
    empty_columns: Type.Array(Type.String(), {
      description: "Columns that would have the field, and are empty for this item.",
    }),
  },
  { title: "FieldInFile" },
);
export type FieldInFile = Wire<typeof FieldInFile>;

const ExplainedField = Type.Object(
  {
    field: FIELD,
    source: Type.Object({
      value: value("As it was read and normalized; null: none."),
      notes: Type.Array(Note),
    }),
    mapping: Nullable(Mapping),
    rules: Type.Array(RuleStep, { description: "In their order." }),
    approved: Nullable(ApprovedStep),
    value: value("What the item has after all this; null: none."),
    channels: Type.Array(
      Type.Object({
        channel: RuleChannel,
        value: value("What this channel has: it differs if a rule for this channel has changed it."),
        files: Type.Array(FieldInFile),
      }),
    ),
  },
  { title: "ExplainedField" },
);
export type ExplainedField = Wire<typeof ExplainedField>;

const ItemExplanation = Type.Object(
  {
    item_id: ItemId,
    title: Type.String(),
    source: Nullable(
      Type.Object(
        { id: Uuid, kind: Type.String(), name: Type.String() },
        { description: "Null for a pushed item, and for one whose source was removed." },
      ),
    ),
    run: Nullable(
      Type.Object(
        { run_id: Uuid, finished_at: DateTime },
        {
          description:
            "The newest successful sync of the source, or push. Null if it is too old to be known.",
        },
      ),
    ),
    rule_set_version: integer("0: there are no rules."),
    is_applied: flag(
      "False while a change of rules or a decision waits for its run: then this says what the run will do.",
    ),
    published: Nullable(PublishedItem),
    files: Type.Array(
      Type.Object(
        {
          file: FeedFileName,
          channel: RuleChannel,
          included: Type.Boolean({ description: "Whether the file has the item." }),
          refusal: Nullable(
            Type.Object({
              code: Type.String(),
              field: Nullable(text("The file's own name of the field that is wrong.")),
              message: Type.String(),
              remedy: value("What to do about it."),
              rule: value("The rule that leaves the item out, if it is one."),
            }),
          ),
          other_columns: Type.Array(Type.Object({ column: Type.String(), text: Type.String() }), {
            description: "Columns that no field of the item fills: settings of the catalog, and constants.",
          }),
        },
        { title: "ExplainedFile" },
      ),
    ),
    notes: Type.Array(Note, {
      description: "Warnings about the item that concern none of the fields below.",
    }),
    fields: Type.Array(ExplainedField, {
      description:
        "Every field that has a value, or had one, or whose value was refused; with `field`, this one.",
    }),
  },
  { title: "ItemExplanation" },
);
export type ItemExplanation = Wire<typeof ItemExplanation>;

export const ExplainAnswer = Data(
  ItemExplanation,
  "Where each value of the item comes from, and what becomes of it in each feed.",
);

const FILTER = {
  field: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Only this field, also if the item has no value. Google's names are known too.",
      examples: ["title"],
    }),
  ),
  channel: Type.Optional(RuleChannel),
};

export const ExplainQuery = Type.Object(FILTER, { additionalProperties: false });
export const ExplainOneQuery = Type.Object({ id: ItemId, ...FILTER }, { additionalProperties: false });
export type ExplainQuery = Wire<typeof ExplainQuery>;

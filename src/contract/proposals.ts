/** Values that are proposed for items, and a person's decisions about them. */
import { Type } from "./type.ts";
import {
  Cursor,
  Data,
  DateTime,
  flag,
  integer,
  ItemId,
  Limit,
  NextCursor,
  Nullable,
  number,
} from "./shapes.ts";
import { text, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";
import { Plan } from "./plans.ts";

const ProposalState = Type.Enum(["pending", "approved", "rejected", "stale", "conflicted", "retired"], {
  title: "ProposalState",
  description:
    "`pending`: to be decided. `approved`: in force. `rejected`: not proposed again. `stale`: the source has changed, so it is no longer proposed. `conflicted`: approved and in force, but the source now has another value, or the text that it was found in has changed: decide again. `retired`: the source now has this value itself, or another one was approved. If the source goes back to what it had, the value is in force again.",
});
export type ProposalState = Wire<typeof ProposalState>;

const Evidence = Type.Object(
  {
    item_id: Type.Optional(
      Type.String({ description: "Of another item of the group, if it is not the same." }),
    ),
    field: text("Where it was found."),
    from: integer("First character, from 0, in UTF-16 units."),
    to: integer("The character after the last."),
    text: text("What stands there."),
    before: Type.Optional(
      Type.String({
        description: "What stands before it, if the item still has the text: up to 80 characters.",
      }),
    ),
    after: Type.Optional(Type.String({ description: "What stands after it." })),
  },
  { title: "Evidence" },
);
export type Evidence = Wire<typeof Evidence>;

/** Proposals from this confidence up may be approved together. Of suggested categories at most 3 % were wrong then. */
export const BULK_CONFIDENCE = 0.8;

export const Proposal = Type.Object(
  {
    id: Uuid,
    item_id: ItemId,
    title: Nullable(text("Of the item; null if it is gone.")),
    field: text("Its name in a push."),
    source_value: Nullable(Type.String({ description: "What the source has now; null: nothing." })),
    current: Nullable(Type.String({ description: "The value when it was proposed; null: none." })),
    value: text("The proposed value."),
    value_name: Nullable(
      text("What the value is in words: the path of a Google category. Null if it says so itself."),
    ),
    extractor: Type.String({ examples: ["brand"] }),
    version: integer("Of the extractor."),
    evidence: Type.Array(Evidence),
    confidence: number("0 to 1; docs/enrichment.md says what it means."),
    is_grounded: flag("Whether every word of the value is in the evidence or in a closed vocabulary."),
    is_generated: flag("Whether a model wrote it."),
    rule: Nullable(Type.String({ description: "The audit rule whose finding it resolves." })),
    gain: number("Points of the catalog's score that it alone gains."),
    state: ProposalState,
    conflict: Nullable(
      Type.Enum(["source_value", "evidence"], {
        description:
          "Of a conflicted one: whether the source's value has changed, or only the text that the value was found in.",
      }),
    ),
    group: text("Equal for proposals of the same value by the same extractor."),
    created_at: DateTime,
    decided_at: Nullable(DateTime),
    decided_by: Nullable(Type.String({ description: "The id of the key; null for the command line." })),
    decision_id: Nullable(
      Type.String({ format: "uuid", description: "The last decision about it; null if there is none." }),
    ),
    reason: Nullable(Type.String()),
    note: Nullable(
      Type.String({ description: "Why, in the words of who proposed it; null for extractors." }),
    ),
    prompt_hash: Nullable(
      Type.String({ description: "SHA-256 of a model's instructions; null unless a model proposed it." }),
    ),
  },
  { title: "Proposal" },
);
export type Proposal = Wire<typeof Proposal>;

const ProposalGroup = Type.Object(
  {
    group: Type.String(),
    extractor: Type.String(),
    field: Type.String(),
    value: Type.String(),
    rule: Nullable(Type.String()),
    items: Type.Integer(),
    gain: number(
      "Sum of the points that each gains alone. Gains of several groups overlap: a dry run of all of their ids has the exact sum.",
    ),
    confidence: number("The lowest that any of the group has, or had since the group exists."),
    is_grounded: Type.Boolean(),
    is_generated: Type.Boolean(),
    examples: Type.Array(Proposal, { description: "Up to ten." }),
  },
  { title: "ProposalGroup" },
);
export type ProposalGroup = Wire<typeof ProposalGroup>;

export const ProposalQuery = Type.Object(
  {
    state: Type.Optional(ProposalState),
    group: Type.Optional(Type.String({ pattern: "^[0-9a-f]{32}$", description: "Only of this group." })),
    item_id: Type.Optional(ItemId),
    field: Type.Optional(Type.String({ maxLength: 100 })),
    cursor: Cursor,
    limit: Limit,
  },
  { additionalProperties: false },
);

export const GroupQuery = Type.Object(
  {
    state: Type.Optional(ProposalState),
    field: Type.Optional(Type.String({ maxLength: 100 })),
    cursor: Cursor,
    limit: Limit,
  },
  { additionalProperties: false },
);

export const ProposalsAnswer = Data(
  Type.Object({ proposals: Type.Array(Proposal), next_cursor: NextCursor }),
  "A page of proposals, in order of item.",
);
export const ProposalGroupsAnswer = Data(
  Type.Object({
    groups: Type.Array(ProposalGroup),
    counts: Type.Record(Type.String(), Type.Integer(), { description: "Proposals by state." }),
    next_cursor: NextCursor,
  }),
  "A page of groups, the largest gain first.",
);

const REASON = Type.Optional(
  Type.String({ maxLength: 1_000, pattern: "^[^\\u0000]*$", description: "Kept with the decision." }),
);
const GROUP = Type.String({ pattern: "^[0-9a-f]{32}$" });

export const Decide = Type.Object(
  {
    ids: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: 10_000, uniqueItems: true })),
    decision_id: Type.Optional(
      Type.String({
        format: "uuid",
        description:
          "Only to withdraw: undoes this decision. Its proposals, and values that they replaced, are as they were before.",
      }),
    ),
    group: Type.Optional(GROUP),
    expected: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: "Required with a group: how many you saw. With another number, nothing is decided.",
      }),
    ),
    state: Type.Optional(ProposalState),
    reason: REASON,
    dry_run: Type.Optional(flag("Only says what an approval would do.")),
  },
  {
    title: "Decide",
    additionalProperties: false,
    description:
      "Either `ids`, or a `group` with the number expected; with a `state`, only its proposals in this state. Values that are not grounded or have a confidence below 0.8 are approved one at a time. `decision_id` undoes a decision.",
    examples: [{ group: "5d41402abc4b2a76b9719d911017c592", expected: 412 }],
  },
);
export type Decide = Wire<typeof Decide>;

export const DecidedAnswer = Data(
  Type.Object(
    {
      decided: integer("How many were decided now. Those that were already are not counted."),
      unchanged: integer("How many were in that state already."),
      run_id: Nullable(
        Type.String({
          format: "uuid",
          description: "The run that applies the values; null if there is nothing to apply.",
        }),
      ),
      decision_id: Nullable(
        Type.String({ format: "uuid", description: "To undo it; null if nothing was decided." }),
      ),
      plan: Type.Optional(Plan),
    },
    { title: "Decided" },
  ),
  "What was decided. The feeds change with the next sync or POST /feeds.",
);

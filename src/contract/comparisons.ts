/** The comparison of two renders: what differs in their files, item by item, each difference with its cause. */
import { Type } from "./type.ts";
import { JSON_LINES_TYPES } from "./catalog.ts";
import { FeedFileName } from "./feeds.ts";
import { DateTime, integer, Nullable, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

export const CAUSES = [
  "source",
  "overlay",
  "rule",
  "category_mapping",
  "settings",
  "channel_table",
  "clock",
  "unknown",
] as const;

const CauseKind = Type.Enum([...CAUSES], {
  title: "DifferenceCause",
  description:
    "`source`: a sync or a push changed the item. `overlay`: a decision about a proposed value. `rule`: the rules. `category_mapping`: a decision about a category path. `settings`: the catalog's settings or name. `channel_table`: another version of Shelfwire writes the file in another way. `clock`: time alone, such as the beginning of a sale, or another day for rules that count days. `unknown`: several of these can have changed it, and what is kept does not say which.",
});
export type CauseKind = Wire<typeof CauseKind>;

const Cause = Type.Object({
  kind: CauseKind,
  run_id: Type.Optional(
    Type.String({ format: "uuid", description: "The sync or push, if it is known that it is this one." }),
  ),
  version: Type.Optional(Type.Integer({ description: "The version of the rules, if only one can be it." })),
  proposal_id: Type.Optional(Uuid),
  item_id: Type.Optional(
    Type.String({
      description:
        "The other item of the group that changed. The source's values of the item itself did not.",
    }),
  ),
});
export type Cause = Wire<typeof Cause>;

const ChangeKind = Type.Enum(["added", "removed", "changed"]);

const Difference = Type.Object(
  {
    file: FeedFileName,
    change: ChangeKind,
    field: Nullable(
      Type.String({
        description:
          "The column, or the path in the JSON object. Null: the whole item is new in the file, or gone.",
        examples: ["price", "offers.price"],
      }),
    ),
    before: Nullable(Type.String()),
    after: Nullable(Type.String()),
    cause: Cause,
  },
  { title: "Difference" },
);
export type Difference = Wire<typeof Difference>;

export const ComparedItem = Type.Object(
  {
    item_id: Type.String(),
    change: ChangeKind,
    differences: Type.Array(Difference),
  },
  { title: "ComparedItem", description: "An item that is not the same in the files of both renders." },
);
export type ComparedItem = Wire<typeof ComparedItem>;

const ComparedRender = Type.Object({
  run_id: Uuid,
  rendered_at: DateTime,
  items: integer("Items in the catalog when it was rendered."),
});

/** What happened between the two renders. */
export const Between = Type.Object(
  {
    runs: Type.Array(
      Type.Object({
        run_id: Uuid,
        kind: Type.Enum(["sync", "push", "removal"]),
        source_id: Nullable(Uuid),
        finished_at: DateTime,
      }),
      { maxItems: 100, description: "Syncs and pushes that changed items, the newest first; up to 100." },
    ),
    rule_versions: Type.Array(Type.Integer(), { description: "Rules that came into force." }),
    category_mappings: Type.Boolean({ description: "Whether decisions about category paths changed." }),
    decisions: integer("Decisions about proposed values."),
    settings: Type.Array(Type.String(), { description: "Names of the settings that changed." }),
    renderer: Type.Boolean({ description: "Whether another version of Shelfwire wrote the files." }),
  },
  { title: "BetweenRenders" },
);
export type Between = Wire<typeof Between>;

export const ComparisonHead = Type.Object({
  before: ComparedRender,
  after: ComparedRender,
  between: Between,
});
export type ComparisonHead = Wire<typeof ComparisonHead>;

const counts = (names: readonly string[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Type.Integer()])));

export const ComparisonTotals = Type.Object(
  {
    items: Type.Object({
      added: Type.Integer(),
      removed: Type.Integer(),
      changed: integer("Items of both renders that a file shows differently."),
      unchanged: integer("Added, changed and unchanged items are those of the later render."),
    }),
    differences: Type.Integer(),
    by_cause: counts(CAUSES),
    by_file: counts(["acp.csv", "acp.json", "gmc.tsv", "jsonld.json"]),
    listed: integer("How many items are listed: all that differ, or `limit`."),
  },
  {
    title: "ComparisonTotals",
    description: "All differences, listed or not. Those by cause and those by file add up to `differences`.",
  },
);
export type ComparisonTotals = Wire<typeof ComparisonTotals>;

export const ComparisonParams = Type.Object({
  id: Type.String({ format: "uuid", pattern: "^[0-9A-Fa-f-]{36}$", description: "The run of a render." }),
  other: Type.String({
    format: "uuid",
    pattern: "^[0-9A-Fa-f-]{36}$",
    description: "The run of another one.",
  }),
});

export const ComparisonQuery = Type.Object(
  {
    file: Type.Optional(FeedFileName),
    cause: Type.Optional(CauseKind),
    limit: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000,
        description: "How many items to list at most; all without it. The totals are those of all.",
      }),
    ),
  },
  { additionalProperties: false },
);

const ComparisonLine = Type.Union([
  Type.Object({ comparison: ComparisonHead }, { description: "The first line." }),
  Type.Object({ item: ComparedItem }, { description: "One line for each item." }),
  Type.Object(
    { totals: ComparisonTotals },
    { description: "The last line; without it the list is not complete." },
  ),
]);

export const ComparisonAnswer = {
  description: "The differences, sent as they are found.",
  content: {
    "application/json": {
      schema: Type.Object({
        data: Type.Object({
          ...ComparisonHead.properties,
          items: Type.Array(ComparedItem, { description: "In feed order." }),
          totals: ComparisonTotals,
        }),
      }),
    },
    [JSON_LINES_TYPES[0]]: { schema: ComparisonLine },
  },
};

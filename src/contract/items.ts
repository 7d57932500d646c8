/** The items resource: the catalog, and for one item its audit and its form in each feed. */
import { Type } from "./type.ts";
import { Grade } from "./audits.ts";
import { FeedFileName } from "./feeds.ts";
import { Finding } from "./findings.ts";
import { Guard } from "./publish-guard.ts";
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
  text,
  Uuid,
} from "./shapes.ts";
import type { Wire } from "./shapes.ts";
import { SyncStats } from "./syncs.ts";

const Money = Type.Object(
  {
    amount: text("An exact decimal."),
    currency: text("ISO 4217."),
  },
  { title: "Money", examples: [{ amount: "9.50", currency: "USD" }] },
);

const ItemFields = Type.Object(
  {
    id: Type.String(),
    group_id: Type.Optional(Type.String()),
    title: Type.String(),
    link: Type.Optional(Type.String()),
    price: Money,
    sale_price: Type.Optional(Money),
    availability: Type.String(),
    google: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Union([
          Type.String(),
          Type.Array(Type.String()),
          Type.Array(
            Type.Record(Type.String(), Type.String(), { description: "One group, by sub-attribute." }),
          ),
        ]),
        {
          description:
            "Attributes only for Google, with the names of its product data specification and the values of `gmc.tsv`.",
          examples: [
            {
              pause: "ads",
              excluded_destination: ["Shopping_ads"],
              installment: [{ months: "6", amount: "30.00 EUR" }],
            },
          ],
        },
      ),
    ),
  },
  { title: "Item", additionalProperties: true, description: "Every field that is known; see docs/feeds.md." },
);

const Score = Nullable(
  Type.Integer({ minimum: 0, maximum: 100, description: "Null until an audit has seen the item." }),
);

export const ItemsQuery = Type.Object(
  {
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: "^[^\\u0000]*$",
        description:
          "Words that the item's id, title, brand, GTIN, SKU or MPN must contain, all of them, in any case and with or without accents. Finds items as they were in the last render.",
        examples: ["blue mug"],
      }),
    ),
    source_id: Type.Optional(
      Type.Union([Uuid, Type.Literal("pushed")], {
        description: "Items of this source; `pushed`: items that no source has.",
      }),
    ),
    group_id: Type.Optional(ItemId),
    finding: Type.Optional(
      Type.String({
        maxLength: 100,
        description: "Items on which the newest audit found something by this rule.",
        examples: ["content.images_extra"],
      }),
    ),
    refused_in: Type.Optional(FeedFileName),
    cursor: Cursor,
    limit: Limit,
  },
  { additionalProperties: false },
);

export type ItemsQuery = Wire<typeof ItemsQuery>;

export const ItemsAnswer = Data(
  Type.Object({
    items: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          group_id: Nullable(Type.String()),
          title: Type.String(),
          brand: Nullable(Type.String()),
          link: Nullable(Type.String()),
          image: Nullable(Type.String()),
          price: Money,
          availability: Type.String(),
          source_id: Nullable(Uuid),
          score: Score,
          findings: Nullable(Type.Integer()),
        },
        { title: "ItemSummary" },
      ),
    ),
    next_cursor: NextCursor,
  }),
  "A page of items: by id, or with `q` or `refused_in` in the order of the feeds. A filtered page may be short, or empty, and still have a next one.",
);
export type ItemsAnswer = Wire<typeof ItemsAnswer>;
export type ItemSummary = Wire<typeof ItemsAnswer>["data"]["items"][number];

const ServedDifference = Type.Object(
  {
    file: FeedFileName,
    field: Nullable(
      Type.String({ description: "The column, or the path in the JSON object; null: the whole item." }),
    ),
    served: Nullable(text("What the served file has.")),
    catalog: Nullable(text("What the file would have if it were rendered now.")),
    is_served: Type.Optional(
      flag(
        "Only if `field` is null: true if the served file has the item and a new one would not, false if it is the other way around.",
      ),
    ),
  },
  { title: "ServedDifference" },
);
export type ServedDifference = Wire<typeof ServedDifference>;

export const PublishedItem = Type.Object(
  {
    run_id: Uuid,
    rendered_at: DateTime,
    is_current: flag("Whether the files have been rendered since the catalog last changed."),
    differences: Nullable(
      Type.Array(ServedDifference, {
        description:
          "What the served files have of this item, next to what the catalog has. Null if the files cannot be read for it.",
      }),
    ),
  },
  {
    title: "PublishedItem",
    description: "The render that the feed URLs serve; null before the first.",
  },
);
export type PublishedItem = Wire<typeof PublishedItem>;

export const ItemAnswer = Data(
  Type.Object({
    item: ItemFields,
    source_id: Nullable(Uuid),
    source: Nullable(
      Type.Object(
        { id: Uuid, kind: Type.String(), name: Type.String() },
        { description: "Where the item comes from; null for a pushed item." },
      ),
    ),
    score: Score,
    audit: Type.Object(
      {
        score: Type.Integer({ minimum: 0, maximum: 100 }),
        grade: Grade,
        stake: integer("Points of the rules that applied and could be judged, of 100."),
        blocked_by: Type.Array(Type.String(), { description: "Channels that refuse the item." }),
        findings: Type.Array(Finding, { description: "Sorted by lost points, most first." }),
        unknown: Type.Array(Type.String(), { description: "Rules that could not be judged." }),
        not_applicable: Type.Array(Type.String()),
      },
      { title: "ItemAudit", description: "An audit of the current item." },
    ),
    published: Nullable(PublishedItem),
    feeds: Type.Array(
      Type.Object(
        {
          file: FeedFileName,
          included: Type.Boolean({ description: "Whether the file has the item." }),
          refusal: Nullable(
            Type.Object({
              code: Type.String(),
              field: Nullable(Type.String()),
              message: Type.String(),
              remedy: Nullable(Type.String({ description: "What to do about it." })),
            }),
          ),
          text: Nullable(text("The item as this file has it.")),
          columns: Nullable(
            Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
              description: "The filled cells of its row, in the order of the file. Null for JSON files.",
            }),
          ),
        },
        { title: "ItemInFeed" },
      ),
      { minItems: 4, maxItems: 4 },
    ),
  }),
  "The item, its findings, and its form in each feed.",
);
export type ItemAnswer = Wire<typeof ItemAnswer>;

const RemovalFilter = {
  q: ItemsQuery.properties.q,
  group_id: ItemsQuery.properties.group_id,
  finding: ItemsQuery.properties.finding,
  refused_in: ItemsQuery.properties.refused_in,
};

export const RemoveItems = Type.Object(
  {
    ...RemovalFilter,
    ids: Type.Optional(Type.Array(ItemId, { minItems: 1, maxItems: 1_000 })),
    all: Type.Optional(flag("Every pushed item. Without it, `ids` or a filter is needed.")),
    dry_run: Type.Optional(flag("Only says how many items match.")),
    expected: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: "How many items you expect to be removed: 409 if it is another number by now.",
      }),
    ),
    guard: Guard,
  },
  {
    title: "RemoveItems",
    additionalProperties: false,
    description: "The filters are those of GET /items, and only pushed items match.",
    examples: [{ q: "blue mug", dry_run: true }],
  },
);
export type RemoveItems = Wire<typeof RemoveItems>;

export const RemovedItemsAnswer = Data(
  Type.Object({
    matched: integer("How many pushed items match."),
    examples: Type.Array(Type.String(), { description: "The first ids." }),
    run_id: Nullable(Uuid),
    stats: Nullable(SyncStats),
  }),
  "What was removed; `run_id` and `stats` are null for a dry run.",
);
export type RemovedItemsAnswer = Wire<typeof RemovedItemsAnswer>;

export const OneItem = Type.Object({ id: ItemId }, { additionalProperties: false });

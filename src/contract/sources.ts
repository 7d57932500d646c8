/** The sources resource: where a catalog is pulled from. Secrets go in and never come out; only their names do. */
import { Type } from "typebox";
import { Data, DateTime, Failure, Nullable, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";
import { Rejection, RunStatus, SyncStats, Warning } from "./syncs.ts";

/** Five minutes to seven days. */
export const MIN_INTERVAL_S = 300;
export const MAX_INTERVAL_S = 604_800;

/** Not blank, and nothing the database cannot hold. The two classes before the rest exclude each other: linear time. */
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: "^\\s*[^\\s\\u0000][^\\u0000]*$" });
const Kind = Type.String({ description: "GET /sources/kinds lists them.", examples: ["feed_url"] });
const Interval = Type.Integer({
  minimum: MIN_INTERVAL_S,
  maximum: MAX_INTERVAL_S,
  description: "Seconds between two automatic syncs.",
});
const Ratio = Type.Number({
  minimum: 0,
  maximum: 1,
  description: "The largest share of its items one sync may remove.",
});

const LastRun = Type.Object(
  {
    run_id: Uuid,
    status: RunStatus,
    stats: SyncStats,
    error: Nullable(Failure),
    finished_at: Nullable(DateTime),
  },
  { title: "LastRun" },
);

export const Source = Type.Object(
  {
    id: Uuid,
    kind: Kind,
    name: Type.String(),
    settings: Type.Record(Type.String(), Type.String(), { description: "Without secrets." }),
    secrets_set: Type.Array(Type.String(), { description: "The names of the secrets that are set." }),
    enabled: Type.Boolean(),
    interval_s: Type.Integer(),
    max_removed_ratio: Type.Number(),
    item_count: Type.Integer({ description: "Items of the catalog that this source owns." }),
    last_run: Nullable(LastRun),
    next_run_at: Nullable(DateTime),
    created_at: DateTime,
  },
  { title: "Source" },
);
export type Source = Wire<typeof Source>;

export const SourceAnswer = Data(Source, "The source as it is stored.");
export const SourcesAnswer = Data(
  Type.Object({ sources: Type.Array(Source) }),
  "Every source with its last run.",
);

/** Nothing the database cannot hold. */
const SettingText = Type.String({ pattern: "^[^\\u0000]*$" });

const GivenSettings = Type.Record(Type.String(), SettingText, {
  description: "Settings by name, secrets among them. GET /sources/kinds says which there are.",
});

export const NewSource = Type.Object(
  {
    kind: Kind,
    settings: GivenSettings,
    name: Type.Optional(Name),
    enabled: Type.Optional(
      Type.Boolean({ description: "Whether it is synced by itself; true unless told." }),
    ),
    interval_s: Type.Optional(Interval),
    max_removed_ratio: Type.Optional(Ratio),
  },
  { additionalProperties: false },
);
export type NewSource = Wire<typeof NewSource>;

export const ChangedSource = Type.Object(
  {
    id: Uuid,
    settings: Type.Optional(
      Type.Record(Type.String(), Nullable(SettingText), {
        description:
          "Only those that change; null unsays one. Where the secrets would go to another host than before, they are entered anew.",
      }),
    ),
    name: Type.Optional(Name),
    enabled: Type.Optional(Type.Boolean({ description: "Switching it on makes it due at once." })),
    interval_s: Type.Optional(Interval),
    max_removed_ratio: Type.Optional(Ratio),
  },
  { additionalProperties: false },
);
export type ChangedSource = Wire<typeof ChangedSource>;

export const RemovedSource = Type.Object(
  {
    id: Uuid,
    items: Type.Enum(["keep", "remove"], {
      description:
        "`keep`: its items stay, as pushed items that the next PUT of the catalog owns, unless a source brings them first: it takes them over. `remove`: they go with it.",
    }),
  },
  { additionalProperties: false },
);
export type RemovedSource = Wire<typeof RemovedSource>;

export const RemovedSourceAnswer = Data(
  Type.Object({
    id: Uuid,
    deleted: Type.Literal(true),
    items_kept: Type.Integer(),
    items_removed: Type.Integer(),
    /** Of the run that keeps or removes the items, after a 202. Null: it is done. */
    run_id: Nullable(Uuid),
  }),
  "The source is removed.",
);

export const TriedSource = Type.Object(
  {
    id: Type.Optional(Uuid),
    kind: Type.Optional(Kind),
    settings: Type.Optional(
      Type.Record(Type.String(), Nullable(SettingText), {
        description: "With `kind`: all settings. With `id`: those to try in place of the saved ones.",
      }),
    ),
  },
  { additionalProperties: false, description: "The `id` of a saved source, or a `kind` with its settings." },
);
export type TriedSource = Wire<typeof TriedSource>;

export const TriedAnswer = Data(
  Type.Object({
    probe: Nullable(
      Type.Object({
        facts: Type.Array(Type.Object({ label: Type.String(), value: Type.String() })),
        notes: Type.Array(Type.String(), { description: "What will be missing or left out." }),
      }),
    ),
    items: Type.Array(Type.Object({ id: Type.String() }, { additionalProperties: true }), {
      description: "The first items as they would be published.",
    }),
    rejections: Type.Array(Rejection),
    warnings: Type.Array(Warning),
    feeds: Type.Array(
      Type.Object({
        file: Type.String({ examples: ["acp.csv"] }),
        written: Type.Integer({ description: "Items of the sample that would be in the file." }),
        excluded: Type.Integer({ description: "Items of the sample that would not." }),
        reasons: Type.Array(
          Type.Object({
            code: Type.String({ examples: ["missing_brand"] }),
            count: Type.Integer(),
            message: Type.String({ description: "What is missing, and what to do about it." }),
          }),
          { description: "The commonest first." },
        ),
      }),
      { description: "What each file would carry of the items: what a whole read would lose." },
    ),
    suggestion: Nullable(
      Type.Object(
        {
          seen: Type.Array(Type.String(), { description: "The columns of the file." }),
          missing: Type.Array(Type.String(), {
            description: "Fields that every item needs and no column feeds.",
          }),
          columns: Type.String({ description: "Text for the setting `columns`; replace each ???." }),
          link_template: Nullable(Type.String({ description: "Text for the setting `link_template`." })),
        },
        { description: "Settings to try when the columns of a feed were not understood." },
      ),
    ),
    is_whole: Type.Boolean({ description: "The source has no more than this." }),
  }),
  "What a sync would read first, and what would become of it.",
);

export const KindsAnswer = Data(
  Type.Object({
    kinds: Type.Array(
      Type.Object({
        kind: Kind,
        label: Type.String(),
        fields: Type.Array(
          Type.Object({
            name: Type.String(),
            label: Type.String(),
            help: Type.String(),
            required: Type.Boolean(),
            secret: Type.Boolean({ description: "Sealed at rest and never shown again." }),
            choices: Nullable(Type.Array(Type.String())),
            default: Nullable(Type.String()),
          }),
        ),
      }),
    ),
  }),
  "Every kind with its settings.",
);

/** The sources resource: where a catalog is pulled from. Secrets are never returned, only their names. */
import { Type } from "./type.ts";
import { Data, DateTime, Failure, flag, integer, Nullable, text, Uuid, SettingField } from "./shapes.ts";
import type { Wire } from "./shapes.ts";
import { SOURCE_FIELDS, limitsOf } from "./form-fields.ts";
import { CatalogState } from "./status.ts";
import { SAMPLE } from "./samples.ts";
import { RunStatus, SyncStats } from "./syncs.ts";

/** Five minutes to seven days. */
export const MIN_INTERVAL_S = 300;
export const MAX_INTERVAL_S = 604_800;

/** Not blank, without NUL. The first two character classes are disjoint, so that matching takes linear time. */
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: "^\\s*[^\\s\\u0000][^\\u0000]*$" });
const Kind = Type.String({ description: "GET /sources/kinds lists them.", examples: ["feed_url"] });
const Interval = Type.Integer({
  minimum: MIN_INTERVAL_S,
  maximum: MAX_INTERVAL_S,
  description: "Seconds between two automatic syncs.",
});
const Ratio = Type.Number({
  ...limitsOf(SOURCE_FIELDS.max_removed_ratio),
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

const ShopWebhooks = Type.Object(
  {
    status: Type.Enum(["pending", "active", "off"], {
      description:
        "`active`: the shop reports changes, which are read within seconds. `off`: see `message`; syncs by schedule go on.",
    }),
    message: Nullable(text("Why they are off, and what to do.")),
    checked_at: Nullable(DateTime),
  },
  {
    title: "ShopWebhooks",
    description:
      "Our webhooks at the shop. Null before the first sync, without the setting `webhooks`, and for feeds.",
  },
);

const Deletions = Type.Object(
  {
    found_by: Type.Array(
      Type.Enum(["webhook", "events", "id_listing", "full_read"], {
        description:
          "`webhook`: the shop reports deletions. `events`: the shop's list of deleted products is read every hour. `id_listing`: the ids of all products are listed every hour. `full_read`: a sync that reads everything.",
      }),
    ),
    detail: text("How deletions are found, and the problem of the last check, if any."),
    checked_at: Nullable(DateTime),
  },
  {
    title: "Deletions",
    description:
      "How products that were deleted in the shop are found. `checked_at`: when the shop was asked last between syncs.",
  },
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
    item_count: integer("Items of the catalog that this source owns."),
    shop_webhooks: Nullable(ShopWebhooks),
    deletions: Deletions,
    state: CatalogState,
    reason: Nullable(text("Why the state is not `ok`, in one sentence, as in GET /catalog/status.")),
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

/** PostgreSQL cannot store NUL. */
const SettingText = Type.String({ pattern: "^[^\\u0000]*$" });

const NewSettings = Type.Record(Type.String(), SettingText, {
  description: "Settings by name, including secrets. GET /sources/kinds lists them.",
});

const Schedule = { interval_s: Type.Optional(Interval), max_removed_ratio: Type.Optional(Ratio) };

export const NewSource = Type.Object(
  {
    kind: Kind,
    settings: NewSettings,
    name: Type.Optional({
      ...Name,
      description: "Unless set, the shop's host, with the path or a number if another source has this name.",
    }),
    enabled: Type.Optional(flag("Whether it is synced automatically; default true.")),
    ...Schedule,
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
          "Only those that change; null clears a setting. If the host changes, secrets must be sent again.",
      }),
    ),
    name: Type.Optional(Name),
    enabled: Type.Optional(flag("When enabled, it is due at once.")),
    ...Schedule,
    guard: Type.Optional(
      Type.Enum(["publish", "hold"], {
        description:
          "What the next sync does if the new settings change the files by more than the limits of the publish guard: `publish` (the default) publishes them, since the change is intended; `hold` waits for a person's decision.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type ChangedSource = Wire<typeof ChangedSource>;

export const RemovedSource = Type.Object(
  {
    id: Uuid,
    items: Type.Enum(["keep", "remove"], {
      description:
        "`keep`: its items become pushed items, until a source has them again or a PUT of the catalog replaces them. `remove`: its items are removed.",
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
    /** After a 202: the run that keeps or removes the items. Null if the removal is complete. */
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
        notes: Type.Array(Type.String(), { description: "What will be missing or excluded." }),
      }),
    ),
    ...SAMPLE,
  }),
  "The first items that a sync would read, and their results.",
);

export const KindsAnswer = Data(
  Type.Object({
    kinds: Type.Array(
      Type.Object({
        kind: Kind,
        label: Type.String(),
        fields: Type.Array(SettingField),
      }),
    ),
  }),
  "Every kind with its settings.",
);

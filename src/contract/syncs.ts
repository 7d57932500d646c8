/** The syncs resource: runs that pulled a source or merged a push. */
import { Type } from "./type.ts";
import type { TSchema } from "typebox";
import { Data, DateTime, Failure, flag, integer, Nullable, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";
import { SyncPlan } from "./plans.ts";
import { Guard, PublishedLimits } from "./publish-guard.ts";

/** The serializer writes the keys in this order. */
const finding = <Position extends TSchema>(position: Position) => ({
  item_id: Nullable(Type.String()),
  position,
  field: Nullable(Type.String()),
  code: Type.String(),
  message: Type.String(),
});

export const Rejection = Type.Object(finding(integer("Where in the source, counted from 1.")), {
  title: "Rejection",
  description: "An item that was not stored, and why.",
  examples: [
    {
      item_id: "mug-7",
      position: 7,
      field: "price",
      code: "missing_price",
      message: "The item has no price.",
    },
  ],
});
export type Rejection = Wire<typeof Rejection>;

export const Warning = Type.Object(finding(Nullable(Type.Integer())), {
  title: "Warning",
  description:
    "A problem that did not reject the item. Without item and position it is about the whole source.",
});
export type Warning = Wire<typeof Warning>;

export const SyncStats = Type.Object(
  {
    seen: integer("Items seen in the source: upserted + unchanged + rejected."),
    upserted: integer("Items created or changed."),
    rejected: Type.Integer(),
    warnings: Type.Integer(),
    rejections: Type.Array(Rejection, {
      maxItems: 100,
      description:
        "At most 100, spread over the codes: the first of each, in the order of the source. `rejection_codes` counts them all.",
    }),
    rejection_codes: Type.Record(Type.String(), Type.Integer(), {
      description:
        "How many items were rejected for each reason; the sum is `rejected`. Empty for runs of versions that did not count them.",
      examples: [{ missing_link: 39, unpublished: 104 }],
    }),
    unchanged: Type.Integer(),
    removed: integer("Items that the source no longer has."),
    not_read: integer(
      "Items that were not read, because only changes were requested, and that stay as they are. 0 if everything was read.",
    ),
    warning_codes: Type.Record(Type.String(), Type.Integer(), {
      description: "How often each warning was raised; the sum is `warnings`.",
    }),
    warning_examples: Type.Array(Warning, { maxItems: 100, description: "The first of each code." }),
    error: Type.Optional(
      Type.Object(Failure.properties, { description: "Only of a failed run: why it failed." }),
    ),
    render_error: Type.Optional(
      Type.Object(Failure.properties, {
        description:
          "Only if the render after this sync failed or is held (`render_held`): the items are stored, and the feeds stay as they were.",
      }),
    ),
    guard: Type.Optional(PublishedLimits),
  },
  {
    title: "SyncStats",
    examples: [
      {
        seen: 120,
        upserted: 3,
        rejected: 0,
        warnings: 0,
        rejections: [],
        rejection_codes: {},
        unchanged: 117,
        removed: 1,
        not_read: 0,
        warning_codes: {},
        warning_examples: [],
      },
    ],
  },
);
export type SyncStats = Wire<typeof SyncStats>;

export const RunStatus = Type.Enum(["running", "succeeded", "failed"], {
  title: "RunStatus",
  description: "A run that waits for a worker is `running`, too.",
});
export type RunStatus = Wire<typeof RunStatus>;

export const SyncRun = Type.Object(
  {
    run_id: Uuid,
    source_id: Nullable(Uuid),
    status: RunStatus,
    stats: SyncStats,
    started_at: DateTime,
    finished_at: Nullable(DateTime),
  },
  { title: "SyncRun", description: "`source_id` is null for a push." },
);
export type SyncRun = Wire<typeof SyncRun>;

export const SyncsAnswer = Data(
  Type.Object({ syncs: Type.Array(SyncRun, { maxItems: 50 }) }),
  "The 50 most recent runs, newest first.",
);

export const TriggerSync = Type.Object(
  {
    source_id: Uuid,
    changes_only: Type.Optional(
      flag(
        "Read only what changed since the last sync, if the source can tell: the statistics have the other items as `not_read`. Default false.",
      ),
    ),
    dry_run: Type.Optional(
      flag(
        "Read the whole source, store nothing, and answer with the statistics and a `plan`: what the feeds, the findings and the score would be. It fails as the sync would. Default false.",
      ),
    ),
    max_removed_ratio: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description:
          "The share of its items that this one sync may remove, 0 to 1, in place of the limit of the source: 1 accepts any removal.",
      }),
    ),
    guard: Guard,
  },
  { title: "TriggerSync", description: "Fields that are not listed are ignored." },
);

export const SyncedAnswer = Data(
  Type.Object({
    run_id: Uuid,
    stats: SyncStats,
    plan: Type.Optional(SyncPlan),
  }),
  "The sync, the render and the audit after it are done. `plan` is there only in the answer to a dry run.",
);
export type SyncedAnswer = Wire<typeof SyncedAnswer>;

export const AcceptedAnswer = Data(
  Type.Object({ run_id: Uuid, status: Type.Literal("running") }),
  "The run continues in the background.",
);
export type AcceptedAnswer = Wire<typeof AcceptedAnswer>;

/** The header of every call that waits for a run. */
export const PREFER_HEADER = {
  prefer: Type.Optional(
    Type.String({
      description: "`respond-async` (RFC 7240): answer 202 at once; the run continues.",
      examples: ["respond-async"],
    }),
  ),
};
export const PreferHeaders = Type.Object(PREFER_HEADER);

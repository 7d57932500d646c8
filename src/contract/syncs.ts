/** The syncs resource: runs that pulled a source into the catalog. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { Data, DateTime, Nullable, Uuid } from "./shapes.ts";

export const SyncStats = Type.Object({
  seen: Type.Integer({ description: "Items seen in the source: upserted + unchanged + rejected." }),
  upserted: Type.Integer({ description: "Items created or really changed." }),
  rejected: Type.Integer(),
  warnings: Type.Integer(),
  rejections: Type.Array(
    Type.Object({
      item_id: Nullable(Type.String()),
      position: Type.Integer({ description: "Where in the source, counted from 1." }),
      field: Nullable(Type.String()),
      code: Type.String(),
      message: Type.String(),
    }),
    {
      maxItems: 100,
      description:
        "At most 100, spread over the codes: the first of each, in the order of the source. `rejection_codes` counts them all.",
    },
  ),
  rejection_codes: Type.Record(Type.String(), Type.Integer(), {
    description:
      "How many items were rejected for each reason; the sum is `rejected`. Empty for runs of versions that did not count them.",
    examples: [{ missing_link: 39, unpublished: 104 }],
  }),
  unchanged: Type.Integer(),
  removed: Type.Integer({ description: "Items that the source no longer has." }),
  warning_codes: Type.Record(Type.String(), Type.Integer(), {
    description: "How often each warning was raised; the sum is `warnings`.",
  }),
  warning_examples: Type.Array(
    Type.Object({
      item_id: Nullable(Type.String()),
      position: Nullable(Type.Integer()),
      field: Nullable(Type.String()),
      code: Type.String(),
      message: Type.String(),
    }),
    {
      maxItems: 100,
      description: "The first of each code; without item and position what concerns the source as a whole.",
    },
  ),
});

export const SyncRun = Type.Object({
  run_id: Uuid,
  source_id: Nullable(Uuid),
  status: Type.Union([Type.Literal("running"), Type.Literal("succeeded"), Type.Literal("failed")]),
  stats: SyncStats,
  started_at: DateTime,
  finished_at: Nullable(DateTime),
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
});
export type SyncRun = Static<typeof SyncRun>;

export const SyncsAnswer = Data(Type.Object({ syncs: Type.Array(SyncRun, { maxItems: 50 }) }));

export const TriggerSync = Type.Object({ source_id: Uuid });

export const SyncedAnswer = Data(Type.Object({ run_id: Uuid, stats: SyncStats }));

export const AcceptedAnswer = Data(Type.Object({ run_id: Uuid, status: Type.Literal("running") }));

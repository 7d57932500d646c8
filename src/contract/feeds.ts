/** The feeds resource: four hosted files and the render they came from. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { Data, DateTime, Nullable, Uuid } from "./shapes.ts";

export const FeedEntry = Type.Object({
  file: Type.Enum(["acp.csv", "acp.json", "gmc.tsv", "jsonld.json"]),
  content_type: Type.String(),
  url: Type.String({ format: "uri", description: "Public: whoever has it may fetch the file." }),
});
export type FeedEntry = Static<typeof FeedEntry>;

export const LastRender = Type.Object({
  run_id: Uuid,
  status: Type.Literal("succeeded"),
  stats: Type.Object(
    { items: Type.Integer({ description: "Items in the catalog when it was rendered." }) },
    { additionalProperties: true },
  ),
  started_at: DateTime,
  finished_at: DateTime,
});
export type LastRender = Static<typeof LastRender>;

export const FeedsAnswer = Data(
  Type.Object({
    feeds: Type.Array(FeedEntry, { minItems: 4, maxItems: 4 }),
    last_render: Nullable(LastRender),
  }),
);
export type FeedsAnswer = Static<typeof FeedsAnswer>;

export const RotateFeeds = Type.Object(
  {
    overlap_s: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7_776_000,
        default: 604_800,
        description: "How long the present URLs go on working, in seconds: up to 90 days. 0: not at all.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type RotateFeeds = Static<typeof RotateFeeds>;

export const RotatedFeedsAnswer = Data(
  Type.Object({
    feeds: Type.Array(FeedEntry, { minItems: 4, maxItems: 4, description: "The new URLs." }),
    previous_until: Type.String({ format: "date-time", description: "The previous URLs work until then." }),
  }),
);
export type RotatedFeedsAnswer = Static<typeof RotatedFeedsAnswer>;

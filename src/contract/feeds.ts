/** The feeds resource: four hosted files and the render they came from. */
import { Type } from "./type.ts";
import { Exceeded, Guard, PublishedLimits } from "./publish-guard.ts";
import { Data, DateTime, integer, Nullable, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

export const FeedFileName = Type.Enum(["acp.csv", "acp.json", "gmc.tsv", "jsonld.json"], {
  title: "FeedFile",
});
export type FeedFileName = Wire<typeof FeedFileName>;

export const FeedEntry = Type.Object(
  {
    file: FeedFileName,
    content_type: Type.String(),
    url: Type.String({ format: "uri", description: "Public: no API key is needed." }),
  },
  {
    title: "Feed",
    examples: [
      {
        file: "gmc.tsv",
        content_type: "text/tab-separated-values; charset=utf-8",
        url: "https://feeds.example/f/shop/token/gmc.tsv",
      },
    ],
  },
);
export type FeedEntry = Wire<typeof FeedEntry>;

export const LastRender = Type.Object(
  {
    run_id: Uuid,
    status: Type.Literal("succeeded"),
    stats: Type.Object(
      {
        items: integer("Items in the catalog when it was rendered."),
        guard: Type.Optional(PublishedLimits),
      },
      { additionalProperties: true },
    ),
    started_at: DateTime,
    finished_at: DateTime,
  },
  { title: "LastRender" },
);
export type LastRender = Wire<typeof LastRender>;

const HeldRender = Type.Object(
  {
    run_id: Uuid,
    since: Type.String({
      format: "date-time",
      description: "Since when the feed URLs serve older files because renders are held.",
    }),
    exceeded: Type.Array(Exceeded),
  },
  {
    title: "HeldRender",
    description:
      "Only while there is one: a render that exceeds limits of the publish guard: the URLs serve the files before it, until it is promoted or a newer render is published.",
  },
);

export const FeedsAnswer = Data(
  Type.Object({
    feeds: Type.Array(FeedEntry, { minItems: 4, maxItems: 4 }),
    last_render: Nullable(LastRender),
    held: Type.Optional(HeldRender),
    paused: Type.Optional(
      Type.Object(
        {
          since: DateTime,
          by: Type.String({ description: "The name of the API key, or the user who ran the command." }),
          reason: Type.String(),
        },
        {
          title: "PublicationPause",
          description:
            "Only after a rollback: renders are held until POST /renders/release. The URLs serve the files of `last_render`.",
        },
      ),
    ),
    behind: Type.Optional(
      Type.Object(
        {
          reason: Type.Enum(["held", "discarded", "paused"], {
            description:
              "`held`: new files wait for a decision. `discarded`: it was decided not to publish them. `paused`: publication is paused after a rollback.",
          }),
          run_id: Nullable(Uuid),
          changed_at: Type.String({ format: "date-time", description: "When the catalog last changed." }),
        },
        {
          title: "FeedsBehind",
          description:
            "Only while the catalog has changes that the files do not have because of a decision. `run_id` is the render that was not published; null if there was none yet.",
        },
      ),
    ),
    unpublished_changes: Type.Optional(
      integer(
        "Only if there are any: how many changes of rules, category mappings and approved values are not in the files yet. A saved rule set is one, a category path is one, a proposal is one.",
      ),
    ),
    previous_until: Type.Optional(
      Type.String({
        format: "date-time",
        description: "Only after a rotation: the previous URLs work too, until then.",
      }),
    ),
  }),
  "The four feeds and the render they came from.",
);
export type FeedsAnswer = Wire<typeof FeedsAnswer>;

export const RenderFeeds = Type.Object(
  { guard: Guard },
  { title: "RenderFeeds", description: "Needs no body. Fields that are not listed are ignored." },
);

/** The command line has the same default. */
export const DEFAULT_OVERLAP_S = 604_800;

export const RotateFeeds = Type.Object(
  {
    overlap_s: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7_776_000,
        default: DEFAULT_OVERLAP_S,
        description:
          "How long the current URLs keep working, in seconds: up to 90 days. 0: they stop at once.",
      }),
    ),
  },
  { title: "RotateFeeds", additionalProperties: false },
);

export const RotatedFeedsAnswer = Data(
  Type.Object({
    feeds: Type.Array(FeedEntry, { minItems: 4, maxItems: 4, description: "The new URLs." }),
    previous_until: Type.String({ format: "date-time", description: "The previous URLs work until then." }),
  }),
  "The new URLs, and how long the previous ones work.",
);

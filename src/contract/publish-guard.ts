/** The publish guard: its limits, and what a held render exceeds. */
import { Type } from "./type.ts";
import { Data, flag, Nullable } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

export const GUARD_SIGNALS = [
  "items_removed",
  "items_added",
  "items_refused",
  "price_zero",
  "price_jumps",
  "price_median",
  "currency_changed",
  "out_of_stock",
  "back_in_stock",
  "required_field_lost",
  "attribute_lost",
  "link_host",
  "image_host",
  "file_bytes",
  "same_title",
  "same_description",
  "same_link",
  "same_image",
  "same_price",
  "title_is_id",
  "titles_cut",
  "values_swapped",
  "garbled_text",
  "prices_far_apart",
  "tax_changed",
] as const;
const GuardSignal = Type.Enum([...GUARD_SIGNALS], { title: "GuardSignal" });
export type GuardSignal = Wire<typeof GuardSignal>;

const Figure = Nullable(Type.Union([Type.Number(), Type.String()]));

export const Exceeded = Type.Object(
  {
    signal: Type.String({
      description: "What was compared: one of GET /publish-guard.",
      examples: ["price_zero"],
    }),
    subject: Nullable(
      Type.String({
        description: "The file, the field or the currency it is about; null: the catalog.",
        examples: ["gmc.tsv"],
      }),
    ),
    before: Type.Union(Figure.anyOf, {
      description:
        "The figure of the published render, such as a number of items, a median price or a host. Null if there is none: `price_jumps` compares items one by one, and its message has their numbers.",
    }),
    after: Type.Union(Figure.anyOf, { description: "The same of the held render." }),
    change: Nullable(
      Type.Number({ description: "What is compared with the limit: a share, such as 0.41, or a factor." }),
    ),
    limit: Nullable(Type.Number({ description: "What would have been published." })),
    message: Type.String({ description: "What is wrong, with the figures and the limit, in a sentence." }),
  },
  {
    title: "Exceeded",
    examples: [
      {
        signal: "items_removed",
        subject: null,
        before: 1_000,
        after: 590,
        change: 0.41,
        limit: 0.3,
        message: "410 of 1,000 published items are gone (41 %; the limit is 30 %).",
      },
    ],
  },
);
export type Exceeded = Wire<typeof Exceeded>;

/** The parameter of calls that render. */
export const Guard = Type.Optional(
  Type.Enum(["hold", "publish"], {
    title: "Guard",
    description:
      "What happens if the new files exceed limits of the publish guard: `hold` waits for a person's decision, `publish` publishes them and reports the limits. Without it, the setting `plain_calls` of the publish guard decides, which is `publish` unless set. While publication is paused after a rollback, files are held in any case.",
  }),
);

/** The parameter of pushes, which are mostly sent by programs. */
export const PushGuard = Type.Optional(
  Type.Enum(["hold", "publish"], {
    default: "hold",
    description:
      "What happens if the new files exceed limits of the publish guard: `hold` waits for a person's decision, `publish` publishes them and reports the limits. Send `publish` for an upload that a person has previewed.",
  }),
);

export const PublishedLimits = Type.Object(
  {
    exceeded: Type.Array(Exceeded),
    since: Type.Optional(
      Type.String({ format: "date-time", description: "Of published files: since when they are served." }),
    ),
  },
  {
    title: "PublishedLimits",
    description:
      "Only if the published files exceed limits of the publish guard: each limit with both figures. POST /renders/rollback brings the files before them back.",
  },
);

const GuardSignalBody = Type.Object(
  {
    signal: GuardSignal,
    description: Type.String(),
    unit: Type.Enum(["share", "factor"], {
      description: "`share`: of items, 0.3 is 30 %. `factor`: up or down, 2.5 is from 40 % to 250 %.",
    }),
    limit: Nullable(Type.Number({ description: "The limit in use; null: off." })),
    default: Type.Number(),
    min_items: Type.Integer({ description: "Fewer items than this never exceed the limit." }),
  },
  { title: "GuardSignalSetting" },
);

const PlainCalls = Type.Enum(["publish", "hold"], {
  title: "PlainCalls",
  description:
    "What POST /syncs and POST /feeds without `guard` do with files that exceed limits: `publish` (the default) or `hold`.",
});

export const HOST_PATTERN = "^[a-z0-9.-]+(:[0-9]{1,5})?$";

const ExpectedHosts = Type.Array(Type.String({ minLength: 1, maxLength: 253, pattern: HOST_PATTERN }), {
  maxItems: 20,
  description:
    "Hosts that links and images are about to move to, such as `www.new-name.example`: a move to one of them is not held.",
});

const PublishGuard = Type.Object(
  {
    enabled: flag("False: every render is published."),
    plain_calls: PlainCalls,
    expected_hosts: ExpectedHosts,
    limits: Type.Array(GuardSignalBody),
  },
  { title: "PublishGuard" },
);
export type PublishGuard = Wire<typeof PublishGuard>;

export const PublishGuardAnswer = Data(
  PublishGuard,
  "The publish guard of the catalog, with all of its limits.",
);
export type PublishGuardAnswer = Wire<typeof PublishGuardAnswer>;

const LimitValue = Type.Union(
  [Type.Number({ minimum: 0, maximum: 1_000_000 }), Type.Literal("off"), Type.Null()],
  {
    description: "A share or a factor; `off` switches the limit off, null sets the default again.",
  },
);

export const ChangePublishGuard = Type.Object(
  {
    enabled: Type.Optional(flag("False: every render is published.")),
    plain_calls: Type.Optional(PlainCalls),
    expected_hosts: Type.Optional(ExpectedHosts),
    limits: Type.Optional(
      Type.Object(Object.fromEntries(GUARD_SIGNALS.map((signal) => [signal, Type.Optional(LimitValue)])), {
        additionalProperties: false,
        description: "Only those that change.",
      }),
    ),
  },
  {
    title: "ChangePublishGuard",
    additionalProperties: false,
    minProperties: 1,
    examples: [{ limits: { items_removed: 0.6, image_host: "off" } }],
  },
);

/** The stored form, which has only values that differ from the defaults. */
export type GuardSettings = {
  readonly enabled?: boolean;
  readonly plain_calls?: "publish" | "hold";
  readonly expected_hosts?: readonly string[];
  readonly limits?: Readonly<Partial<Record<GuardSignal, number | "off">>>;
};

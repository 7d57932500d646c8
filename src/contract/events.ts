/** The types of events that webhooks send, and the `data` of each. */
import { Type } from "./type.ts";
import type { TSchema } from "typebox";
import { Grade, Score } from "./audits.ts";
import { FeedFileName } from "./feeds.ts";
import { PublishedLimits } from "./publish-guard.ts";
import { DateTime, Failure, flag, integer, Nullable, text, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";
import { SyncStats } from "./syncs.ts";

export const SyncCompleted = Type.Object(
  {
    run_id: Uuid,
    source_id: Nullable(Uuid),
    status: Type.Literal("succeeded", { description: "A failed sync sends no event." }),
    stats: SyncStats,
    started_at: DateTime,
    finished_at: DateTime,
  },
  { title: "SyncCompleted", description: "`source_id` is null when the catalog was pushed." },
);
export type SyncCompleted = Wire<typeof SyncCompleted>;

const RenderedFeed = Type.Object(
  {
    file: FeedFileName,
    url: Type.String({ format: "uri" }),
    etag: text(
      "Identifies the bytes of the file; the same as the `ETag` of its URL, without quotation marks.",
    ),
    bytes: Type.Integer(),
    changed: flag("False: the file is the same as before."),
  },
  { title: "RenderedFeed" },
);

export const FeedsRendered = Type.Object(
  {
    run_id: Uuid,
    stats: Type.Object(
      {
        items: integer("Items in the catalog when it was rendered."),
        guard: Type.Optional(PublishedLimits),
      },
      { additionalProperties: true },
    ),
    feeds: Type.Array(RenderedFeed),
    started_at: DateTime,
    finished_at: DateTime,
  },
  { title: "FeedsRendered" },
);
export type FeedsRendered = Wire<typeof FeedsRendered>;

export const AuditCompleted = Type.Object(
  {
    run_id: Uuid,
    catalog_score: Score,
    grade: Grade,
    previous_score: Nullable(Score),
    items: Type.Integer(),
  },
  { title: "AuditCompleted", description: "`previous_score` is null after the first audit of a catalog." },
);
export type AuditCompleted = Wire<typeof AuditCompleted>;

const FailedStatus = Type.Literal("failed");

export const SyncFailed = Type.Object(
  {
    run_id: Uuid,
    source_id: Nullable(Uuid),
    status: FailedStatus,
    error: Failure,
    started_at: DateTime,
    finished_at: DateTime,
  },
  {
    title: "SyncFailed",
    description: "`source_id` is null for a push. The catalog and the feeds stay as they were.",
  },
);
export type SyncFailed = Wire<typeof SyncFailed>;

export const RenderFailed = Type.Object(
  { run_id: Uuid, status: FailedStatus, error: Failure, started_at: DateTime, finished_at: DateTime },
  { title: "RenderFailed", description: "The feed URLs serve the files of the last good render." },
);
export type RenderFailed = Wire<typeof RenderFailed>;

const Figure = Nullable(Type.Union([Type.Number(), Type.String()]));

const ExceededLimit = Type.Object(
  {
    signal: text("What was compared."),
    before: {
      ...Figure,
      description: "In the published files. Null if there is no such figure, as for `price_jumps`.",
    },
    after: { ...Figure, description: "In the held render." },
    limit: { ...Figure, description: "What would have been published without a question." },
    message: text("What is wrong, with the figures, in one sentence."),
  },
  { title: "ExceededLimit" },
);

export const RenderHeld = Type.Object(
  { run_id: Uuid, exceeded: Type.Array(ExceededLimit), held_at: DateTime },
  {
    title: "RenderHeld",
    description: "The feed URLs serve the files from before until someone promotes or discards the render.",
  },
);
export type RenderHeld = Wire<typeof RenderHeld>;

export const DeliveryFailed = Type.Object(
  {
    delivery_id: Uuid,
    to: Type.Enum(["destination", "webhook"], { description: "What it was for." }),
    target_id: { ...Uuid, description: "The id of the destination or of the webhook." },
    target: text("The name of the destination, or the host of the webhook."),
    render_run_id: Nullable({ ...Uuid, description: "The render that was not delivered." }),
    event: Nullable(text("The event that was not delivered.")),
    attempts: integer("How often it was tried."),
    error: Failure,
    failed_at: DateTime,
  },
  {
    title: "DeliveryFailed",
    description:
      "Every attempt failed and there is no further one. `render_run_id` is null for a webhook, `event` for a destination. The webhook that failed is not told of its own failures.",
  },
);
export type DeliveryFailed = Wire<typeof DeliveryFailed>;

/** Sent on demand to one endpoint; it cannot be subscribed to. */
export const TEST_EVENT = "webhook.test";
export const WebhookTest = Type.Object(
  { webhook_id: Uuid, message: Type.String() },
  { title: "WebhookTest" },
);
export type WebhookTest = Wire<typeof WebhookTest>;

/** The events that an endpoint can subscribe to, with the schema of their data. */
export const EVENTS = {
  "sync.completed": SyncCompleted,
  "feeds.rendered": FeedsRendered,
  "audit.completed": AuditCompleted,
  "shelfwire.sync.failed": SyncFailed,
  "shelfwire.render.failed": RenderFailed,
  "shelfwire.render.held": RenderHeld,
  "shelfwire.delivery.failed": DeliveryFailed,
} as const satisfies Record<string, TSchema>;
export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

/** An event with the data that its type has. */
export type WebhookEvent = {
  readonly [Type in EventType]: { readonly type: Type; readonly data: Wire<(typeof EVENTS)[Type]> };
}[EventType];

/** The body of a delivery. */
export const envelope = <Data extends TSchema>(event: string, data: Data) =>
  Type.Object({ event: Type.Literal(event), created_at: DateTime, data });

/** What webhooks send: the types of events and the `data` of each. */
import { Type } from "typebox";
import type { TSchema } from "typebox";
import { Grade, Score } from "./audits.ts";
import { FeedFileName } from "./feeds.ts";
import { DateTime, flag, integer, Nullable, text, Uuid } from "./shapes.ts";
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
    sha256: text("Of the file's bytes, uncompressed, in hexadecimal."),
    bytes: Type.Integer(),
    changed: flag("False: the file is the same as before."),
  },
  { title: "RenderedFeed" },
);

export const FeedsRendered = Type.Object(
  {
    run_id: Uuid,
    stats: Type.Object(
      { items: integer("Items in the catalog when it was rendered.") },
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
} as const satisfies Record<string, TSchema>;
export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(EVENTS, text);
}

/** An event with the data that its type has. */
export type WebhookEvent = {
  readonly [Type in EventType]: { readonly type: Type; readonly data: Wire<(typeof EVENTS)[Type]> };
}[EventType];

/** The body of a delivery. */
export const envelope = <Data extends TSchema>(event: string, data: Data) =>
  Type.Object({ event: Type.Literal(event), created_at: DateTime, data });

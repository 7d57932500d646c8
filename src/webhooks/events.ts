/**
 * What subscribers can be told about, and what `data` holds for each, under the names that go over the wire. An
 * event is appended in the transaction of the change it announces; see `appendEvent` in the store.
 */
export const EVENT_TYPES = ["sync.completed", "feeds.rendered", "audit.completed"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Sent on demand to one endpoint; nobody can subscribe to it. */
export const TEST_EVENT = "webhook.test";

export function isEventType(text: string): text is EventType {
  return (EVENT_TYPES as readonly string[]).includes(text);
}

export type SyncCompleted = {
  readonly run_id: string;
  readonly source_id: string | null;
  /** A failed sync announces nothing. */
  readonly status: "succeeded";
  readonly stats: object;
  readonly started_at: string;
  readonly finished_at: string;
};

export type FeedsRendered = {
  readonly run_id: string;
  readonly stats: object;
  readonly feeds: readonly RenderedFeed[];
  readonly started_at: string;
  readonly finished_at: string;
};

export type RenderedFeed = {
  readonly file: string;
  readonly url: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly changed: boolean;
};

export type AuditCompleted = {
  readonly run_id: string;
  readonly catalog_score: number;
  readonly grade: string;
  readonly previous_score: number | null;
  readonly items: number;
};

/** An event as `appendEvent` takes it, with the data its type calls for. */
export type WebhookEvent =
  | { readonly type: "sync.completed"; readonly data: SyncCompleted }
  | { readonly type: "feeds.rendered"; readonly data: FeedsRendered }
  | { readonly type: "audit.completed"; readonly data: AuditCompleted };

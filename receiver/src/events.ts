/**
 * The types of everything the service sends. They describe the body as it is on the wire, so names are in snake case
 * and times are text. A newer service may add keys to any object and may send events that are not listed here: read the
 * keys you know, and let `UnknownEvent` be the branch for the rest.
 */

/** ISO 8601 in UTC with milliseconds: `2026-01-31T06:00:00.000Z`. */
export type Timestamp = string;

/** An item that a sync rejected, and why. */
export type Rejection = {
  readonly item_id: string | null;
  readonly position: number;
  readonly field: string | null;
  readonly code: string;
  readonly message: string;
};

/** A problem that did not reject the item. Without item and position it is about the whole source. */
export type Warning = {
  readonly item_id: string | null;
  readonly position: number | null;
  readonly field: string | null;
  readonly code: string;
  readonly message: string;
};

/** `seen = upserted + unchanged + rejected`, always. */
export type SyncStats = {
  readonly seen: number;
  /** Created or changed. */
  readonly upserted: number;
  readonly unchanged: number;
  readonly removed: number;
  /** Items that were not read, because only changes were requested, and that stay as they are. */
  readonly not_read: number;
  readonly rejected: number;
  readonly warnings: number;
  /** How many items were rejected for each reason; the sum is `rejected`. */
  readonly rejection_codes: Readonly<Record<string, number>>;
  /** At most 100, the first of each code; `rejection_codes` counts them all. */
  readonly rejections: readonly Rejection[];
  /** How often each warning was raised; the sum is `warnings`. */
  readonly warning_codes: Readonly<Record<string, number>>;
  /** The first of each code. */
  readonly warning_examples: readonly Warning[];
};

export type SyncCompleted = {
  readonly run_id: string;
  /** Null when the catalog was pushed rather than pulled. */
  readonly source_id: string | null;
  readonly status: "succeeded";
  readonly stats: SyncStats;
  readonly started_at: Timestamp;
  readonly finished_at: Timestamp;
};

export type RenderedFeed = {
  readonly file: "acp.csv" | "acp.json" | "gmc.tsv" | "jsonld.json";
  readonly url: string;
  /** Identifies the bytes of the file; the same as the `ETag` of its URL, without quotation marks. */
  readonly etag: string;
  readonly bytes: number;
  /** False: the file is the same as before, there is nothing to fetch. */
  readonly changed: boolean;
};

export type FeedsRendered = {
  readonly run_id: string;
  readonly stats: { readonly items: number };
  readonly feeds: readonly RenderedFeed[];
  readonly started_at: Timestamp;
  readonly finished_at: Timestamp;
};

export type AuditCompleted = {
  readonly run_id: string;
  /** A whole number from 0 to 100. */
  readonly catalog_score: number;
  readonly grade: "A" | "B" | "C" | "D" | "F";
  /** Null after a catalog's first audit. */
  readonly previous_score: number | null;
  readonly items: number;
};

/** Why something failed: a stable code, and a sentence for a person. */
export type Failure = { readonly code: string; readonly message: string };

/** Only for endpoints that registered for it, like the other events of failures. */
export type SyncFailed = {
  readonly run_id: string;
  /** Null for a push. */
  readonly source_id: string | null;
  readonly status: "failed";
  readonly error: Failure;
  readonly started_at: Timestamp;
  readonly finished_at: Timestamp;
};

export type RenderFailed = {
  readonly run_id: string;
  readonly status: "failed";
  readonly error: Failure;
  readonly started_at: Timestamp;
  readonly finished_at: Timestamp;
};

/** A limit of the publish guard, with the figures of the published files and of the held render. */
export type ExceededLimit = {
  readonly signal: string;
  readonly before: number | string | null;
  readonly after: number | string | null;
  readonly limit: number | string | null;
  readonly message: string;
};

/** The files from before stay published until someone promotes or discards the render. */
export type RenderHeld = {
  readonly run_id: string;
  readonly exceeded: readonly ExceededLimit[];
  readonly held_at: Timestamp;
};

/** Every attempt failed and there is no further one. */
export type DeliveryFailed = {
  readonly delivery_id: string;
  readonly to: "destination" | "webhook";
  readonly target_id: string;
  /** The name of the destination, or the host of the webhook. */
  readonly target: string;
  /** Null for a webhook. */
  readonly render_run_id: string | null;
  /** Null for a destination. */
  readonly event: string | null;
  readonly attempts: number;
  readonly error: Failure;
  readonly failed_at: Timestamp;
};

/** Sent only when a test delivery is requested. */
export type WebhookTest = {
  readonly webhook_id: string;
  readonly message: string;
};

/** Event type to its `data`; the union below is derived from it. */
export type EventData = {
  readonly "sync.completed": SyncCompleted;
  readonly "feeds.rendered": FeedsRendered;
  readonly "audit.completed": AuditCompleted;
  readonly "shelfwire.sync.failed": SyncFailed;
  readonly "shelfwire.render.failed": RenderFailed;
  readonly "shelfwire.render.held": RenderHeld;
  readonly "shelfwire.delivery.failed": DeliveryFailed;
  readonly "webhook.test": WebhookTest;
};

export type KnownEventType = keyof EventData;

type Envelope<Type, Data> = {
  readonly event: Type;
  readonly created_at: Timestamp;
  readonly data: Data;
};

export type KnownEvent = { [Type in KnownEventType]: Envelope<Type, EventData[Type]> }[KnownEventType];

/** The event with this type: `EventOf<"sync.completed">`. */
export type EventOf<Type extends KnownEventType> = Extract<KnownEvent, { readonly event: Type }>;

declare const unknownType: unique symbol;

/**
 * A text that is none of the known types. The mark exists in the compiler only: without it `event === "sync.completed"`
 * could not rule the unknown event out. It is inside a template because TypeScript (tried: 5.4 to 6.0) tells the
 * members of a union apart by literals and templates, not by marked strings. Compare it as a `string`.
 */
// oxlint-disable-next-line typescript/no-unnecessary-template-expression -- see above: it works only with the template
type UnknownType = `${string & { readonly [unknownType]: true }}`;

/** A genuine event of a type that this version of the package does not know. */
export type UnknownEvent = Envelope<UnknownType, { readonly [key: string]: unknown }>;

export type WebhookEvent = KnownEvent | UnknownEvent;

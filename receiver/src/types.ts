/** The types of the package, for both entry points. */
export type { RawBody } from "./body.ts";
export type {
  AuditCompleted,
  DeliveryFailed,
  EventData,
  EventOf,
  ExceededLimit,
  Failure,
  FeedsRendered,
  KnownEvent,
  KnownEventType,
  Rejection,
  RenderedFeed,
  RenderFailed,
  RenderHeld,
  SyncCompleted,
  SyncFailed,
  SyncStats,
  UnknownEvent,
  WebhookEvent,
  WebhookTest,
} from "./events.ts";
export type { SignatureHeader } from "./header.ts";
export type { Secrets } from "./secret.ts";
export type { VerifyOptions } from "./tolerance.ts";

/**
 * The front door for fetch handlers. Nothing behind it imports a Node module: a bundle for Workers or an edge function
 * takes it as it is.
 */
export type { RawBody } from "./body.ts";
export type {
  AuditCompleted,
  EventData,
  EventOf,
  FeedsRendered,
  KnownEvent,
  KnownEventType,
  Rejection,
  RenderedFeed,
  SyncCompleted,
  SyncStats,
  UnknownEvent,
  WebhookEvent,
  WebhookTest,
} from "./events.ts";
export type { SignatureHeader } from "./header.ts";
export type { Secrets } from "./secret.ts";
export { SignatureError, type SignatureErrorCode } from "./signature-error.ts";
export type { VerifyOptions } from "./tolerance.ts";
export { verifyAsync } from "./verify-async.ts";

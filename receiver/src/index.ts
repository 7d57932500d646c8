/**
 * The package's front door in Node. A published package needs one file that names all it offers, so this file and
 * `web.ts` are the only two that export what others define; inside the package nobody imports them.
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
export { sign, signStandard } from "./sign.ts";
export { SignatureError, type SignatureErrorCode } from "./signature-error.ts";
export type { VerifyOptions } from "./tolerance.ts";
export { verify } from "./verify.ts";

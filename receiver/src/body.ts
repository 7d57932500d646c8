/**
 * The body: first the signed bytes, then, after verification, the event. A body that is not verified is never parsed.
 * The envelope of the event is checked; its `data` is not.
 */
import type { WebhookEvent } from "./events.ts";
import { SignatureError } from "./signature-error.ts";

/** The body as it came over the wire. A string means its UTF-8 bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer;

export function bodyBytes(rawBody: RawBody): Uint8Array {
  if (typeof rawBody === "string") return new TextEncoder().encode(rawBody);
  // No instanceof: test runners and workers have several realms, each with a Uint8Array of its own.
  if (ArrayBuffer.isView(rawBody))
    return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength);
  if (Object.prototype.toString.call(rawBody) === "[object ArrayBuffer]") return new Uint8Array(rawBody);
  throw new TypeError(
    `verify needs the raw request body, as text or bytes, and got ${nameOf(rawBody)}. ` +
      "A body that was parsed as JSON cannot be verified, because writing it out again gives other bytes. " +
      "Read the body before any JSON parser does: express.raw({ type: () => true }) in Express, " +
      'addContentTypeParser with parseAs: "buffer" in Fastify, await request.arrayBuffer() in a fetch handler.',
  );
}

function nameOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Only for a body whose signature has been verified. */
export function parseEvent(body: Uint8Array): WebhookEvent {
  const event = parseJson(body);
  if (isEnvelope(event)) return event;
  throw new SignatureError(
    "malformed_body",
    "The signature is genuine, but the body is not an event with event, created_at and data. Does this secret sign anything else?",
  );
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (cause) {
    throw new SignatureError(
      "malformed_body",
      "The signature is genuine, but the body is not JSON in UTF-8.",
      { cause },
    );
  }
}

function isEnvelope(value: unknown): value is WebhookEvent {
  if (!isObject(value)) return false;
  return (
    typeof value["event"] === "string" && typeof value["created_at"] === "string" && isObject(value["data"])
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

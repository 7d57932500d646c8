/**
 * Sends one attempt: signs the stored bytes, posts them, and describes the result. One deadline covers DNS, connection,
 * TLS and response. A 2xx status in time is a delivery, even if its body stalls; at most 16 KiB of it are read for the
 * log. Redirects are not followed. Throws only for an internal failure or the caller's abort; neither uses an attempt.
 */
import { systemCode } from "../errors.ts";
import type { Connection } from "../lib/outbound/agent.ts";
import { HttpFailure, type HttpFailureKind } from "../lib/outbound/http-failure.ts";
import type { PostAnswer, WebhookHttpClient } from "../lib/outbound/webhook-http-client.ts";
import type { AttemptResult, AttemptError } from "./attempt.ts";
import type { ClaimedDelivery } from "./queue.sql.ts";
import { signatureHeaders } from "./signing.ts";

/** `payload` is the exact text to send. */
export type Message = Pick<ClaimedDelivery, "eventId" | "type" | "payload" | "url"> & {
  /** The newest first. */
  readonly secrets: readonly string[];
};

export type SendOptions = {
  readonly client: WebhookHttpClient;
  readonly now: () => Date;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
};

/** Part of the contract. */
export const DEADLINE_MS = 10_000;
const USER_AGENT = "Service-Webhooks/1.0";
const MAX_ANSWER_BYTES = 16 * 1_024;

const NOT_CONNECTED: Connection = { dnsMs: null, connectMs: null, tlsMs: null, address: null };

export async function send(
  message: Message,
  { client, now, deadlineMs, signal }: SendOptions,
): Promise<AttemptResult> {
  const startedAt = now();
  const began = performance.now();
  const body = Buffer.from(message.payload);
  let connection = NOT_CONNECTED;
  let firstByteMs: number | null = null;
  let result: Result;
  try {
    const answer = await client.post({
      url: message.url,
      headers: headersOf(message, body, startedAt),
      body,
      deadlineMs,
      keepBytes: MAX_ANSWER_BYTES,
      signal,
      onConnection: (opened) => {
        connection = opened;
      },
    });
    firstByteMs = answer.headAt - began;
    result = answered(answer, message);
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    result = unanswered(error, connection);
  }
  const { dnsMs, connectMs, tlsMs, address } = connection;
  const totalMs = performance.now() - began;
  return { startedAt, endedAt: now(), dnsMs, connectMs, tlsMs, address, firstByteMs, totalMs, ...result };
}

function headersOf({ eventId, type, secrets }: Message, payload: Uint8Array, at: Date) {
  return {
    "content-type": "application/json",
    "user-agent": USER_AGENT,
    "accept-encoding": "identity",
    "x-service-event": type,
    ...signatureHeaders({ eventId, payload, secrets, at }),
  };
}

type Result = Pick<AttemptResult, "status" | "error" | "message" | "location" | "answer">;

function answered({ status, location, firstBytes: answer }: PostAnswer, { url }: Message): Result {
  if (status >= 200 && status < 300) return { status, error: null, message: null, location: null, answer };
  const host = URL.parse(url)?.hostname ?? "The target";
  if (status >= 300 && status < 400 && location !== null) {
    const message = `${host} redirects (status ${status}), and webhooks follow no redirect. Register the address it points to.`;
    return { status, error: "redirect", message, location, answer };
  }
  const message = `${host} answered with status ${status}; only a 2xx counts as delivered.`;
  return { status, error: "http", message, location: null, answer };
}

const ERROR_OF_KIND: Partial<Record<HttpFailureKind, AttemptError>> = {
  forbidden: "blocked",
  timeout: "timeout",
};

const ERROR_OF_CODE: Readonly<Record<string, AttemptError>> = {
  ECONNREFUSED: "refused",
  ECONNRESET: "reset",
  EPIPE: "reset",
  UND_ERR_SOCKET: "reset",
  UND_ERR_HEADERS_OVERFLOW: "protocol",
};

function unanswered({ kind, cause, message }: HttpFailure, connection: Connection): Result {
  const error = ERROR_OF_KIND[kind] ?? errorOf(cause, connection);
  return { status: null, error, message, location: null, answer: null };
}

/** The step that was reached says more than the error's code: before the name was resolved it was DNS. */
function errorOf(cause: unknown, connection: Connection): AttemptError {
  if (connection === NOT_CONNECTED) return "unreachable";
  if (connection.dnsMs === null) return "dns";
  const known = ERROR_OF_CODE[systemCode(cause)];
  if (known !== undefined) return known;
  if (connection.connectMs === null) return "unreachable";
  return connection.tlsMs === null ? "tls" : "protocol";
}

/**
 * One attempt: signs the stored bytes, posts them, and tells how that went. One deadline covers name, connection, TLS,
 * head and body. The head decides: a 2xx that began in time is a delivery, even if its body then drips, breaks off or
 * never ends, because the receiver has said that it took the event; we read at most 16 KiB for the log and hang up.
 * Redirects are not followed. Throws only what is our own fault, or the caller's abort: neither uses up an attempt.
 */
import { HttpFailure } from "../lib/outbound/http-failure.ts";
import type { Connection } from "../lib/outbound/agent.ts";
import type { PostAnswer, WebhookHttpClient } from "../lib/outbound/webhook-http-client.ts";
import type { Attempt, Outcome } from "./attempt.ts";
import { failedOutcome } from "./failure.ts";
import { signatureHeaders } from "./signature.ts";

export type Outgoing = {
  readonly eventId: string;
  readonly type: string;
  /** The exact text to send. */
  readonly payload: string;
  readonly url: string;
  /** The newest first. */
  readonly secrets: readonly string[];
};

export type Sending = {
  readonly poster: WebhookHttpClient;
  readonly now: () => Date;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
};

/** The contract's. */
export const DEADLINE_MS = 10_000;
const USER_AGENT = "Service-Webhooks/1.0";
const KEPT_BYTES = 16 * 1_024;

export async function send(
  message: Outgoing,
  { poster, now, deadlineMs, signal }: Sending,
): Promise<Attempt> {
  const startedAt = now();
  const began = performance.now();
  const body = Buffer.from(message.payload);
  const noted: { connection: Connection | null } = { connection: null };
  let firstByteMs: number | null = null;
  let outcome: Outcome;
  try {
    const answer = await poster.post({
      url: message.url,
      headers: headersOf(message, body, startedAt),
      body,
      deadlineMs,
      keepBytes: KEPT_BYTES,
      signal,
      onConnection: (connection) => {
        noted.connection = connection;
      },
    });
    firstByteMs = answer.headAt - began;
    outcome = judge(answer, message);
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    outcome = failedOutcome(error, noted.connection);
  }
  const { dnsMs, connectMs, tlsMs, address } = noted.connection ?? UNCONNECTED;
  const totalMs = performance.now() - began;
  return {
    ...outcome,
    startedAt,
    endedAt: now(),
    waterfall: { dnsMs, connectMs, tlsMs, address, firstByteMs, totalMs },
  };
}

const UNCONNECTED: Connection = { dnsMs: null, connectMs: null, tlsMs: null, address: null };

function headersOf({ eventId, type, secrets }: Outgoing, payload: Uint8Array, at: Date) {
  return {
    "content-type": "application/json",
    "user-agent": USER_AGENT,
    "accept-encoding": "identity",
    "x-service-event": type,
    ...signatureHeaders({ eventId, payload, secrets, at }),
  };
}

function judge({ status, location, firstBytes: answer }: PostAnswer, { url }: Outgoing): Outcome {
  if (status >= 200 && status < 300) return { outcome: "delivered", status, answer };
  const host = URL.parse(url)?.hostname ?? "The target";
  if (status >= 300 && status < 400 && location !== null) {
    const message = `${host} redirects (status ${status}), and webhooks follow no redirect. Register the address it points to.`;
    return { outcome: "rejected", error: "redirect", message, status, location, answer };
  }
  const message = `${host} answered with status ${status}; only a 2xx counts as delivered.`;
  return { outcome: "rejected", error: "http", message, status, location: null, answer };
}

/**
 * One attempt: signs the stored bytes, posts them, and tells how that went. One deadline covers name, connection, TLS,
 * head and body. The head decides: a 2xx that began in time is a delivery, even if its body then drips, breaks off or
 * never ends, because the receiver has said that it took the event; we read at most 16 KiB for the log and hang up.
 * Redirects are not followed. Throws only what is our own fault, or the caller's abort: neither uses up an attempt.
 */
import type { AllowList } from "../lib/allow-list.ts";
import { type HttpAnswer, type HttpClient, HttpFailure } from "../lib/http-client.ts";
import { isAllowedPlainHttp } from "../lib/net-guard.ts";
import type { Connection } from "../lib/outbound-agent.ts";
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
  readonly http: HttpClient;
  readonly allow: AllowList;
  readonly now: () => Date;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
};

/** The contract's. */
export const DEADLINE_MS = 10_000;
const USER_AGENT = "Service-Webhooks/1.0";
const KEPT_BYTES = 16 * 1_024;

export async function send(message: Outgoing, sending: Sending): Promise<Attempt> {
  const startedAt = sending.now();
  const began = performance.now();
  let connection: Connection | null = null;
  let firstByteMs: number | null = null;

  const post = async (): Promise<Outcome> => {
    const answer = await request(message, sending, {
      at: startedAt,
      onConnection: (noted) => {
        connection = noted;
      },
    });
    firstByteMs = performance.now() - began;
    return judge(answer, await firstBytes(answer), message);
  };
  const outcome = await post().catch((error: unknown) => {
    if (error instanceof HttpFailure) return failedOutcome(error, connection);
    throw error;
  });
  const totalMs = performance.now() - began;
  return {
    ...outcome,
    startedAt,
    endedAt: sending.now(),
    waterfall: { ...(connection ?? UNCONNECTED), firstByteMs, totalMs },
  };
}

const UNCONNECTED: Connection = { dnsMs: null, connectMs: null, tlsMs: null, address: null };

type Start = { readonly at: Date; readonly onConnection: (connection: Connection) => void };

async function request(
  { eventId, type, payload, url, secrets }: Outgoing,
  { http, allow, deadlineMs, signal }: Sending,
  { at, onConnection }: Start,
): Promise<HttpAnswer> {
  if (!mayBeSentTo(url, allow)) {
    throw new HttpFailure(
      "forbidden",
      `${url} is plain http, which only targets in ALLOW_PRIVATE_TARGETS may be. Register an https address.`,
    );
  }
  return http.request({
    method: "POST",
    url,
    headers: {
      "content-type": "application/json",
      "user-agent": USER_AGENT,
      "accept-encoding": "identity",
      "x-service-event": type,
      ...signatureHeaders({ eventId, payload, secrets, at }),
    },
    body: payload,
    signal,
    limits: {
      connectMs: deadlineMs,
      headersMs: deadlineMs,
      idleMs: deadlineMs,
      totalMs: deadlineMs,
      maxBytes: Number.MAX_SAFE_INTEGER,
    },
    redirects: "answer",
    onConnection,
  });
}

/** https, or plain http to what the operator has opened by name: said at registration and again at every attempt. */
export function mayBeSentTo(url: string, allow: AllowList): boolean {
  return /^https:/i.test(url) || isAllowedPlainHttp(url, allow);
}

/** What came before the limit, the end or a break; which of them it was no longer matters. */
async function firstBytes({ body }: HttpAnswer): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= KEPT_BYTES) break;
    }
  } catch {
    // The status has been said; see above.
  }
  return Buffer.concat(chunks).subarray(0, KEPT_BYTES);
}

function judge({ status, headers }: HttpAnswer, answer: Buffer, { url }: Outgoing): Outcome {
  if (status >= 200 && status < 300) return { outcome: "delivered", status, answer };
  const host = URL.parse(url)?.hostname ?? "The target";
  const location = headers["location"] ?? null;
  if (status >= 300 && status < 400 && location !== null) {
    const message = `${host} redirects (status ${status}), and webhooks follow no redirect. Register the address it points to.`;
    return { outcome: "rejected", error: "redirect", message, status, location, answer };
  }
  const message = `${host} answered with status ${status}; only a 2xx counts as delivered.`;
  return { outcome: "rejected", error: "http", message, status, location: null, answer };
}

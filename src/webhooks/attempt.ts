/**
 * One attempt at a delivery: how it ended and how long each step took. `send.ts` makes this form, `finish.sql.ts`
 * stores it, and `log.sql.ts` reads it; `attemptBody` makes the form that the API shows.
 */
import type { Attempt as AttemptBody } from "../contract/webhooks.ts";
import type { Connection } from "../lib/outbound/agent.ts";
import { redactBytes, type Redaction, redactText } from "../lib/redact.ts";
import { secretsInUrl } from "../lib/url-secrets.ts";

/** `protocol`: the answer is not HTTP. `blocked`: the outbound guard refused the target. */
export type AttemptError =
  | "dns"
  | "refused"
  | "unreachable"
  | "reset"
  | "tls"
  | "timeout"
  | "blocked"
  | "protocol"
  | "redirect"
  | "http";

/** Durations in milliseconds. A step that a reused connection saves takes zero; a step that was not reached is null. */
export type AttemptResult = Connection & {
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly firstByteMs: number | null;
  readonly totalMs: number;
  /** Null if the receiver did not answer. */
  readonly status: number | null;
  /** Null if the event was delivered. */
  readonly error: AttemptError | null;
  readonly message: string | null;
  /** The address that a redirect named. */
  readonly location: string | null;
  /** The first bytes of the answer. */
  readonly answer: Buffer | null;
};

export function attemptBody(attempt: Omit<AttemptResult, "endedAt">, number: number): AttemptBody {
  const { startedAt, dnsMs, connectMs, tlsMs, firstByteMs, totalMs, answer } = attempt;
  const { address, status, error, message, location } = attempt;
  return {
    number,
    started_at: startedAt.toISOString(),
    duration_ms: {
      dns: tenths(dnsMs),
      connect: tenths(connectMs),
      tls: tenths(tlsMs),
      first_byte: tenths(firstByteMs),
      total: tenths(totalMs),
    },
    address,
    status,
    error,
    message,
    location,
    // Bytes that are not UTF-8 become replacement characters.
    answer: answer?.toString("utf8") ?? null,
  };
}

/** Tenths of a millisecond are as precise as clocks are. */
function tenths<Ms extends number | null>(ms: Ms): Ms | number {
  return ms === null ? ms : Math.round(ms * 10) / 10;
}

/** Removes the secrets that were sent to a receiver from its answer, because many receivers echo what they get. */
export function withoutSecrets(
  attempt: AttemptResult,
  { url, feedToken = null }: { readonly url: string; readonly feedToken?: string | null },
): AttemptResult {
  const secrets = secretsInUrl(url);
  const withoutUrl = secrets.length === 0 ? attempt : redacted(attempt, { secrets, label: "[secret]" });
  return feedToken === null
    ? withoutUrl
    : redacted(withoutUrl, { secrets: [feedToken], label: "[feed token]" });
}

function redacted(attempt: AttemptResult, redaction: Redaction): AttemptResult {
  const { message, location, answer } = attempt;
  return {
    ...attempt,
    message: message && redactText(message, redaction),
    location: location && redactText(location, redaction),
    answer: answer && redactBytes(answer, redaction),
  };
}

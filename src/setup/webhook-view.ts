/** Webhooks and deliveries under the names they have outside: the API and the command line show the same. */
import type { AttemptView, Delivery } from "./webhook-log.ts";
import type { Webhook } from "./webhooks.ts";

const iso = (time: Date | null): string | null => time?.toISOString() ?? null;

export function webhookLine(webhook: Webhook) {
  const { id, url, events, createdAt, status, failingSince, lastSuccessAt, lastFailureAt } = webhook;
  return {
    id,
    url,
    events,
    created_at: createdAt.toISOString(),
    status,
    failing_since: iso(failingSince),
    last_success_at: iso(lastSuccessAt),
    last_failure_at: iso(lastFailureAt),
    last_failure: webhook.lastFailure,
    previous_secret_until: iso(webhook.previousSecretUntil),
  };
}

export function deliveryBody(delivery: Delivery) {
  const { id, endpointId, eventId, event, state, nextAttemptAt, createdAt, finishedAt, attempts } = delivery;
  return {
    id,
    webhook_id: endpointId,
    event_id: eventId,
    event,
    state,
    next_attempt_at: iso(nextAttemptAt),
    created_at: createdAt.toISOString(),
    finished_at: iso(finishedAt),
    attempts: attempts.map(attemptBody),
  };
}

export function attemptBody(attempt: Omit<AttemptView, "deliveryId">) {
  const { number, startedAt, address, status, error, message, location, answer } = attempt;
  return {
    number,
    started_at: startedAt.toISOString(),
    duration_ms: {
      dns: short(attempt.dnsMs),
      connect: short(attempt.connectMs),
      tls: short(attempt.tlsMs),
      first_byte: short(attempt.firstByteMs),
      total: short(attempt.totalMs) ?? 0,
    },
    address,
    status,
    error,
    message,
    location,
    answer,
  };
}

/** Tenths of a millisecond are more than anyone's clock can keep. */
function short(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 10) / 10;
}

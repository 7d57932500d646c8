/**
 * One claimed delivery, tried once: its secrets opened, its bytes sent, the outcome turned into what the store writes
 * down. Throws only when the fault is ours; the delivery then has not been tried at all.
 */
import type { WebhookHttpClient } from "../../lib/outbound/webhook-http-client.ts";
import type { ClaimedDelivery } from "../../store/webhooks/queue.ts";
import type { Finish } from "../../store/webhooks/finish.ts";
import { withFeedToken } from "../../store/webhooks/events.ts";
import { attemptRecord, withoutSecret } from "../../webhooks/attempt.ts";
import { nextStep } from "../../webhooks/schedule.ts";
import type { OpenSecrets } from "../../webhooks/secret.ts";
import { send } from "../../webhooks/send.ts";

export type SendDeps = {
  readonly poster: WebhookHttpClient;
  readonly openSecrets: OpenSecrets;
  readonly openFeedToken: (sealed: Buffer) => string;
  readonly now: () => Date;
};

export async function attemptDelivery(
  { poster, openSecrets, openFeedToken, now }: SendDeps,
  claimed: ClaimedDelivery,
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<Finish> {
  const { id, token, failures, eventId, type, feedTokenSealed, url } = claimed;
  const secrets = openSecrets(claimed, now());
  const feedToken = feedTokenSealed === null ? null : openFeedToken(feedTokenSealed);
  const payload = feedToken === null ? claimed.payload : withFeedToken(claimed.payload, feedToken);
  const message = { eventId, type, payload, url, secrets };
  const attempt = await send(message, { poster, now, deadlineMs, signal });
  const record = attemptRecord(attempt);
  const next = nextStep(attempt.outcome === "delivered", { failures, endedAt: attempt.endedAt });
  return {
    id,
    token,
    state: next.state,
    nextAttemptAt: next.state === "pending" ? next.nextAttemptAt : null,
    // Receivers that answer with what they were sent are common.
    attempt: feedToken === null ? record : withoutSecret(record, feedToken),
  };
}

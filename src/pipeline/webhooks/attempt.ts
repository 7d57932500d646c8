/**
 * One claimed delivery, tried once: its secrets opened, its bytes sent, the outcome turned into what the store writes
 * down. Throws only when the fault is ours; the delivery then has not been tried at all.
 */
import type { AllowList } from "../../lib/allow-list.ts";
import type { HttpClient } from "../../lib/http-client.ts";
import type { ClaimedDelivery } from "../../store/webhooks/deliveries.ts";
import type { Finish } from "../../store/webhooks/finish.ts";
import { attemptRecord } from "../../webhooks/attempt.ts";
import { nextStep } from "../../webhooks/schedule.ts";
import type { OpenSecrets } from "../../webhooks/secret.ts";
import { send } from "../../webhooks/send.ts";

export type SendDeps = {
  readonly http: HttpClient;
  /** Of ALLOW_PRIVATE_TARGETS; only its targets may be plain http. */
  readonly allow: AllowList;
  readonly openSecrets: OpenSecrets;
  readonly now: () => Date;
};

export async function attemptDelivery(
  { http, allow, openSecrets, now }: SendDeps,
  claimed: ClaimedDelivery,
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<Finish> {
  const secrets = openSecrets(claimed, now());
  const attempt = await send({ ...claimed, secrets }, { http, allow, now, deadlineMs, signal });
  const { catalogId, id, token, failures } = claimed;
  const next = nextStep(attempt.outcome === "delivered", { failures, endedAt: attempt.endedAt });
  return {
    catalogId,
    id,
    token,
    state: next.state,
    nextAttemptAt: next.state === "pending" ? next.nextAttemptAt : null,
    attempt: attemptRecord(attempt),
  };
}

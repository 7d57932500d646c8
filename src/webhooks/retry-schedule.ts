/**
 * The retry schedule: a fixed backoff (back-off) without jitter, each delay counted from the end of the failed attempt. It is
 * part of the contract. `Retry-After` and status 410 do not change it: to stop deliveries, delete the endpoint.
 */
import type { Attempt } from "./attempt.ts";

const RETRY_DELAYS_S = [60, 300, 1_800, 7_200, 43_200] as const;

export type NextStep =
  | { readonly state: "delivered" | "dead"; readonly nextAttemptAt: null }
  | { readonly state: "pending"; readonly nextAttemptAt: Date };

/** `failures` counts the failed attempts of the current schedule before this one; a resend starts a new schedule. */
export function nextStep({ error, endedAt }: Pick<Attempt, "error" | "endedAt">, failures: number): NextStep {
  if (error === null) return { state: "delivered", nextAttemptAt: null };
  const delayS = RETRY_DELAYS_S[failures];
  if (delayS === undefined) return { state: "dead", nextAttemptAt: null };
  return { state: "pending", nextAttemptAt: new Date(endedAt.getTime() + delayS * 1_000) };
}

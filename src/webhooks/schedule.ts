/**
 * What follows an attempt, decided from nothing but how it ended. The delays are the contract's, to the second and
 * without jitter, each counted from the end of the attempt that failed. What a receiver asks for (`Retry-After`, 410)
 * changes nothing: whoever wants to hear no more deletes the endpoint.
 */
const DELAYS_S = [60, 300, 1_800, 7_200, 43_200] as const;

export type NextStep =
  | { readonly state: "delivered" }
  | { readonly state: "pending"; readonly nextAttemptAt: Date }
  | { readonly state: "dead" };

/** `failures` counts those of the present schedule before this attempt; a resend begins a new one. */
export function nextStep(
  isDelivered: boolean,
  { failures, endedAt }: { readonly failures: number; readonly endedAt: Date },
): NextStep {
  if (isDelivered) return { state: "delivered" };
  const delayS = DELAYS_S[failures];
  if (delayS === undefined) return { state: "dead" };
  return { state: "pending", nextAttemptAt: new Date(endedAt.getTime() + delayS * 1_000) };
}

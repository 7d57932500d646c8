/** One line for each attempt, and what every line about a delivery names. */
import type { Log } from "../../lib/log.ts";
import { memoize } from "../../lib/memoize.ts";
import type { Finish } from "../../store/webhooks/finish.ts";
import type { ClaimedDelivery } from "../../store/webhooks/queue.ts";
import type { Written } from "./writer.ts";

export function logAttempt(
  log: Log,
  delivery: ClaimedDelivery,
  { finish, written }: { readonly finish: Finish; readonly written: Written },
): void {
  const { state, nextAttemptAt, attempt } = finish;
  const { status, error, message, totalMs } = attempt;
  const fields = {
    ...describeDelivery(delivery),
    status,
    error,
    duration_ms: Math.round(totalMs),
    outcome: written === "lost" ? "lost" : state,
    ...(nextAttemptAt && { next_attempt_at: nextAttemptAt }),
  };
  if (written === "lost")
    log.warn(
      fields,
      "webhook sent, but no longer ours: its lease ended, and it is sent again, or its endpoint was deleted",
    );
  else if (error === null) log.info(fields, "webhook delivered");
  else log.warn(fields, `webhook attempt failed: ${message ?? error}`);
}

/** Not the whole address: its path may be a secret. */
export function describeDelivery({
  id,
  catalogId,
  endpointId,
  eventId,
  type,
  attempts,
  url,
}: ClaimedDelivery) {
  return {
    delivery_id: id,
    catalog_id: catalogId,
    endpoint_id: endpointId,
    event_id: eventId,
    event: type,
    attempt: attempts + 1,
    host: hostOf(url),
  };
}

const hostOf = memoize(1_000, (url) => URL.parse(url)?.host ?? "");

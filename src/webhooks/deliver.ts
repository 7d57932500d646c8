/**
 * Attempts one claimed delivery: decrypts the secrets, sends once, decides the next step, writes the result and logs
 * one line. An internal failure uses no attempt: the lease expires, and the delivery is claimed again.
 */
import { DELIVERY_BACKOFF_S } from "../lib/backoff.ts";
import type { Log } from "../lib/log.ts";
import type { WebhookHttpClient } from "../lib/outbound/webhook-http-client.ts";
import { memoize } from "../lib/memoize.ts";
import { type AttemptResult, withoutSecrets } from "./attempt.ts";
import { withFeedToken } from "./events.sql.ts";
import type { FinishWriter, WriteResult } from "./finish-writer.ts";
import type { Finish } from "./finish.sql.ts";
import type { ClaimedDelivery } from "./queue.sql.ts";
import { send } from "./send.ts";
import type { DecryptSigningSecrets, DecryptUrl } from "./signing.ts";

export type DeliverDeps = {
  readonly client: WebhookHttpClient;
  readonly decryptSecrets: DecryptSigningSecrets;
  readonly decryptUrl: DecryptUrl;
  readonly decryptFeedToken: (encrypted: Buffer) => string;
  readonly now: () => Date;
  readonly log: Log;
  readonly write: FinishWriter;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** The request is over, successful or not. */
  readonly onSent: (delivery: ClaimedDelivery) => void;
  /** The result is written. */
  readonly onFinish: (finish: Finish, delivery: ClaimedDelivery) => void;
  /** The signal aborted before the request was over. */
  readonly onAborted: (delivery: ClaimedDelivery) => void;
};

export async function deliver(deps: DeliverDeps, delivery: ClaimedDelivery): Promise<void> {
  const { log, signal, write } = deps;
  try {
    const finish = await attempt(deps, delivery).finally(() => deps.onSent(delivery));
    const written = await write(finish, delivery.leaseEndsMs);
    if (written === "finished") deps.onFinish(finish, delivery);
    logAttempt(log, delivery, finish, written);
  } catch (error) {
    if (signal.aborted) deps.onAborted(delivery);
    else log.error({ err: error, ...logFields(delivery) }, "webhook could not be tried; it stays queued");
  }
}

async function attempt(deps: DeliverDeps, delivery: ClaimedDelivery): Promise<Finish> {
  const { id, token, failures, eventId, type, feedTokenEncrypted } = delivery;
  const secrets = deps.decryptSecrets(delivery, deps.now());
  const url = deps.decryptUrl(delivery);
  const feedToken = feedTokenEncrypted === null ? null : deps.decryptFeedToken(feedTokenEncrypted);
  const payload = feedToken === null ? delivery.payload : withFeedToken(delivery.payload, feedToken);
  const sent = await send({ eventId, type, payload, url, secrets }, deps);
  return { id, token, ...nextStep(sent, failures), attempt: withoutSecrets(sent, { url, feedToken }) };
}

type NextStep =
  | { readonly state: "delivered" | "dead"; readonly retryInS: null }
  | { readonly state: "pending"; readonly retryInS: number };

/**
 * Decides what follows an attempt. `failures` counts the failed attempts of the current schedule before this one; a
 * resend starts a new schedule. Each delay is counted from the moment at which the failed attempt is written, by the
 * clock of the database. `Retry-After` and status 410 do not change the delay: to stop deliveries, delete the endpoint.
 */
export function nextStep({ error }: Pick<AttemptResult, "error">, failures: number): NextStep {
  if (error === null) return { state: "delivered", retryInS: null };
  const retryInS = DELIVERY_BACKOFF_S[failures];
  return retryInS === undefined ? { state: "dead", retryInS: null } : { state: "pending", retryInS };
}

function logAttempt(log: Log, delivery: ClaimedDelivery, finish: Finish, written: WriteResult): void {
  const { state, retryInS, attempt: result } = finish;
  const { status, error, message, totalMs } = result;
  const fields = {
    ...logFields(delivery),
    status,
    error,
    duration_ms: Math.round(totalMs),
    outcome: written === "lost" ? "lost" : state,
    ...(retryInS !== null && { retry_in_s: retryInS }),
  };
  if (written === "lost")
    log.warn(
      fields,
      "webhook sent, but its lease has expired and it is sent again, or its endpoint was deleted",
    );
  else if (error === null) log.info(fields, "webhook delivered");
  else log.warn(fields, `webhook attempt failed: ${message ?? error}`);
}

/** Logs the host without the path, because a path may contain a secret. */
function logFields({ id, catalogId, endpointId, eventId, type, attempts, url }: ClaimedDelivery) {
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

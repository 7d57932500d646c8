/** The checks of what others get: the age of the files, destinations, webhooks and mail. */
import { spanWords } from "../../lib/span-words.ts";
import type { CatalogStatusFacts } from "../../store/status.ts";
import { ago, isOlder } from "./problem.ts";
import type { AttentionCandidate, StatusFacts } from "./problem.ts";

/** Files that no render has renewed and no sync has confirmed for longer than the catalog allows. */
export function checkAge(
  { catalog, alerts: { maxFeedAgeS } }: StatusFacts,
  now: Date,
): readonly AttentionCandidate[] {
  const confirmedAt = confirmed(catalog);
  if (maxFeedAgeS === null || confirmedAt === null || !isOlder(confirmedAt, maxFeedAgeS * 1_000, now))
    return [];
  return [
    {
      code: "feeds_old",
      severity: "failing",
      headline: `The feeds were last updated ${ago(confirmedAt, now)}; the limit is ${spanWords(maxFeedAgeS * 1_000)}.`,
      since: new Date(confirmedAt.getTime() + maxFeedAgeS * 1_000),
      action: { kind: "render_feeds", target: null },
    },
  ];
}

/** A sync or push that changed nothing says that the files are as the shop is, if they have all changes before it. */
function confirmed({ renderStartedAt, renderFinishedAt, snapshotAt, lastSuccessAt }: CatalogStatusFacts) {
  if (renderFinishedAt === null || renderStartedAt === null) return null;
  const isCurrent = renderStartedAt >= snapshotAt;
  return isCurrent && lastSuccessAt !== null && lastSuccessAt > renderFinishedAt
    ? lastSuccessAt
    : renderFinishedAt;
}

export function checkReceivers(facts: StatusFacts, now: Date): readonly AttentionCandidate[] {
  return [...failingDestinations(facts, now), ...failingWebhooks(facts, now), ...failingMail(facts, now)];
}

const lasting = (since: Date, now: Date): string => spanWords(now.getTime() - since.getTime());

const failingDestinations = ({ destinations }: StatusFacts, now: Date): readonly AttentionCandidate[] =>
  destinations.map(({ id, name, failingSince, lastSuccessAt, lastError, hasGivenUp }) => ({
    code: "destination_failing",
    severity: hasGivenUp ? "failing" : "attention",
    headline:
      lastSuccessAt === null
        ? `Deliveries to "${name}" have failed for ${lasting(failingSince, now)}, and it never got a file.`
        : `Deliveries to "${name}" have failed for ${lasting(failingSince, now)}: it has the files of ${ago(lastSuccessAt, now)}.`,
    detail: lastError,
    since: failingSince,
    action: { kind: "open_destination", target: id },
    subject: id,
  }));

const failingWebhooks = ({ endpoints }: StatusFacts, now: Date): readonly AttentionCandidate[] =>
  endpoints.map(({ id, url, failingSince, disabledAt, lastFailure }) => ({
    ...(disabledAt === null
      ? {
          code: "webhook_failing",
          headline: `Webhook deliveries to ${hostOf(url)} have failed for ${lasting(failingSince ?? now, now)}.`,
          since: failingSince ?? now,
        }
      : {
          code: "webhook_disabled",
          headline: `The webhook to ${hostOf(url)} was disabled ${ago(disabledAt, now)}, after five days without a successful delivery.`,
          since: disabledAt,
        }),
    detail: lastFailure,
    action: { kind: "open_webhook", target: id },
    subject: id,
  }));

/** The path may contain a secret of the receiver. */
const hostOf = (url: string): string => URL.parse(url)?.host ?? "the endpoint";

function failingMail(
  { alerts: { mailFailingSince, mailError } }: StatusFacts,
  now: Date,
): readonly AttentionCandidate[] {
  if (mailFailingSince === null) return [];
  return [
    {
      code: "mail_failing",
      headline: `Alerts of this catalog could not be mailed for ${lasting(mailFailingSince, now)}.`,
      detail: mailError,
      since: mailFailingSince,
      action: { kind: "open_alert_settings", target: null },
    },
  ];
}

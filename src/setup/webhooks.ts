/**
 * What an owner does with webhooks: register, list, rotate the secret, delete. A secret exists in clear only in the
 * answer to whoever made it. Every address is judged when it is registered, by the same
 * guard that judges it again at every attempt.
 */
import { AppError } from "../errors.ts";
import type { AllowList } from "../lib/outbound/allow-list.ts";
import { newId } from "../lib/id.ts";
import type { Lookup } from "../lib/outbound/name-lookup.ts";
import { checkTarget, needsTls } from "../lib/outbound/net-guard.ts";
import type { Sealer } from "../lib/seal.ts";
import type { Db, Queries } from "../store/db.ts";
import {
  deleteEndpoint,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  rotateEndpointSecret,
} from "../store/webhooks/endpoints.ts";
import { forgetEndedDeliveries } from "../store/webhooks/retention.ts";
import { EVENT_TYPES, type EventType, isEventType } from "../contract/events.ts";
import { newSecret, sealSecret } from "../webhooks/secret.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import { invalid, noWebhook, requireUuid } from "./webhook-refusals.ts";

const MAX_URL_LENGTH = 2_048;
const DAY_S = 86_400;
const MAX_OVERLAP_S = 7 * DAY_S;

export type GuardOptions = { readonly allow: AllowList; readonly lookup?: Lookup };
export type WebhookInput = {
  readonly catalogId: string;
  readonly url: string;
  readonly events: readonly string[];
};
export type RegisteredWebhook = {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventType[];
  /** Said here and never again. */
  readonly secret: string;
  readonly createdAt: Date;
};

export async function registerWebhook(
  db: Db,
  sealer: Sealer,
  { catalogId, url, events }: WebhookInput,
  guard: GuardOptions,
): Promise<RegisteredWebhook> {
  const wanted = checkEvents(events);
  await checkUrl(url, guard);
  const secret = newSecret();
  const endpoint = { id: newId(), url, events: wanted, createdAt: new Date() };
  const row = { ...endpoint, catalogId, secretSealed: sealSecret(sealer, secret) };
  return db.tx(async (tx) => {
    if (await insertEndpoint(tx, row, CATALOG_LIMITS.webhooks)) return { ...endpoint, secret };
    throw invalid("/url", `This catalog has ${CATALOG_LIMITS.webhooks} webhooks already. Delete one first.`);
  });
}

/** Without repetitions, in the order of the interface. */
function checkEvents(events: readonly string[]): readonly EventType[] {
  const list = EVENT_TYPES.join(", ");
  if (events.length === 0) throw invalid("/events", `Name one or more of ${list}.`);
  const unknown = events.find((event) => !isEventType(event));
  if (unknown !== undefined) throw invalid("/events", `There is no event "${unknown}". Events: ${list}.`);
  return EVENT_TYPES.filter((type) => events.includes(type));
}

/** What a URL parser forgives, receivers and logs need not: other schemes' slashes, white space, control characters. */
const PLAIN_URL = /^https?:\/\/[^\s\p{Cc}\p{Cs}@/?#]+(?:[/?#][^\s\p{Cc}\p{Cs}]*)?$/iu;

async function checkUrl(text: string, { allow, lookup }: GuardOptions): Promise<void> {
  const problem = urlProblem(text);
  if (problem !== null) throw invalid("/url", problem);
  if (needsTls(text, allow)) {
    throw invalid(
      "/url",
      "The address has to begin with https://. Plain http is only for targets in ALLOW_PRIVATE_TARGETS.",
    );
  }
  await checkTarget(text, { resolve: true, allow, ...(lookup && { lookup }) });
}

/** What is wrong with the text as such; null if nothing is. */
function urlProblem(text: string): string | null {
  const url = URL.parse(text);
  if (url === null) return "This is not a valid URL. Give an https:// address.";
  if (text.length > MAX_URL_LENGTH) {
    return `The address is longer than ${MAX_URL_LENGTH} characters. Give a shorter one.`;
  }
  if (url.username + url.password !== "") {
    return "The address must not carry a user name or password; verify the signature instead.";
  }
  if (PLAIN_URL.test(text)) return null;
  return "The address must begin with https:// and hold no spaces and no control characters.";
}

export type WebhookRef = { readonly catalogId: string; readonly id: string };

/** Drops what is still queued for it, too. */
export async function deleteWebhook(db: Db, webhook: WebhookRef): Promise<void> {
  requireUuid("/id", webhook.id);
  await forgetEndedDeliveries(db, webhook);
  const isDeleted = await db.tx(async (tx) => deleteEndpoint(tx, webhook));
  if (!isDeleted) throw noWebhook(webhook.id);
}

export type Rotation = WebhookRef & {
  /** How long the old secret goes on signing beside the new one: 0 to 7 days, a day unless said otherwise. */
  readonly overlapS?: number;
  readonly now?: Date;
};
export type RotatedSecret = {
  readonly id: string;
  readonly secret: string;
  readonly previousSecretUntil: Date | null;
};

export async function rotateSecret(
  db: Queries,
  sealer: Sealer,
  { catalogId, id, overlapS = DAY_S, now = new Date() }: Rotation,
): Promise<RotatedSecret> {
  requireUuid("/id", id);
  if (!(overlapS >= 0 && overlapS <= MAX_OVERLAP_S)) {
    throw invalid("/overlap_s", `The overlap is 0 to ${MAX_OVERLAP_S} seconds (7 days).`);
  }
  const secret = newSecret();
  const previousUntil = overlapS === 0 ? null : new Date(now.getTime() + overlapS * 1_000);
  const secretSealed = sealSecret(sealer, secret);
  if (!(await rotateEndpointSecret(db, { catalogId, id, secretSealed, previousUntil, now }))) {
    throw await whyNotRotated(db, { catalogId, id });
  }
  return { id, secret, previousSecretUntil: previousUntil };
}

async function whyNotRotated(db: Queries, webhook: WebhookRef): Promise<AppError> {
  const endpoint = await findEndpoint(db, webhook);
  if (!endpoint) return noWebhook(webhook.id);
  const until = endpoint.previousSecretUntil?.toISOString() ?? "a moment ago";
  return new AppError(
    "conflict",
    `Until ${until} the secret before the present one is still valid, as was promised at the last rotation. Rotate again after that, or with an overlap of 0, which ends both old secrets at once.`,
  );
}

export type Webhook = {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly createdAt: Date;
  /** `failing`: the newest attempt failed. Deliveries go on being tried. */
  readonly status: "active" | "failing";
  readonly failingSince: Date | null;
  readonly lastSuccessAt: Date | null;
  readonly lastFailureAt: Date | null;
  readonly lastFailure: string | null;
  readonly previousSecretUntil: Date | null;
};

export async function listWebhooks(db: Queries, catalogId: string): Promise<readonly Webhook[]> {
  return (await listEndpoints(db, catalogId)).map((row) => {
    const { id, url, events, createdAt, failingSince, lastSuccessAt, lastFailureAt, lastFailure } = row;
    return {
      id,
      url,
      events,
      createdAt,
      status: failingSince === null ? "active" : "failing",
      failingSince,
      lastSuccessAt,
      lastFailureAt,
      lastFailure,
      previousSecretUntil: row.previousSecretUntil,
    };
  });
}

/**
 * Webhook endpoints: register, list, rotate the secret, delete. A secret is returned only when it is created. The guard
 * that checks an address at its registration checks it again at every attempt.
 */
import { EVENT_TYPES, type EventType } from "../contract/events.ts";
import type { RegisteredWebhook, RotatedSecret, Webhook } from "../contract/webhooks.ts";
import { AppError, invalidRequest } from "../errors.ts";
import { newId } from "../lib/id.ts";
import { withSnakeCase } from "../lib/snake-case.ts";
import { maskUrl, unmaskUrl, URL_MASK } from "../lib/url-secrets.ts";
import type { AllowList } from "../lib/outbound/allow-list.ts";
import type { Lookup } from "../lib/outbound/name-lookup.ts";
import { checkTarget, needsTls } from "../lib/outbound/net-guard.ts";
import type { Encryption } from "../lib/encryption.ts";
import type { Db, Queries } from "../store/db.ts";
import {
  deleteEndpoint,
  deleteFinishedDeliveries,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  rotateEndpointSecret,
  updateEndpoint,
} from "./endpoints.sql.ts";
import type { Endpoint, EndpointRef } from "./endpoints.sql.ts";
import { countUnfinished } from "./log.sql.ts";
import { newSecret, encryptSecret, encryptUrl, urlDecryptor } from "./signing.ts";

/** Per catalog. */
export const MAX_WEBHOOKS = 50;
const MAX_URL_LENGTH = 2_048;
const DAY_S = 86_400;

export type GuardOptions = { readonly allow: AllowList; readonly lookup?: Lookup };
export type WebhookInput = {
  /** Given if the caller needs the id before the endpoint is created. */
  readonly id?: string;
  readonly catalogId: string;
  readonly url: string;
  readonly events: readonly EventType[];
};

export async function registerWebhook(
  db: Db,
  encryption: Encryption,
  { id = newId(), catalogId, url, events }: WebhookInput,
  guard: GuardOptions,
): Promise<RegisteredWebhook> {
  if (unmaskUrl(url, undefined) === null) throw maskedUrl();
  await checkUrl(url, guard);
  const secret = newSecret();
  const createdAt = new Date();
  const endpoint = { id, url, events: sortedEvents(events) };
  const secretEncrypted = encryptSecret(encryption, secret);
  const row = { ...endpoint, ...encryptUrl(encryption, url), catalogId, createdAt, secretEncrypted };
  return db.tx(async (tx) => {
    if (await insertEndpoint(tx, row, MAX_WEBHOOKS)) {
      return { ...endpoint, secret, created_at: createdAt.toISOString() };
    }
    throw invalidRequest(`This catalog has ${MAX_WEBHOOKS} webhooks already. Delete one first.`, "/url");
  });
}

/** In the order of the contract. */
const sortedEvents = (events: readonly EventType[]): readonly EventType[] =>
  EVENT_TYPES.filter((type) => events.includes(type));

/** Stricter than a URL parser, which accepts backslashes, white space and control characters. */
const PLAIN_URL = /^https?:\/\/[^\s\p{Cc}\p{Cs}@/?#]+(?:[/?#][^\s\p{Cc}\p{Cs}]*)?$/iu;

async function checkUrl(text: string, { allow, lookup }: GuardOptions): Promise<void> {
  const problem = urlProblem(text);
  if (problem !== null) throw invalidRequest(problem, "/url");
  if (needsTls(text, allow)) {
    throw invalidRequest(
      "The address must begin with https://. Plain http is only for targets in ALLOW_PRIVATE_TARGETS.",
      "/url",
    );
  }
  await checkTarget(text, { resolve: true, allow, ...(lookup && { lookup }) });
}

function urlProblem(text: string): string | null {
  const url = URL.parse(text);
  if (url === null) return "This is not a valid URL. Send an https:// address.";
  if (text.length > MAX_URL_LENGTH) {
    return `The address is longer than ${MAX_URL_LENGTH} characters. Use a shorter one.`;
  }
  if (url.username + url.password !== "") {
    return "The address must not contain a user name or password; verify the signature instead.";
  }
  if (PLAIN_URL.test(text)) return null;
  return "The address must begin with https:// and contain no spaces and no control characters.";
}

export async function listWebhooks(db: Queries, catalogId: string): Promise<readonly Webhook[]> {
  const endpoints = await listEndpoints(db, catalogId);
  const unfinished = await countUnfinished(db, catalogId);
  return endpoints.map((endpoint) => ({
    ...webhookBody(endpoint),
    deliveries: unfinished.get(endpoint.id) ?? { pending: 0, dead: 0 },
  }));
}

export type WebhookChange = EndpointRef & {
  readonly url?: string;
  readonly events?: readonly EventType[];
  /** False: it gets no new deliveries. Those that wait follow their schedule. */
  readonly enabled?: boolean;
};

/** Deliveries that wait are sent to the new address. A masked secret in the address stands for the stored one. */
export async function changeWebhook(
  db: Db,
  encryption: Encryption,
  { catalogId, id, url, events, enabled }: WebhookChange,
  guard: GuardOptions,
): Promise<Webhook> {
  const address =
    url === undefined ? undefined : await withStoredSecrets(db, encryption, { catalogId, id, url });
  if (address !== undefined) await checkUrl(address, guard);
  const change = {
    ...(address !== undefined && { address: encryptUrl(encryption, address) }),
    ...(events && { events: sortedEvents(events) }),
    ...(enabled !== undefined && { enabled }),
  };
  const isChanged = await db.tx(async (tx) => updateEndpoint(tx, { catalogId, id }, change));
  const webhook = (await listWebhooks(db, catalogId)).find((one) => one.id === id);
  if (!isChanged || !webhook) throw noWebhook(id);
  return webhook;
}

async function withStoredSecrets(
  db: Queries,
  encryption: Encryption,
  { url, ...webhook }: EndpointRef & { readonly url: string },
): Promise<string> {
  const endpoint = await findEndpoint(db, webhook);
  if (!endpoint) throw noWebhook(webhook.id);
  const address = unmaskUrl(url, urlDecryptor(encryption)(endpoint));
  if (address === null) throw maskedUrl();
  return address;
}

const maskedUrl = (): AppError =>
  invalidRequest(
    `Enter the secret in place of ${URL_MASK}: the stored one is kept only for the same host and parameter.`,
    "/url",
  );

function webhookBody(endpoint: Endpoint): Omit<Webhook, "deliveries"> {
  const { id, url, events, createdAt, failingSince, lastSuccessAt, lastFailureAt, lastFailure } = endpoint;
  const { previousSecretUntil, disabledAt, disabledBy } = endpoint;
  const status = disabledAt !== null ? "disabled" : failingSince === null ? "active" : "failing";
  const health = withSnakeCase({ createdAt, failingSince, lastSuccessAt, lastFailureAt, lastFailure });
  const more = withSnakeCase({ previousSecretUntil, disabledAt, disabledBy });
  return { id, url: maskUrl(url), events, enabled: disabledAt === null, status, ...health, ...more };
}

/** Deletes the endpoint and its queued deliveries. */
export async function deleteWebhook(db: Db, webhook: EndpointRef): Promise<void> {
  await deleteFinishedDeliveries(db, webhook);
  const isDeleted = await db.tx(async (tx) => deleteEndpoint(tx, webhook));
  if (!isDeleted) throw noWebhook(webhook.id);
}

export type Rotation = EndpointRef & {
  /** How long the old secret signs as well: 0 to 7 days. */
  readonly overlapS?: number | undefined;
  readonly now?: Date;
};

export async function rotateSecret(
  db: Queries,
  encryption: Encryption,
  { catalogId, id, overlapS = DAY_S, now = new Date() }: Rotation,
): Promise<RotatedSecret> {
  const secret = newSecret();
  const previousUntil = overlapS === 0 ? null : new Date(now.getTime() + overlapS * 1_000);
  const secretEncrypted = encryptSecret(encryption, secret);
  if (!(await rotateEndpointSecret(db, { catalogId, id, secretEncrypted, previousUntil, now }))) {
    throw await rotationError(db, { catalogId, id });
  }
  return { id, secret, previous_secret_until: previousUntil?.toISOString() ?? null };
}

async function rotationError(db: Queries, webhook: EndpointRef): Promise<AppError> {
  const endpoint = await findEndpoint(db, webhook);
  if (!endpoint) return noWebhook(webhook.id);
  const until = endpoint.previousSecretUntil?.toISOString() ?? "a moment ago";
  return new AppError(
    "conflict",
    `The previous secret is valid until ${until}. Rotate after that, or with an overlap of 0, which ends both old secrets at once.`,
  );
}

export function noWebhook(id: string): AppError {
  return new AppError(
    "not_found",
    `There is no webhook ${id} in this catalog. List the webhooks to see their ids.`,
  );
}

/** Set-up for tests of webhooks: endpoints, queued deliveries, clocks that only the test advances, a client. */
import type { EventType } from "../../src/contract/events.ts";
import type { Db, Queries } from "../../src/store/db.ts";
import { newId } from "../../src/lib/id.ts";
import type { OutboundOptions } from "../../src/lib/outbound/agent.ts";
import { webhookHttpClient } from "../../src/lib/outbound/webhook-http-client.ts";
import type { WebhookHttpClient } from "../../src/lib/outbound/webhook-http-client.ts";
import { createEncryption } from "../../src/lib/encryption.ts";
import { appendEvent } from "../../src/webhooks/events.sql.ts";
import type { NewEvent } from "../../src/webhooks/events.sql.ts";
import type { AttemptResult } from "../../src/webhooks/attempt.ts";
import { FIRST_ENDPOINT } from "../../src/webhooks/queue.sql.ts";
import type { ClaimLimits } from "../../src/webhooks/queue.sql.ts";
import { insertEndpoint } from "../../src/webhooks/endpoints.sql.ts";
import { encryptSecret } from "../../src/webhooks/signing.ts";
import { clockedDb } from "../database-clock.ts";
import { openReceiver } from "./receiver.ts";

export const ENCRYPTION = createEncryption("a key for tests, long enough to be one");
export const SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
export const EVENT = "sync.completed";

/** What the guard allows for tests: loopback, and names that the test resolves itself. */
const OPEN = ["127.0.0.0/8", "hooks.test"];

/** It may post to servers of a test on loopback. */
export function testWebhookClient(
  options: Partial<OutboundOptions> = {},
): WebhookHttpClient & AsyncDisposable {
  const made = webhookHttpClient({ allowPrivate: OPEN, ...options });
  return { ...made, [Symbol.asyncDispose]: made.close };
}

export async function seedEndpoint(
  db: Queries,
  catalogId: string,
  { url = "https://hooks.example/", events = [EVENT] }: { url?: string; events?: readonly EventType[] } = {},
): Promise<string> {
  const id = newId();
  const secretEncrypted = encryptSecret(ENCRYPTION, SECRET);
  await insertEndpoint(db, { id, catalogId, url, events, secretEncrypted, createdAt: new Date() }, 10_000);
  return id;
}

type EventFields = Pick<NewEvent, "catalogId"> & Partial<Pick<NewEvent, "createdAt" | "type">>;

/** An event with any data: what is stored and sent does not depend on it. */
export function anyEvent({ data = {}, ...fields }: EventFields & { readonly data?: object }): NewEvent {
  return { type: EVENT, createdAt: new Date(), ...fields, data } as NewEvent;
}

/** An event for every endpoint of the catalog that subscribes to it. */
export async function seedEvent(
  db: Db,
  catalogId: string,
  { at, data = { run_id: newId() } }: { at: Date; data?: object },
): Promise<string> {
  const id = await db.tx(async (tx) => appendEvent(tx, anyEvent({ catalogId, data, createdAt: at })));
  if (id === undefined) throw new Error("no endpoint subscribes to the event");
  return id;
}

export async function seedEvents(db: Db, catalogId: string, count: number, at: Date): Promise<void> {
  for (let n = 0; n < count; n += 1) await seedEvent(db, catalogId, { at });
}

/** A database without endpoints, a receiver and a clock. */
export async function webhookFixture() {
  const parts = new AsyncDisposableStack();
  const db = parts.use(await clockedDb());
  const receiver = parts.use(await openReceiver());
  return { db, receiver, clock: db.clock, [Symbol.asyncDispose]: async () => parts.disposeAsync() };
}

/** Everything that is due, unless options say otherwise. */
export function anyDue(more: Partial<ClaimLimits> = {}): ClaimLimits {
  const all = { limit: 1_000, retryLimit: 1_000, perEndpoint: 1_000, retriesPerEndpoint: 1_000 };
  return { leaseMs: 30_000, ...all, perFailingEndpoint: 1_000, after: FIRST_ENDPOINT, ...more };
}

/** An attempt that succeeded or failed, without further details. */
export function attemptIn(moment: Date, isGood = true): AttemptResult {
  return {
    startedAt: moment,
    endedAt: moment,
    dnsMs: null,
    connectMs: null,
    tlsMs: null,
    firstByteMs: null,
    totalMs: 1,
    address: null,
    status: isGood ? 200 : 500,
    error: isGood ? null : "http",
    message: null,
    location: null,
    answer: null,
  };
}

/** The clock of a worker. It stays the same until the test advances it. */
export function testClock(start = "2026-03-01T12:00:00.000Z") {
  let time = Date.parse(start);
  const now = () => new Date(time);
  return {
    now,
    advance: (seconds: number) => {
      time += seconds * 1_000;
      return now();
    },
  };
}

export type DeliveryFacts = {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  readonly leaseToken: string | null;
  readonly scheduleStep: number;
};

export const deliveryFacts = (db: Queries): Promise<readonly DeliveryFacts[]> =>
  db.query({
    text: `select d.id, d.state, d.attempts, d.next_attempt_at, q.lease_token, q.schedule_step
             from webhook_deliveries d left join webhook_queue q using (id) order by d.id`,
    values: [],
  });

import assert from "node:assert/strict";
import { test } from "node:test";
import { Stripe } from "stripe";
import { Webhook } from "standardwebhooks";
import { clockedDb } from "../../test/database-clock.ts";
import { seedCatalog } from "../../test/seed.ts";
import { answer, openReceiver } from "../../test/fakes/receiver.ts";
import {
  anyDue,
  EVENT,
  seedEndpoint,
  seedEvent,
  ENCRYPTION,
  SECRET,
  testClock,
  testWebhookClient,
} from "../../test/fakes/receiver-seed.ts";
import type { DeliveriesQuery } from "../contract/webhooks.ts";
import { parseAllowList } from "../lib/outbound/allow-list.ts";
import type { WebhookHttpClient } from "../lib/outbound/webhook-http-client.ts";
import { newId } from "../lib/id.ts";
import { claimDeliveries } from "./queue.sql.ts";
import { finishDeliveries } from "./finish.sql.ts";
import { deleteEndpoint, findEndpoint } from "./endpoints.sql.ts";
import { listDeliveries, resendDeliveries, sendTest } from "./deliveries.ts";
import type { TestDeliveryDeps } from "./deliveries.ts";
import { listWebhooks, registerWebhook, rotateSecret } from "./endpoints.ts";
import { closeAfterTests } from "../../test/close-after.ts";

const db = closeAfterTests(await clockedDb());

const { signal } = new AbortController();
const deps = (client: WebhookHttpClient, more: Partial<TestDeliveryDeps> = {}): TestDeliveryDeps => ({
  db,
  client,
  encryption: ENCRYPTION,
  signal,
  ...more,
});

/** Claims and finishes everything that is due, as a dispatcher does. */
async function endAll(now: Date, state: "delivered" | "dead" | "pending"): Promise<void> {
  await db.clock.set(now);
  const claimed = await claimDeliveries(db, anyDue());
  const isGood = state === "delivered";
  const attempt = {
    startedAt: now,
    endedAt: now,
    dnsMs: 0,
    connectMs: 0,
    tlsMs: 0,
    firstByteMs: 5,
    totalMs: 6,
    address: "8.8.8.8",
    status: isGood ? 200 : 500,
    error: isGood ? null : ("http" as const),
    message: null,
    location: null,
    answer: Buffer.from("said"),
  };
  const retryInS = state === "pending" ? 60 : null;
  await finishDeliveries(
    db,
    claimed.map((owned) => ({ ...owned, state, retryInS, attempt })),
  );
}

test("a test is sent and logged like a delivery, and stock libraries verify it", async () => {
  await using receiver = await openReceiver();
  await using client = testWebhookClient();
  const catalogId = await seedCatalog(db);
  const id = await seedEndpoint(db, catalogId, { url: receiver.url("/in") });

  const {
    delivered,
    event_id: eventId,
    delivery_id: deliveryId,
  } = await sendTest(deps(client), { catalogId, id });

  assert.equal(delivered, true);
  const [request] = receiver.requests;
  assert.ok(request);
  assert.equal(request.headers["x-service-event"], "webhook.test");
  const signature = String(request.headers["x-service-signature"]);
  const event = new Stripe("sk").webhooks.constructEvent(request.body, signature, SECRET) as unknown;
  assert.deepEqual((event as { data: { webhook_id: string } }).data.webhook_id, id);
  new Webhook(SECRET).verify(request.body, request.headers as Record<string, string>);
  const { deliveries } = await listDeliveries(db, catalogId, {});
  assert.deepEqual(
    deliveries.map((row) => [row.id, row.event_id, row.event, row.state, row.next_attempt_at]),
    [[deliveryId, eventId, "webhook.test", "delivered", null]],
  );
  assert.deepEqual(
    deliveries[0]?.attempts.map(({ number, status, answer: said }) => [number, status, said]),
    [[1, 200, "ok"]],
  );
  assert.notEqual((await listWebhooks(db, catalogId))[0]?.last_success_at, null);
});

test("a test that fails is logged, never retried, and cannot be resent", async () => {
  await using receiver = await openReceiver();
  await using client = testWebhookClient();
  receiver.on("/in", answer(500));
  const catalogId = await seedCatalog(db);
  const id = await seedEndpoint(db, catalogId, { url: receiver.url("/in") });

  const { attempt, delivery_id: deliveryId } = await sendTest(deps(client), { catalogId, id });

  assert.deepEqual([attempt.error, attempt.status], ["http", 500]);
  const { deliveries } = await listDeliveries(db, catalogId, {});
  assert.deepEqual([deliveries[0]?.state, deliveries[0]?.next_attempt_at], ["dead", null]);
  assert.equal((await listWebhooks(db, catalogId))[0]?.status, "failing");
  await assert.rejects(resendDeliveries(db, catalogId, { delivery_id: deliveryId }), {
    code: "invalid_request",
  });
  assert.deepEqual(await resendDeliveries(db, catalogId, { since: new Date(0).toISOString() }), {
    resent: 0,
  });
});

test("a test of a webhook that does not exist, or is deleted meanwhile, is not found", async () => {
  await using receiver = await openReceiver();
  await using client = testWebhookClient();
  const catalogId = await seedCatalog(db);
  const held = Promise.withResolvers<void>();
  receiver.on("/in", { kind: "answer", status: 200, when: held.promise });
  const id = await seedEndpoint(db, catalogId, { url: receiver.url("/in") });

  await assert.rejects(sendTest(deps(client), { catalogId, id: newId() }), { code: "not_found" });
  const sending = sendTest(deps(client), { catalogId, id });
  await receiver.received(1);
  await db.tx(async (tx) => deleteEndpoint(tx, { catalogId, id }));
  held.resolve();

  await assert.rejects(sending, { code: "not_found" });
});

test("a test to a name that now resolves to a private address is blocked and does not change the endpoint's health", async () => {
  let address = "8.8.8.8";
  const lookup = async () => [address];
  await using receiver = await openReceiver();
  await using client = testWebhookClient({ allowPrivate: [], lookup });
  const catalogId = await seedCatalog(db);
  const url = `https://rebound.example:${receiver.port}/`;
  const allow = parseAllowList([]);
  const { id } = await registerWebhook(
    db,
    ENCRYPTION,
    { catalogId, url, events: [EVENT] },
    { allow, lookup },
  );
  address = "127.0.0.1";

  const { attempt } = await sendTest(deps(client), { catalogId, id });

  assert.deepEqual([attempt.status, attempt.error], [null, "blocked"]);
  assert.equal(receiver.connections(), 0);
  assert.equal((await findEndpoint(db, { catalogId, id }))?.failingSince, null);
});

test("during a rotation a delivery verifies with either secret, by Stripe's library and by Standard Webhooks", async () => {
  await using receiver = await openReceiver();
  await using client = testWebhookClient();
  const catalogId = await seedCatalog(db);
  const id = await seedEndpoint(db, catalogId, { url: receiver.url("/in") });
  const { secret } = await rotateSecret(db, ENCRYPTION, { catalogId, id });

  await sendTest(deps(client), { catalogId, id });

  const [request] = receiver.requests;
  assert.ok(request);
  const headers = request.headers as Record<string, string>;
  for (const either of [secret, SECRET]) {
    new Stripe("sk").webhooks.constructEvent(request.body, headers["x-service-signature"] ?? "", either);
    new Webhook(either).verify(request.body, headers);
  }
});

test("deliveries are listed newest first in pages, without gaps or repetitions", async () => {
  const catalogId = await seedCatalog(db);
  await seedEndpoint(db, catalogId);
  await seedEndpoint(db, catalogId);
  const { now } = testClock();
  const events: string[] = [];
  for (let i = 0; i < 5; i += 1) events.unshift(await seedEvent(db, catalogId, { at: now() }));

  const pages: string[][] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await listDeliveries(db, catalogId, { limit: 4, ...(cursor !== undefined && { cursor }) });
    pages.push(page.deliveries.map((delivery) => delivery.event_id));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }

  assert.deepEqual(
    pages.map(({ length }) => length),
    [4, 4, 2],
  );
  assert.deepEqual(
    pages.flat(),
    events.flatMap((id) => [id, id]),
  );
});

test("deliveries are filtered by endpoint, state and event, and only of one catalog", async () => {
  const catalogId = await seedCatalog(db);
  const [one, two] = [await seedEndpoint(db, catalogId), await seedEndpoint(db, catalogId)];
  const { now } = testClock();
  await seedEvent(db, catalogId, { at: now() });
  await endAll(now(), "dead");
  await seedEvent(db, catalogId, { at: now() });

  const count = async (query: DeliveriesQuery) =>
    (await listDeliveries(db, catalogId, query)).deliveries.length;
  assert.equal(await count({}), 4);
  assert.equal(await count({ webhook_id: one }), 2);
  assert.equal(await count({ webhook_id: two, state: "dead" }), 1);
  assert.equal(await count({ state: "pending" }), 2);
  assert.equal(await count({ event: EVENT }), 4);
  assert.equal(await count({ event: "webhook.test" }), 0);
  assert.deepEqual((await listDeliveries(db, await seedCatalog(db), {})).deliveries, []);
  await assert.rejects(count({ cursor: "x" }), { code: "invalid_request" });
});

test("a resend of a dead delivery starts a new schedule and keeps the old attempts", async () => {
  const catalogId = await seedCatalog(db);
  await seedEndpoint(db, catalogId);
  const clock = testClock("2026-04-01T00:00:00.000Z");
  const eventId = await seedEvent(db, catalogId, { at: clock.now() });
  await endAll(clock.now(), "dead");
  const [dead] = (await listDeliveries(db, catalogId, {})).deliveries;
  assert.ok(dead);
  await db.clock.set(clock.advance(3_600));

  assert.deepEqual(await resendDeliveries(db, catalogId, { delivery_id: dead.id }), { resent: 1 });

  const [again] = await claimDeliveries(db, anyDue());
  assert.deepEqual([again?.id, again?.eventId, again?.failures, again?.attempts], [dead.id, eventId, 0, 1]);
  await assert.rejects(resendDeliveries(db, catalogId, { delivery_id: dead.id }), { code: "conflict" });
  await endAll(clock.advance(31), "delivered");
  const [done] = (await listDeliveries(db, catalogId, {})).deliveries;
  assert.deepEqual(
    done?.attempts.map(({ number, status }) => [number, status]),
    [
      [1, 500],
      [2, 200],
    ],
  );
});

test("a resend since a time takes the deliveries that died since then, of one endpoint or of all", async () => {
  const catalogId = await seedCatalog(db);
  const one = await seedEndpoint(db, catalogId);
  await seedEndpoint(db, catalogId);
  const clock = testClock("2026-05-01T00:00:00.000Z");
  const end = async (state: "dead" | "delivered") => {
    await seedEvent(db, catalogId, { at: clock.now() });
    await endAll(clock.now(), state);
  };
  await end("dead");
  const since = clock.advance(60).toISOString();
  await end("dead");
  await end("delivered");
  const elsewhere = await seedCatalog(db);
  await seedEndpoint(db, elsewhere);
  await seedEvent(db, elsewhere, { at: clock.now() });
  await endAll(clock.now(), "dead");

  assert.deepEqual(await resendDeliveries(db, catalogId, { since, webhook_id: one }), { resent: 1 });
  assert.deepEqual(await resendDeliveries(db, catalogId, { since }), { resent: 1 });
  assert.deepEqual(await resendDeliveries(db, catalogId, { since }), { resent: 0 });

  const { deliveries } = await listDeliveries(db, catalogId, { state: "pending" });
  assert.equal(deliveries.length, 2);
});

test("a resend of an unknown delivery or webhook is not found", async () => {
  const catalogId = await seedCatalog(db);
  const since = new Date(0).toISOString();

  await assert.rejects(resendDeliveries(db, catalogId, { delivery_id: newId() }), { code: "not_found" });
  await assert.rejects(resendDeliveries(db, catalogId, { since, webhook_id: newId() }), {
    code: "not_found",
  });
});

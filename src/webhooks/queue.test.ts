import assert from "node:assert/strict";
import { test } from "node:test";
import { clockedDb, type ClockedDb } from "../../test/database-clock.ts";
import { seedCatalog } from "../../test/seed.ts";
import {
  deliveryFacts,
  EVENT,
  seedEndpoint,
  seedEvent,
  seedEvents,
  ENCRYPTION,
  SECRET,
} from "../../test/fakes/receiver-seed.ts";
import { secretDecryptor } from "./signing.ts";
import type { Db } from "../store/db.ts";
import { claimDeliveries, FIRST_ENDPOINT, releaseDeliveries, nextDueInMs } from "./queue.sql.ts";
import type { ClaimLimits, ClaimedDelivery } from "./queue.sql.ts";
import { finishDeliveries } from "./finish.sql.ts";
import type { AttemptResult } from "./attempt.ts";
import type { Finish } from "./finish.sql.ts";
import { deleteEndpoint, findEndpoint } from "./endpoints.sql.ts";
import { type Sql, sql } from "../store/sql.ts";
import { isLong } from "../../test/long.ts";

const START = new Date("2026-03-01T12:00:00.000Z");
const at = (seconds: number) => new Date(START.getTime() + seconds * 1_000);
const LEASE_MS = 30_000;

async function claim(
  db: ClockedDb,
  { now = START, ...more }: Partial<ClaimLimits> & { readonly now?: Date } = {},
): Promise<readonly ClaimedDelivery[]> {
  await db.clock.set(now);
  return claimDeliveries(db, {
    leaseMs: LEASE_MS,
    limit: 64,
    retryLimit: 48,
    perEndpoint: 4,
    retriesPerEndpoint: 3,
    perFailingEndpoint: 4,
    after: FIRST_ENDPOINT,
    ...more,
  });
}

const attempt = (more: Partial<AttemptResult> = {}): AttemptResult => ({
  startedAt: START,
  endedAt: at(1),
  dnsMs: 1,
  connectMs: 2,
  tlsMs: 3,
  firstByteMs: 10,
  totalMs: 12,
  address: "203.0.113.1",
  status: 200,
  error: null,
  message: null,
  location: null,
  answer: Buffer.from([0, 255, 65]),
  ...more,
});
const failed = (more: Partial<AttemptResult> = {}): AttemptResult =>
  attempt({ status: 500, error: "http", message: "It answered with status 500.", ...more });

const delivered = (owned: ClaimedDelivery, more: Partial<AttemptResult> = {}): Finish => ({
  ...owned,
  state: "delivered",
  retryInS: null,
  attempt: attempt(more),
});
const again = (owned: ClaimedDelivery, nextAttemptAt: Date, more: Partial<AttemptResult> = {}): Finish => ({
  ...owned,
  state: "pending",
  retryInS: (nextAttemptAt.getTime() - START.getTime()) / 1_000,
  attempt: failed(more),
});

/** Deliveries of one endpoint, the oldest first, a second apart, all due at the start. */
async function seedQueue(db: Db, count: number): Promise<{ catalogId: string; endpointId: string }> {
  const catalogId = await seedCatalog(db);
  const endpointId = await seedEndpoint(db, catalogId);
  for (let i = 0; i < count; i += 1) await seedEvent(db, catalogId, { at: at(i - count) });
  return { catalogId, endpointId };
}

/** Makes everything queued, or everything for the endpoint, a retry that is due then. */
const makeRetries = (db: Db, dueAt: Sql, endpointId: string | null = null) =>
  db.execute(sql`
    update webhook_queue
       set attempts = 1, schedule_step = 1, due_at = ${dueAt}, turn = extract(epoch from ${dueAt}) * 1000
     where endpoint_id = coalesce(${endpointId}::uuid, endpoint_id)`);
const A_MINUTE_AGO = sql`now() - interval '1 minute'`;

const leasesIn = async (db: Db): Promise<readonly (Date | null)[]> => {
  const rows = await db.query<{ until: Date | null }>(sql`select lease_until as until from webhook_queue`);
  return rows.map(({ until }) => until);
};

test("a claim has everything needed to send: the bytes, the address and the encrypted secrets", async () => {
  await using db = await clockedDb();
  const catalogId = await seedCatalog(db);
  const endpointId = await seedEndpoint(db, catalogId, { url: "https://hooks.example/in" });
  const eventId = await seedEvent(db, catalogId, { at: START, data: { run_id: "r" } });

  const [claimed, ...more] = await claim(db);

  assert.equal(more.length, 0);
  assert.ok(claimed);
  assert.deepEqual(
    [claimed.catalogId, claimed.endpointId, claimed.eventId],
    [catalogId, endpointId, eventId],
  );
  assert.deepEqual([claimed.url, claimed.type], ["https://hooks.example/in", EVENT]);
  assert.deepEqual([claimed.attempts, claimed.failures], [0, 0]);
  assert.deepEqual(await leasesIn(db), [at(30)]);
  assert.equal(
    claimed.payload,
    `{"event":"${EVENT}","created_at":"2026-03-01T12:00:00.000Z","data":{"run_id":"r"}}`,
  );
  assert.deepEqual(secretDecryptor(ENCRYPTION)(claimed, START), [SECRET]);
});

if (isLong)
  test("twenty concurrent claims take two thousand deliveries, none of them twice", async () => {
    await using db = await clockedDb();
    const catalogId = await seedCatalog(db);
    for (let i = 0; i < 40; i += 1) await seedEndpoint(db, catalogId);
    await seedEvents(db, catalogId, 50, START);
    const taken: string[] = [];
    const claimer = async () => {
      for (let idle = 0; idle < 2; ) {
        const claimed = await claim(db, { perEndpoint: 1_000 });
        taken.push(...claimed.map(({ id }) => id));
        idle = claimed.length === 0 ? idle + 1 : 0;
      }
    };

    await Promise.all(Array.from({ length: 20 }, claimer));

    assert.equal(taken.length, 2_000);
    assert.equal(new Set(taken).size, 2_000);
  });

test("no retry is claimed before it is due, and the oldest is claimed first", async () => {
  await using db = await clockedDb();
  const catalogId = await seedCatalog(db);
  await seedEndpoint(db, catalogId);
  const late = await seedEvent(db, catalogId, { at: START });
  await makeRetries(db, sql`now() + interval '10 seconds'`);
  const early = await seedEvent(db, catalogId, { at: START });

  assert.deepEqual(
    (await claim(db, { limit: 1 })).map(({ eventId }) => eventId),
    [early],
  );
  assert.deepEqual(await claim(db), []);
  assert.deepEqual(
    (await claim(db, { now: at(10) })).map(({ eventId }) => eventId),
    [late],
  );
});

test("an endpoint never has more in flight than its limit, by any number of claims", async () => {
  await using db = await clockedDb();
  const { endpointId } = await seedQueue(db, 6);
  const other = await seedQueue(db, 2);

  const first = await claim(db);
  const second = await claim(db);

  const ofEndpoint = (id: string) => first.filter((claimed) => claimed.endpointId === id);
  assert.equal(ofEndpoint(endpointId).length, 4);
  assert.equal(ofEndpoint(other.endpointId).length, 2);
  assert.deepEqual(second, []);
  const [one] = ofEndpoint(endpointId);
  assert.ok(one);
  await finishDeliveries(db, [delivered(one)]);
  assert.equal((await claim(db)).length, 1);
});

test("later deliveries are ordered after those in flight, even with an earlier due time", async () => {
  await using db = await clockedDb();
  const { catalogId } = await seedQueue(db, 4);
  assert.equal((await claim(db)).length, 4);

  for (let i = 0; i < 20; i += 1) await seedEvent(db, catalogId, { at: at(-3_600 - i) });

  assert.deepEqual(await claim(db), []);
});

test("retries leave slots for first attempts, per endpoint and per claim", async () => {
  await using db = await clockedDb();
  const crowd = await seedQueue(db, 8);
  await makeRetries(db, A_MINUTE_AGO, crowd.endpointId);
  await seedEvent(db, crowd.catalogId, { at: START });
  const others = [await seedQueue(db, 4), await seedQueue(db, 4)];
  for (const { endpointId } of others) await makeRetries(db, A_MINUTE_AGO, endpointId);

  const claimed = await claim(db, { retryLimit: 5 });

  const ofCrowd = claimed.filter(({ endpointId }) => endpointId === crowd.endpointId);
  assert.equal(ofCrowd.filter(({ attempts }) => attempts === 0).length, 1);
  assert.ok(ofCrowd.filter(({ attempts }) => attempts > 0).length <= 3);
  assert.equal(claimed.filter(({ attempts }) => attempts > 0).length, 5);
  const none = await claim(db, { retryLimit: 0, now: at(1) });
  assert.deepEqual(none, []);
});

test("a claim that reached its limit is continued where it stopped", async () => {
  await using db = await clockedDb();
  const endpoints = [await seedQueue(db, 3), await seedQueue(db, 3), await seedQueue(db, 3)];
  const [first, second, third] = endpoints.map(({ endpointId }) => endpointId).toSorted();
  assert.ok(first && second && third);

  const visited = (claimed: readonly ClaimedDelivery[]) => claimed.map(({ endpointId }) => endpointId);
  assert.deepEqual(visited(await claim(db, { limit: 2 })), [first, first]);
  assert.deepEqual(visited(await claim(db, { limit: 2, after: first })), [second, second]);
  assert.deepEqual(visited(await claim(db, { limit: 64, after: second })), [third, third, third]);
});

test("an expired lease is claimed by the next claim, and its former owner can change nothing", async () => {
  await using db = await clockedDb();
  const { catalogId, endpointId } = await seedQueue(db, 1);
  const [dead] = await claim(db);
  assert.ok(dead);
  assert.deepEqual(await claim(db, { now: at(29.999) }), []);

  const [heir] = await claim(db, { now: at(30) });
  const lateFinish = await finishDeliveries(db, [again(dead, at(60))]);
  await releaseDeliveries(db, [dead]);

  assert.equal(heir?.id, dead.id);
  assert.notEqual(heir?.token, dead.token);
  assert.equal(lateFinish.size, 0);
  const [facts] = await deliveryFacts(db);
  assert.deepEqual([facts?.state, facts?.attempts, facts?.leaseToken], ["pending", 0, heir?.token]);
  assert.deepEqual(await attemptsIn(db), []);
  const endpoint = await findEndpoint(db, { catalogId, id: endpointId });
  assert.deepEqual([endpoint?.failingSince, endpoint?.lastFailureAt], [null, null]);
});

for (const [title, ahead, claimed] of [
  ["the longest delay of the schedule ahead waits", "12 hours", 0],
  ["further ahead than the schedule was written before the clock was set back, and is due", "60 days", 1],
] as const) {
  test(`a retry that is ${title}`, async () => {
    await using db = await clockedDb();
    await seedQueue(db, 1);
    await makeRetries(db, sql`now() + ${ahead}::interval`);

    assert.equal((await claim(db)).length, claimed);
  });
}

test("a lease from before the clock was set back is ignored", async () => {
  await using db = await clockedDb();
  await seedQueue(db, 1);
  const [dead] = await claim(db, { leaseMs: 86_400_000 });

  const [heir] = await claim(db, { perEndpoint: 1 });

  assert.ok(dead);
  assert.equal(heir?.id, dead.id);
});

test("a released delivery is claimed again with nothing changed", async () => {
  await using db = await clockedDb();
  await seedQueue(db, 2);
  const claimed = await claim(db);

  await releaseDeliveries(db, claimed);

  const [facts] = await deliveryFacts(db);
  assert.deepEqual([facts?.attempts, facts?.leaseToken, facts?.nextAttemptAt], [0, null, START]);
  assert.equal((await claim(db)).length, 2);
});

test("several deliveries are finished in one statement, each with its attempt", async () => {
  await using db = await clockedDb();
  await seedQueue(db, 3);
  const [one, two, three] = await claim(db);
  assert.ok(one && two && three);

  const ours = await finishDeliveries(db, [
    delivered(one),
    again(two, at(61)),
    { ...again(three, at(0)), state: "dead", retryInS: null },
  ]);

  assert.deepEqual(ours, new Set([one.id, two.id, three.id]));
  const facts = new Map((await deliveryFacts(db)).map((row) => [row.id, row]));
  assert.deepEqual(
    [one, two, three].map(({ id }) => [facts.get(id)?.state, facts.get(id)?.nextAttemptAt]),
    [
      ["delivered", null],
      ["pending", at(61)],
      ["dead", null],
    ],
  );
  const attempts = await attemptsIn(db);
  assert.equal(attempts.length, 3);
  const kept = attempts.find(({ deliveryId: id }) => id === one.id);
  assert.deepEqual(kept?.["answer"], Buffer.from([0, 255, 65]));
  assert.deepEqual(
    [kept?.["number"], kept?.["startedAt"], kept?.["tlsMs"], kept?.["address"], kept?.["error"]],
    [1, START, 3, "203.0.113.1", null],
  );
});

test("a delivery is finished once: the second time its lease is gone", async () => {
  await using db = await clockedDb();
  await seedQueue(db, 1);
  const [one] = await claim(db);
  assert.ok(one);

  assert.equal((await finishDeliveries(db, [delivered(one)])).size, 1);
  assert.equal((await finishDeliveries(db, [again(one, at(60))])).size, 0);

  assert.equal((await attemptsIn(db)).length, 1);
  assert.equal((await deliveryFacts(db))[0]?.state, "delivered");
});

test("the newest attempt gives the endpoint's health: failing since the first failure, active after a success", async () => {
  await using db = await clockedDb();
  const { catalogId, endpointId: id } = await seedQueue(db, 4);
  const [one, two, three, four] = await claim(db);
  assert.ok(one && two && three && four);
  const health = async () => {
    const row = await findEndpoint(db, { catalogId, id });
    return [row?.lastSuccessAt, row?.failingSince, row?.lastFailureAt, row?.lastFailure];
  };

  await finishDeliveries(db, [delivered(one, { endedAt: at(1) })]);
  assert.deepEqual(await health(), [at(1), null, null, null]);
  await finishDeliveries(db, [again(two, at(62), { endedAt: at(2), message: "first" })]);
  assert.deepEqual(await health(), [at(1), at(2), at(2), "first"]);
  await finishDeliveries(db, [again(three, at(80), { endedAt: at(20), message: "second" })]);
  assert.deepEqual(await health(), [at(1), at(2), at(20), "second"]);
  await finishDeliveries(db, [delivered(four, { endedAt: at(21) })]);
  assert.deepEqual(await health(), [at(21), null, at(20), "second"]);
});

test("a batch with a success and a later failure leaves the endpoint failing since that failure", async () => {
  await using db = await clockedDb();
  const { catalogId, endpointId: id } = await seedQueue(db, 2);
  const [one, two] = await claim(db);
  assert.ok(one && two);

  await finishDeliveries(db, [again(two, at(65), { endedAt: at(5) }), delivered(one, { endedAt: at(3) })]);

  const row = await findEndpoint(db, { catalogId, id });
  assert.deepEqual([row?.lastSuccessAt, row?.failingSince], [at(3), at(5)]);
});

test("a batch with several failures tells since when the endpoint fails, and when and why it failed last", async () => {
  await using db = await clockedDb();
  const { catalogId, endpointId: id } = await seedQueue(db, 3);
  const [one, two, three] = await claim(db);
  assert.ok(one && two && three);

  await finishDeliveries(db, [
    again(one, at(66), { endedAt: at(6), message: "second" }),
    again(two, at(69), { endedAt: at(9), message: "last" }),
    again(three, at(63), { endedAt: at(3), message: "first" }),
  ]);

  const row = await findEndpoint(db, { catalogId, id });
  assert.deepEqual([row?.failingSince, row?.lastFailureAt, row?.lastFailure], [at(3), at(9), "last"]);
});

test("an endpoint that recovers is active at once, although its last success was a moment ago", async () => {
  await using db = await clockedDb();
  const { catalogId, endpointId: id } = await seedQueue(db, 3);
  const [one, two, three] = await claim(db);
  assert.ok(one && two && three);
  const failingSince = async () => (await findEndpoint(db, { catalogId, id }))?.failingSince;

  await finishDeliveries(db, [delivered(one, { endedAt: at(1) })]);
  await finishDeliveries(db, [again(two, at(62), { endedAt: at(2) })]);
  assert.deepEqual(await failingSince(), at(2));
  await finishDeliveries(db, [delivered(three, { endedAt: at(3) })]);
  assert.equal(await failingSince(), null);
});

test("a merge that locks the catalog does not hold up deliveries", async () => {
  await using db = await clockedDb();
  const { catalogId } = await seedQueue(db, 1);

  const ours = await db.tx(async (tx) => {
    await tx.query({ text: "select 1 from catalogs where id = $1 for update", values: [catalogId] });
    const [one] = await claim(db);
    assert.ok(one);
    return finishDeliveries(db, [delivered(one)]);
  });

  assert.equal(ours.size, 1);
});

test("deleting an endpoint deletes its queue, and its deliveries in flight finish nothing", async () => {
  await using db = await clockedDb();
  const { catalogId, endpointId: id } = await seedQueue(db, 3);
  const [one] = await claim(db, { limit: 1 });
  assert.ok(one);

  await db.tx(async (tx) => deleteEndpoint(tx, { catalogId, id }));

  assert.equal((await finishDeliveries(db, [delivered(one)])).size, 0);
  assert.deepEqual(await deliveryFacts(db), []);
  assert.deepEqual(await attemptsIn(db), []);
});

test("the next due time is that of the next retry or lease, not of deliveries that wait for a slot", async () => {
  await using db = await clockedDb();
  assert.equal(await nextDueInMs(db), null);
  await seedQueue(db, 5);
  const [one] = await claim(db);
  assert.ok(one);

  assert.equal(await nextDueInMs(db), 30_000);
  await finishDeliveries(db, [again(one, at(7))]);
  assert.equal(await nextDueInMs(db), 7_000);
  await db.clock.set(at(7));
  assert.equal(await nextDueInMs(db), 23_000);
});

const attemptsIn = (db: Db): Promise<readonly Record<string, unknown>[]> =>
  db.query({ text: "select * from webhook_attempts order by delivery_id, number", values: [] });

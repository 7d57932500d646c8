import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import { answer, openReceiver } from "../../test/fakes/receiver.ts";
import type { Receiver, Reply } from "../../test/fakes/receiver.ts";
import {
  deliveryFacts,
  seedEndpoint,
  seedEvent,
  seedEvents,
  ENCRYPTION,
  webhookFixture,
  testWebhookClient,
} from "../../test/fakes/receiver-seed.ts";
import type { DatabaseClock } from "../../test/database-clock.ts";
import { AppError } from "../errors.ts";
import { createEncryption } from "../lib/encryption.ts";
import type { Db } from "../store/db.ts";
import { claimDeliveries, FIRST_ENDPOINT } from "./queue.sql.ts";
import type { ClaimLimits } from "./queue.sql.ts";
import { findEndpoint } from "./endpoints.sql.ts";
import { listenForNotices, notify } from "../store/notices.ts";
import { sql } from "../store/sql.ts";
import { DISPATCHER_DEFAULTS, runDispatcher } from "./dispatcher.ts";
import type { DeliveryCounts, DispatcherDeps, DispatcherOptions } from "./dispatcher.ts";

/** The claim of a dispatcher that has all its slots free. */
const anyClaim: ClaimLimits = {
  ...DISPATCHER_DEFAULTS,
  limit: 64,
  retryLimit: 48,
  after: FIRST_ENDPOINT,
};

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

type TestDispatcher = AsyncDisposable & {
  /** Resolves when the counts are reached. */
  readonly counted: (isReached: (counts: DeliveryCounts) => boolean) => Promise<DeliveryCounts>;
  /** Sends it a notice. */
  readonly wake: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** A dispatcher on the test's clock. It claims only after a notice, so that nothing depends on real time. */
async function startDispatcher(
  db: Db,
  clock: Pick<DatabaseClock, "now">,
  { deps = {}, options = {} }: { deps?: Partial<DispatcherDeps>; options?: Partial<DispatcherOptions> } = {},
): Promise<TestDispatcher> {
  const client = testWebhookClient();
  const notices = await listenForNotices(db.target);
  const stopping = new AbortController();
  let counts: DeliveryCounts = { delivered: 0, failed: 0, dead: 0, inFlight: 0 };
  const waiting = new Set<() => void>();
  const onCounts = (now: DeliveryCounts) => {
    counts = now;
    for (const look of waiting) look();
  };
  const parts = { db, client, encryption: ENCRYPTION, log: quiet, now: clock.now, onCounts, ...deps };
  const onlyWhenCalled = { idleMs: 60_000, slowAfterMs: 60_000 };
  const working = runDispatcher(parts, notices, stopping.signal, {
    ...DISPATCHER_DEFAULTS,
    ...onlyWhenCalled,
    ...options,
  });
  const stop = async () => {
    stopping.abort();
    await working;
  };
  return {
    counted: (isReached) =>
      new Promise((resolve) => {
        const look = () => {
          if (!isReached(counts)) return;
          waiting.delete(look);
          resolve(counts);
        };
        waiting.add(look);
        look();
      }),
    wake: async () => notify(db, { about: "deliveries" }),
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await notices.close();
      await client.close();
    },
  };
}

async function endpointAt(
  db: Db,
  receiver: Receiver,
  path: string,
): Promise<{ catalogId: string; id: string }> {
  const catalogId = await seedCatalog(db);
  return { catalogId, id: await seedEndpoint(db, catalogId, { url: receiver.url(path) }) };
}

const HANGS: Reply = { kind: "hang" };

/** Everything that is queued becomes a retry, and is due. */
async function failedOnce(db: Db): Promise<void> {
  await db.execute({
    text: "update webhook_queue set attempts = 1, schedule_step = 1, turn = 0",
    values: [],
  });
}

type Fixture = Awaited<ReturnType<typeof webhookFixture>>;

/** An endpoint that answers when it is released. */
async function heldEndpoint({ db, receiver }: Fixture) {
  const { catalogId } = await endpointAt(db, receiver, "/");
  const held = Promise.withResolvers<void>();
  receiver.on("/", { kind: "answer", status: 200, when: held.promise });
  return { catalogId, release: held.resolve };
}

/** Several endpoints that answer in the same way, with several deliveries each. */
async function seedMany(
  { db, receiver, clock }: Fixture,
  { kind, reply, endpoints, each = 1 }: { kind: string; reply: Reply; endpoints: number; each?: number },
): Promise<void> {
  for (let i = 0; i < endpoints; i += 1) {
    const path = `/${kind}-${i}`;
    const { catalogId } = await endpointAt(db, receiver, path);
    receiver.on(path, reply);
    await seedEvents(db, catalogId, each, clock.now());
  }
}

describe("the schedule", () => {
  test("is 1 min, 5 min, 30 min, 2 h, 12 h from each failure, and then the delivery is dead", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    receiver.on(
      "/",
      answer(429, { headers: { "retry-after": "1" } }),
      answer(410),
      { kind: "reset" },
      answer(500),
    );
    const { catalogId } = await endpointAt(db, receiver, "/");
    const eventId = await seedEvent(db, catalogId, { at: clock.now() });
    await using dispatcher = await startDispatcher(db, clock);

    const waits: (number | null)[] = [];
    for (let attempts = 1; attempts <= 6; attempts += 1) {
      await dispatcher.counted(({ failed, inFlight }) => failed === attempts && inFlight === 0);
      const [delivery] = await deliveryFacts(db);
      const due = delivery?.nextAttemptAt ?? null;
      const waitS = due && (due.getTime() - clock.now().getTime()) / 1_000;
      waits.push(waitS);
      if (waitS === null) break;
      await clock.advance(waitS - 0.001);
      assert.deepEqual(await claimDeliveries(db, anyClaim), [], "not a millisecond early");
      await clock.advance(0.001);
      await dispatcher.wake();
    }

    assert.deepEqual(waits, [60, 300, 1_800, 7_200, 43_200, null]);
    const [delivery] = await deliveryFacts(db);
    assert.deepEqual([delivery?.state, delivery?.attempts], ["dead", 6]);
    assert.equal((await dispatcher.counted(({ dead }) => dead === 1)).failed, 6);
    assert.equal(clock.now().toISOString(), "2026-03-02T02:36:00.000Z");
    assert.deepEqual(
      new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])),
      new Set([eventId]),
    );
    assert.equal(new Set(receiver.requests.map(({ body }) => body)).size, 1);
    assert.equal(new Set(receiver.requests.map(({ headers }) => headers["webhook-timestamp"])).size, 6);
  });

  test("ends with the first success, and the endpoint is healthy again", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    receiver.on("/", answer(500), answer(200));
    const { catalogId, id } = await endpointAt(db, receiver, "/");
    await seedEvent(db, catalogId, { at: clock.now() });
    await using dispatcher = await startDispatcher(db, clock);
    await dispatcher.counted(({ failed }) => failed === 1);
    const failing = await findEndpoint(db, { catalogId, id });

    await clock.advance(60);
    await dispatcher.wake();
    await dispatcher.counted(({ delivered, inFlight }) => delivered === 1 && inFlight === 0);

    assert.ok(failing?.failingSince);
    const healed = await findEndpoint(db, { catalogId, id });
    assert.deepEqual([healed?.failingSince, healed?.lastSuccessAt], [null, clock.now()]);
    assert.deepEqual((await deliveryFacts(db))[0]?.state, "delivered");
  });

  test("wakes the dispatcher without a notice when the next retry is due", async () => {
    await using db = await freshDb();
    await using receiver = await openReceiver();
    const { catalogId } = await endpointAt(db, receiver, "/");
    await seedEvent(db, catalogId, { at: new Date() });
    await failedOnce(db);
    await db.execute(sql`
      update webhook_queue set due_at = now() + interval '200 ms',
             turn = extract(epoch from now() + interval '200 ms') * 1000`);
    await using dispatcher = await startDispatcher(db, { now: () => new Date() });

    await dispatcher.counted(({ delivered }) => delivered === 1);

    assert.equal(receiver.requests.length, 1);
  });
});

describe("clocks that differ", () => {
  for (const [title, aheadS] of [
    ["ahead of", 45],
    ["behind", -45],
    ["60 days ahead of", 60 * 86_400],
  ] as const) {
    test(`a database whose clock is ${title} the worker's delivers at once`, async () => {
      await using fixture = await webhookFixture();
      const { db, receiver, clock } = fixture;
      const { catalogId } = await endpointAt(db, receiver, "/");
      const worker = { now: () => new Date(clock.now().getTime() - aheadS * 1_000) };
      await seedEvent(db, catalogId, { at: clock.now() });
      await seedEvent(db, catalogId, { at: worker.now() });
      await using dispatcher = await startDispatcher(db, worker);

      await dispatcher.counted(({ delivered }) => delivered === 2);

      assert.equal(receiver.requests.length, 2);
    });
  }

  test("what was queued before the database's clock was set back by 60 days is delivered at once", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    const { catalogId } = await endpointAt(db, receiver, "/");
    receiver.on("/", answer(500), answer(200));
    await clock.advance(60 * 86_400);
    await seedEvent(db, catalogId, { at: clock.now() });
    await using dispatcher = await startDispatcher(db, clock);
    await dispatcher.counted(({ failed, inFlight }) => failed === 1 && inFlight === 0);
    await dispatcher.stop();
    await seedEvents(db, catalogId, 3, clock.now());
    await claimDeliveries(db, anyClaim);

    await clock.advance(-60 * 86_400);

    await using next = await startDispatcher(db, clock);
    await next.counted(({ delivered }) => delivered === 4);
  });

  test("a delay that the schedule has is waited for, however far the worker's clock is ahead", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    const { catalogId } = await endpointAt(db, receiver, "/");
    receiver.on("/", answer(500));
    await seedEvent(db, catalogId, { at: clock.now() });
    const ahead = { now: () => new Date(clock.now().getTime() + 86_400_000) };
    await using dispatcher = await startDispatcher(db, ahead);
    await dispatcher.counted(({ failed, inFlight }) => failed === 1 && inFlight === 0);

    assert.deepEqual(await claimDeliveries(db, anyClaim), []);
    const [delivery] = await deliveryFacts(db);
    assert.deepEqual(delivery?.nextAttemptAt, new Date(clock.now().getTime() + 60_000));
  });
});

describe("a receiver that hangs or fails does not hold up others", () => {
  test("an endpoint that fails has one delivery in flight at a time", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    const { catalogId } = await endpointAt(db, receiver, "/");
    receiver.on("/", answer(500));
    await seedEvents(db, catalogId, 6, clock.now());
    const claimed = async () => (await claimDeliveries(db, anyClaim)).length;
    await using dispatcher = await startDispatcher(db, clock);
    await dispatcher.counted(({ failed }) => failed === 6);
    await dispatcher.stop();
    await seedEvent(db, catalogId, { at: clock.now() });
    await seedEvent(db, catalogId, { at: clock.now() });

    assert.equal(await claimed(), 1);
    assert.equal(await claimed(), 0);
  });

  test("a claim that returns late is released, not sent under an expired lease", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    const { catalogId } = await endpointAt(db, receiver, "/");
    await seedEvent(db, catalogId, { at: clock.now() });
    let isLate = true;
    let lateMs = 0;
    const slow = {
      ...db,
      query: async <Row>(statement: Parameters<Db["query"]>[0]) => {
        const rows = await db.query<Row>(statement);
        if (isLate && rows.length > 0 && statement.name === "claim_deliveries") {
          isLate = false;
          lateMs = 36_000;
        }
        return rows;
      },
      execute: async (statement: Parameters<Db["execute"]>[0]) => {
        lateMs = 0;
        return db.execute(statement);
      },
    };
    const monotonicMs = () => performance.now() + lateMs;
    await using dispatcher = await startDispatcher(slow, clock, { deps: { monotonicMs } });
    await dispatcher.counted(({ delivered }) => delivered === 1);

    assert.equal(receiver.requests.length, 1);
    assert.equal(isLate, false);
  });

  test("an endpoint that hangs takes no more slots than its limit, and all others are served", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    const hung = await endpointAt(db, receiver, "/hung");
    receiver.on("/hung", { kind: "hang" });
    await seedEvents(db, hung.catalogId, 30, clock.now());
    await clock.advance(1);
    for (let i = 0; i < 3; i += 1) {
      const { catalogId } = await endpointAt(db, receiver, `/healthy-${i}`);
      await seedEvents(db, catalogId, 10, clock.now());
    }
    await using dispatcher = await startDispatcher(db, clock, {
      options: { slots: 8, firstAttemptSlots: 2, drainMs: 0 },
    });

    const counts = await dispatcher.counted(({ delivered }) => delivered === 30);

    assert.equal(counts.failed, 0);
    assert.equal(receiver.mostAtOnce("/hung"), 4);
    for (let i = 0; i < 3; i += 1) assert.ok(receiver.mostAtOnce(`/healthy-${i}`) <= 4);
  });

  test("more slow requests than slots give up their slots, and all others are served", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    await seedMany(fixture, { kind: "hung", reply: HANGS, endpoints: 5, each: 4 });
    const options = { slots: 8, firstAttemptSlots: 2, slowAfterMs: 50, drainMs: 0 };
    await using dispatcher = await startDispatcher(db, clock, { options });
    await receiver.received(20);

    const { catalogId } = await endpointAt(db, receiver, "/healthy");
    await seedEvents(db, catalogId, 10, clock.now());
    const counts = await dispatcher.counted(({ delivered }) => delivered === 10);

    assert.equal(counts.failed, 0);
    assert.equal(counts.inFlight >= 20, true);
  });

  test("retries that hang leave slots for first attempts", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    await seedMany(fixture, { kind: "hung", reply: HANGS, endpoints: 4, each: 5 });
    await failedOnce(db);
    await using dispatcher = await startDispatcher(db, clock, {
      options: { slots: 8, firstAttemptSlots: 2, drainMs: 0 },
    });
    await receiver.received(6);

    const { catalogId } = await endpointAt(db, receiver, "/healthy");
    await seedEvents(db, catalogId, 10, clock.now());
    await dispatcher.counted(({ delivered }) => delivered === 10);

    assert.equal(receiver.requests.filter(({ path }) => path.startsWith("/hung")).length, 6);
  });
});

describe("many retries at once", () => {
  for (const [when, slowAfterMs] of [
    ["later", 200],
    ["while the dispatcher looks for first attempts", 0],
  ] as const) {
    test(`take the slots that slow requests give up ${when}, without a notice`, async () => {
      await using fixture = await webhookFixture();
      const { db, clock } = fixture;
      await seedMany(fixture, { kind: "hung", reply: HANGS, endpoints: 6 });
      await seedMany(fixture, { kind: "healthy", reply: answer(200), endpoints: 3 });
      await failedOnce(db);

      const options = { slots: 20, firstAttemptSlots: 14, slowAfterMs, drainMs: 0 };
      await using dispatcher = await startDispatcher(db, clock, { options });
      const { failed } = await dispatcher.counted(({ delivered }) => delivered === 3);

      assert.equal(failed, 0);
    });
  }

  test("go over all endpoints in turn instead of finishing the first ones", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    await seedMany(fixture, {
      kind: "failing",
      reply: answer(500),
      endpoints: 40,
      each: 5,
    });
    await failedOnce(db);

    await using dispatcher = await startDispatcher(db, clock, {
      options: { slots: 8, firstAttemptSlots: 2 },
    });
    // An endpoint may have three in flight until it is known to fail.
    await dispatcher.counted(({ failed }) => failed >= 3 * 40);

    const reached = new Set(receiver.requests.slice(0, 3 * 40 + 8).map(({ path }) => path));
    assert.equal(reached.size, 40);
  });
});

describe("first attempts", () => {
  test("are found behind any number of retries, even with few slots left", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    const at = clock.now();
    // They keep five of the six slots for retries.
    await seedMany(fixture, { kind: "hung", reply: HANGS, endpoints: 5 });
    await seedMany(fixture, { kind: "failing", reply: answer(500), endpoints: 40, each: 5 });
    await failedOnce(db);
    const { catalogId } = await endpointAt(db, receiver, "/healthy");
    await seedEvents(db, catalogId, 4, at);

    const options = { slots: 8, firstAttemptSlots: 2, drainMs: 0 };
    await using dispatcher = await startDispatcher(db, clock, { options });
    const { failed } = await dispatcher.counted(({ delivered }) => delivered === 4);

    assert.ok(failed < 100, `${failed} of 200 retries came first`);
  });

  test("continue after a full claim although no receiver answers", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    const at = clock.now();
    await seedMany(fixture, { kind: "hung", reply: HANGS, endpoints: 130 });
    const { catalogId } = await endpointAt(db, receiver, "/healthy");
    await seedEvent(db, catalogId, { at });

    await using dispatcher = await startDispatcher(db, clock, { options: { slots: 250, drainMs: 0 } });
    const { failed } = await dispatcher.counted(({ delivered }) => delivered === 1);

    assert.equal(failed, 0);
  });
});

describe("several dispatchers", () => {
  test("share the work, and everything is delivered exactly once", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    const catalogId = await seedCatalog(db);
    for (let i = 0; i < 5; i += 1) await seedEndpoint(db, catalogId, { url: receiver.url(`/${i}`) });
    await seedEvents(db, catalogId, 40, clock.now());
    await using one = await startDispatcher(db, clock);
    await using other = await startDispatcher(db, clock);

    await receiver.received(200);
    await Promise.all([one.stop(), other.stop()]);

    assert.equal(receiver.requests.length, 200);
    const facts = await deliveryFacts(db);
    assert.equal(facts.filter(({ state, attempts }) => state === "delivered" && attempts === 1).length, 200);
    const ids = receiver.requests.map(({ path, headers }) => `${path} ${String(headers["webhook-id"])}`);
    assert.equal(new Set(ids).size, 200);
  });

  test("resend, under the same id, what a dispatcher had claimed when it died", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    const { catalogId } = await endpointAt(db, receiver, "/");
    const eventId = await seedEvent(db, catalogId, { at: clock.now() });
    assert.equal((await claimDeliveries(db, anyClaim)).length, 1);
    await using dispatcher = await startDispatcher(db, clock);

    await clock.advance(30);
    await dispatcher.wake();
    await dispatcher.counted(({ delivered }) => delivered === 1);

    assert.deepEqual(
      receiver.requests.map(({ headers }) => headers["webhook-id"]),
      [eventId],
    );
  });
});

describe("a dispatcher that is stopped", () => {
  test("lets running requests end, writes their results, and claims nothing more", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    const { catalogId, release } = await heldEndpoint(fixture);
    await seedEvents(db, catalogId, 6, clock.now());
    await using dispatcher = await startDispatcher(db, clock);
    await receiver.received(4);

    const stopped = dispatcher.stop();
    release();
    await stopped;

    assert.equal(receiver.requests.length, 4);
    const facts = await deliveryFacts(db);
    assert.equal(facts.filter(({ state }) => state === "delivered").length, 4);
    assert.equal(facts.filter(({ state, attempts }) => state === "pending" && attempts === 0).length, 2);
    assert.ok(facts.every(({ leaseToken: token }) => token === null));
  });

  test("that must stop now aborts running requests and releases their deliveries", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    const { catalogId } = await endpointAt(db, receiver, "/");
    receiver.on("/", { kind: "hang" });
    await seedEvents(db, catalogId, 3, clock.now());
    const stopNow = new AbortController();
    await using dispatcher = await startDispatcher(db, clock, { options: { stopNow: stopNow.signal } });
    await receiver.received(3);

    const stopped = dispatcher.stop();
    stopNow.abort();
    await stopped;

    for (const { state, attempts, leaseToken: token, nextAttemptAt: due } of await deliveryFacts(db)) {
      assert.deepEqual([state, attempts, token, due], ["pending", 0, null, clock.now()]);
    }
  });
});

describe("an internal failure", () => {
  test("such as a secret that does not open uses no attempt; the delivery is claimed again after its lease", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    const { catalogId } = await endpointAt(db, receiver, "/");
    await seedEvent(db, catalogId, { at: clock.now() });
    const faults: object[] = [];
    const noted = Promise.withResolvers<void>();
    const log = {
      ...quiet,
      error: (fields: object) => {
        faults.push(fields);
        noted.resolve();
      },
    };
    const wrongKey = createEncryption("not the key that the secrets were encrypted with");
    const misconfigured = await startDispatcher(db, clock, { deps: { encryption: wrongKey, log } });
    await noted.promise;
    await misconfigured[Symbol.asyncDispose]();
    const [untried] = await deliveryFacts(db);
    await clock.advance(30);
    await using dispatcher = await startDispatcher(db, clock);
    await dispatcher.counted(({ delivered }) => delivered === 1);

    assert.deepEqual([untried?.state, untried?.attempts], ["pending", 0]);
    assert.equal((await deliveryFacts(db))[0]?.attempts, 1);
    assert.equal(faults.length, 1);
  });

  test("such as a lost database keeps the result until it can be written", async () => {
    await using fixture = await webhookFixture();
    const { db, receiver, clock } = fixture;
    const { catalogId, release } = await heldEndpoint(fixture);
    await seedEvent(db, catalogId, { at: clock.now() });
    let isAway = false;
    const unreliable: Db = {
      ...db,
      query: async (statement) => {
        if (!isAway) return db.query(statement);
        isAway = false;
        throw new AppError("database_unavailable", "The database cannot be reached right now.");
      },
    };
    await using dispatcher = await startDispatcher(db, clock, { deps: { db: unreliable } });
    await receiver.received(1);

    isAway = true;
    release();
    await dispatcher.counted(({ delivered }) => delivered === 1);

    assert.equal(receiver.requests.length, 1);
    assert.equal((await deliveryFacts(db))[0]?.state, "delivered");
  });
});

test("a lease that does not outlast the deadline by the margin is refused at the start", async () => {
  await using db = await freshDb();
  await using client = testWebhookClient();
  const deps = { db, client, encryption: ENCRYPTION, log: quiet, now: () => new Date() };
  const notices = { on: () => () => {} };

  await assert.rejects(
    runDispatcher(deps, notices, AbortSignal.abort(), { ...DISPATCHER_DEFAULTS, leaseMs: 19_999 }),
    { code: "config_invalid", message: /would be sent twice/ },
  );
  await runDispatcher(deps, notices, AbortSignal.abort(), { ...DISPATCHER_DEFAULTS, leaseMs: 20_000 });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../test/actions.ts";
import { clockedDb } from "../../test/database-clock.ts";
import { seedCatalog } from "../../test/seed.ts";
import { anyDue, attemptIn, seedEndpoint, seedEvent } from "../../test/fakes/receiver-seed.ts";
import { newId } from "../lib/id.ts";
import type { Queries } from "../store/db.ts";
import { listenForNotices } from "../store/notices.ts";
import type { Notice } from "../store/notices.ts";
import { sql } from "../store/sql.ts";
import { insertSentEvent } from "./events.sql.ts";
import type { DeliveryState } from "../contract/webhooks.ts";
import { finishDeliveries } from "./finish.sql.ts";
import type { Finish } from "./finish.sql.ts";
import { listAttempts, resend } from "./log.sql.ts";
import type { Resend } from "./log.sql.ts";
import { claimDeliveries } from "./queue.sql.ts";
import type { ClaimedDelivery, DeliveryLease } from "./queue.sql.ts";
import { closeAfterTests } from "../../test/close-after.ts";

const db = closeAfterTests(await clockedDb());

const START = new Date("2026-03-01T12:00:00.000Z");
const at = (seconds: number) => new Date(START.getTime() + seconds * 1_000);
const LEASE_S = 30;
const TEST = "webhook.test";

/** One delivery, due at the start, of a catalog of its own. */
type Place = { readonly catalogId: string; readonly endpointId: string; readonly id: string };

async function seedDelivery(): Promise<Place> {
  const catalogId = await seedCatalog(db);
  const endpointId = await seedEndpoint(db, catalogId);
  await db.clock.set(START);
  const eventId = await seedEvent(db, catalogId, { at: START });
  const rows = await db.query<DeliveryLease>(
    sql`select id from webhook_deliveries where event_id = ${eventId}`,
  );
  assert.ok(rows[0]);
  return { catalogId, endpointId, id: rows[0].id };
}

/** Claims the endpoint's one delivery, if it is due. What earlier tests have left is claimed too and ignored. */
async function claimOf({ endpointId }: Place, now: Date): Promise<ClaimedDelivery | undefined> {
  await db.clock.set(now);
  const claimed = await claimDeliveries(db, anyDue({ leaseMs: LEASE_S * 1_000 }));
  const ours = claimed.filter((delivery) => delivery.endpointId === endpointId);
  assert.ok(ours.length <= 1);
  return ours[0];
}

/** An attempt that ended with this state at `now`; the next one is due an hour later. */
const ending = ({ id, token }: DeliveryLease, state: DeliveryState, now: Date): Finish => ({
  id,
  token,
  state,
  retryInS: state === "pending" ? 3_600 : null,
  attempt: attemptIn(now, state === "delivered"),
});

/** Claims it and finishes the attempt with this state, at the same time. */
async function attemptOf(place: Place, state: DeliveryState, now: Date): Promise<void> {
  const claimed = await claimOf(place, now);
  assert.ok(claimed);
  assert.equal((await finishDeliveries(db, [ending(claimed, state, now)])).size, 1);
}

async function resendAt(tx: Queries, now: Date, request: Resend): Promise<number> {
  await db.clock.set(now);
  return resend(tx, request);
}

const resendOne = ({ catalogId, id }: Place, now: Date): Promise<number> =>
  db.tx(async (tx) => resendAt(tx, now, { catalogId, deliveryId: id }));

/** Its rows in the log and in the queue. */
const rowsOf = async ({ id }: Place) => ({
  logged: await db.query<Record<string, unknown>>(sql`select * from webhook_deliveries where id = ${id}`),
  queued: await db.query<Record<string, unknown>>(sql`select * from webhook_queue where id = ${id}`),
});

const attemptsOf = async ({ catalogId, id }: Place) =>
  ((await listAttempts(db, catalogId, [id])).get(id) ?? []).map(({ number, status }) => [number, status]);

/** Log and queue have it due at `now` with a new schedule, and it is claimed once. */
async function assertDue(place: Place, now: Date, attempts: number): Promise<ClaimedDelivery> {
  const { logged, queued } = await rowsOf(place);
  assert.deepEqual(
    logged.map((row) => [row["state"], row["nextAttemptAt"], row["finishedAt"], row["attempts"]]),
    [["pending", now, null, attempts]],
  );
  assert.deepEqual(
    queued.map((row) => [row["dueAt"], row["scheduleStep"], row["leaseToken"], row["attempts"]]),
    [[now, 0, null, attempts]],
  );
  const claimed = await claimOf(place, now);
  assert.ok(claimed);
  assert.deepEqual([claimed.id, claimed.failures, claimed.attempts], [place.id, 0, attempts]);
  assert.equal(await claimOf(place, now), undefined);
  return claimed;
}

test("a resend of a delivery without attempts makes it due now, once", async () => {
  const place = await seedDelivery();
  const now = at(5);

  assert.equal(await resendOne(place, now), 1);

  await assertDue(place, now, 0);
});

test("a resend of a pending delivery makes it due now with a new schedule, and keeps its attempts", async () => {
  const place = await seedDelivery();
  await attemptOf(place, "pending", at(0));
  await attemptOf(place, "pending", at(3_600));
  assert.equal(await claimOf(place, at(3_700)), undefined);

  assert.equal(await resendOne(place, at(3_700)), 1);

  await assertDue(place, at(3_700), 2);
  assert.deepEqual(await attemptsOf(place), [
    [1, 500],
    [2, 500],
  ]);
});

for (const [time, tries] of Object.entries({ first: 0, second: 1 })) {
  test(`a resend does not change a delivery that is in flight for the ${time} time`, async () => {
    const place = await seedDelivery();
    if (tries > 0) await attemptOf(place, "pending", at(0));
    const now = at(3_600);
    const claimed = await claimOf(place, now);
    assert.ok(claimed);
    const was = await rowsOf(place);

    assert.equal(await resendOne(place, now), 0);
    assert.equal(await resendOne(place, at(3_600 + LEASE_S - 0.001)), 0);

    assert.deepEqual(await rowsOf(place), was);
    assert.equal((await finishDeliveries(db, [ending(claimed, "delivered", now)])).size, 1);
    assert.equal((await attemptsOf(place)).length, tries + 1);
  });
}

test("a resend after the lease has expired takes the delivery away from its former owner", async () => {
  const place = await seedDelivery();
  await attemptOf(place, "pending", at(0));
  const lost = await claimOf(place, at(3_600));
  assert.ok(lost);
  const now = at(3_600 + LEASE_S);

  assert.equal(await resendOne(place, now), 1);

  assert.equal((await finishDeliveries(db, [ending(lost, "delivered", now)])).size, 0);
  const claimed = await assertDue(place, now, 1);
  assert.notEqual(claimed.token, lost.token);
  assert.deepEqual(await attemptsOf(place), [[1, 500]]);
});

for (const state of ["delivered", "dead"] as const) {
  test(`a resend of a ${state} delivery makes it due again, any number of times, and attempts keep counting`, async () => {
    const place = await seedDelivery();
    await attemptOf(place, "pending", at(0));
    await attemptOf(place, state, at(3_600));
    const status = state === "delivered" ? 200 : 500;
    assert.deepEqual((await rowsOf(place)).queued, []);

    for (const round of [1, 2]) {
      const now = at(3_600 + round);
      assert.equal(await resendOne(place, now), 1);
      const claimed = await assertDue(place, now, 1 + round);
      assert.equal((await finishDeliveries(db, [ending(claimed, state, now)])).size, 1);
    }

    assert.deepEqual(await attemptsOf(place), [
      [1, 500],
      [2, status],
      [3, status],
      [4, status],
    ]);
    const { logged, queued } = await rowsOf(place);
    assert.deepEqual([logged[0]?.["state"], logged[0]?.["finishedAt"]], [state, at(3_602)]);
    assert.deepEqual(queued, []);
  });
}

test("a delivery of another catalog is not resent", async () => {
  const place = await seedDelivery();
  await attemptOf(place, "dead", at(0));
  const was = await rowsOf(place);

  assert.equal(await resendOne({ ...place, catalogId: await seedCatalog(db) }, at(1)), 0);

  assert.deepEqual(await rowsOf(place), was);
});

/** Deliveries of one endpoint in every state. */
async function seedAllStates() {
  const { catalogId, endpointId, id: first } = await seedDelivery();
  const next = async (): Promise<Place> => {
    const eventId = await seedEvent(db, catalogId, { at: START });
    const rows = await db.query<DeliveryLease>(
      sql`select id from webhook_deliveries where event_id = ${eventId} and endpoint_id = ${endpointId}`,
    );
    assert.ok(rows[0]);
    return { catalogId, endpointId, id: rows[0].id };
  };
  const early: Place = { catalogId, endpointId, id: first };
  await attemptOf(early, "dead", at(59.999));
  const onTime = await next();
  await attemptOf(onTime, "dead", at(60));
  const arrived = await next();
  await attemptOf(arrived, "delivered", at(70));
  const failed = await next();
  await attemptOf(failed, "pending", at(70));
  const inFlight = await next();
  assert.ok(await claimOf(inFlight, at(70)));
  const tested = await seedDeadTest(early);
  return { catalogId, endpointId, onTime, others: [early, arrived, failed, inFlight, tested] };
}

async function seedDeadTest({ catalogId, endpointId }: Place): Promise<Place> {
  const event = { id: newId(), catalogId, endpointId, type: TEST, payload: "{}", createdAt: START };
  return db.tx(async (tx) => {
    const owned = await insertSentEvent(tx, event);
    assert.ok(owned);
    await finishDeliveries(tx, [ending(owned, "dead", at(70))]);
    return { catalogId, endpointId, id: owned.id };
  });
}

test("a resend since a time takes only dead deliveries, and no test", async () => {
  const { catalogId, endpointId, onTime, others } = await seedAllStates();
  const was = await Promise.all(others.map(rowsOf));
  const dead: Extract<Resend, { deadSince: Date }> = {
    catalogId,
    deadSince: at(60),
    exceptEvent: TEST,
  };
  const again = async (more: Partial<typeof dead>) =>
    db.tx(async (tx) => resendAt(tx, at(80), { ...dead, ...more }));

  assert.equal(await again({ endpointId: newId() }), 0);
  assert.equal(await again({ deadSince: at(60.001) }), 0);
  assert.equal(await again({ endpointId }), 1);
  assert.equal(await again({}), 0);

  assert.deepEqual(await Promise.all(others.map(rowsOf)), was);
  const { logged, queued } = await rowsOf(onTime);
  assert.deepEqual([logged[0]?.["state"], logged[0]?.["nextAttemptAt"]], ["pending", at(80)]);
  assert.deepEqual([queued[0]?.["attempts"], queued[0]?.["scheduleStep"]], [1, 0]);
});

/** Runs `first` in a transaction that ends only when `second` waits for it; returns both results. */
async function meeting<A, B>(
  first: (tx: Queries) => Promise<A>,
  second: () => Promise<B>,
): Promise<readonly [A, B]> {
  const { one, other } = await db.tx(async (tx) => {
    const one = await first(tx);
    const [mine] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    const other = second();
    await until(async () => {
      const waiting = await db.query(sql`
        select 1 from pg_locks where not granted and ${mine?.pid}::int = any (pg_blocking_pids(pid))`);
      return waiting.length > 0;
    }, "the second to wait for the first");
    // Wrapped, or the transaction would itself wait for it.
    return { one, other: { result: other } };
  });
  return [one, await other.result];
}

for (const state of ["dead", "delivered"] as const) {
  test(`two resends of a ${state} delivery at once queue it once`, async () => {
    const place = await seedDelivery();
    await attemptOf(place, state, at(0));
    const { catalogId, id: deliveryId } = place;

    const counts = await meeting(
      async (tx) => resendAt(tx, at(1), { catalogId, deliveryId }),
      async () => resendOne(place, at(2)),
    );

    assert.deepEqual(counts, [1, 0]);
    await assertDue(place, at(1), 1);
  });
}

test("two resends since a time at once queue each delivery once", async () => {
  const place = await seedDelivery();
  await attemptOf(place, "dead", at(0));
  const dead = { catalogId: place.catalogId, deadSince: START, exceptEvent: TEST };

  const counts = await meeting(
    async (tx) => resendAt(tx, at(1), dead),
    async () => db.tx(async (tx) => resendAt(tx, at(2), dead)),
  );

  assert.deepEqual(counts, [1, 0]);
  await assertDue(place, at(1), 1);
});

test("two resends of a pending delivery at once leave one row in the queue, with the later time", async () => {
  const place = await seedDelivery();
  await attemptOf(place, "pending", at(0));
  const { catalogId, id: deliveryId } = place;

  await meeting(
    async (tx) => resendAt(tx, at(1), { catalogId, deliveryId }),
    async () => resendOne(place, at(2)),
  );

  await assertDue(place, at(2), 1);
});

for (const state of ["pending", "dead", "delivered"] as const) {
  test(`a resend waits for a late finish as ${state}, and then queues the delivery again`, async () => {
    const place = await seedDelivery();
    const late = await claimOf(place, at(0));
    assert.ok(late);
    const now = at(LEASE_S);

    const [ours, count] = await meeting(
      async (tx) => finishDeliveries(tx, [ending(late, state, now)]),
      async () => resendOne(place, now),
    );

    assert.deepEqual([ours.size, count], [1, 1]);
    await assertDue(place, now, 1);
    assert.equal((await attemptsOf(place)).length, 1);
  });
}

test("a resend that is rolled back changes nothing", async () => {
  const place = await seedDelivery();
  await attemptOf(place, "dead", at(0));
  const was = await rowsOf(place);
  const { catalogId, id: deliveryId } = place;

  const undone = db.tx(async (tx) => {
    await resendAt(tx, at(1), { catalogId, deliveryId });
    throw new Error("changed its mind");
  });

  await assert.rejects(undone, /changed its mind/);
  assert.deepEqual(await rowsOf(place), was);
});

for (const state of ["pending", "dead"] as const) {
  test(`dispatchers are notified of the resend of a ${state} delivery`, async () => {
    const place = await seedDelivery();
    await attemptOf(place, state, at(0));
    const notices = await listenForNotices(db.target);
    const notified = new Promise<Notice>((resolve) => notices.on(resolve));

    await resendOne(place, at(1));

    assert.deepEqual(await notified, { about: "deliveries" });
    await notices.close();
  });
}

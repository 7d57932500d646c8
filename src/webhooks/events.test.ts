import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../test/actions.ts";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import { anyEvent, seedEndpoint } from "../../test/fakes/receiver-seed.ts";
import type { Queries } from "../store/db.ts";
import { listenForNotices } from "../store/notices.ts";
import type { Notice } from "../store/notices.ts";
import { sql } from "../store/sql.ts";
import { appendEvent } from "./events.sql.ts";
import { deleteEndpoint } from "./endpoints.sql.ts";
import { closeAfterTests } from "../../test/close-after.ts";

const db = closeAfterTests(await freshDb());

const createdAt = new Date("2026-03-01T12:00:00.007Z");
const rowsOf = (table: string, catalogId: string) =>
  db.query<Record<string, unknown>>({
    text: `select * from ${table} where catalog_id = $1 order by id`,
    values: [catalogId],
  });

test("an event is stored once, as the exact bytes, with a delivery due at once for every subscriber", async () => {
  const catalogId = await seedCatalog(db);
  const subscribed = [
    await seedEndpoint(db, catalogId, { events: ["sync.completed", "audit.completed"] }),
    await seedEndpoint(db, catalogId, { events: ["audit.completed"] }),
  ];
  await seedEndpoint(db, catalogId, { events: ["sync.completed"] });
  await seedEndpoint(db, await seedCatalog(db), { events: ["audit.completed"] });
  const data = { run_id: "r", grade: "A", text: "lone \ud800, nul \u0000, “groß”" };

  const id = await db.tx(async (tx) =>
    appendEvent(tx, anyEvent({ catalogId, type: "audit.completed", data, createdAt })),
  );

  const [event, ...others] = await rowsOf("webhook_events", catalogId);
  const deliveries = await rowsOf("webhook_deliveries", catalogId);
  assert.equal(others.length, 0);
  assert.equal(event?.["id"], id);
  const head = '{"event":"audit.completed","created_at":"2026-03-01T12:00:00.007Z","data":';
  assert.equal(event?.["payload"], `${head}${JSON.stringify(data)}}`);
  assert.deepEqual(new Set(deliveries.map((row) => row["endpointId"])), new Set(subscribed));
  const [isDue] = await db.query<{ all: boolean }>(
    sql`select bool_and(next_attempt_at <= now()) as all from webhook_deliveries where catalog_id = ${catalogId}`,
  );
  assert.equal(isDue?.all, true);
  for (const delivery of deliveries) {
    assert.equal(delivery["state"], "pending");
    assert.equal(delivery["eventId"], id);
  }
});

test("an event without a subscriber is not stored", async () => {
  const catalogId = await seedCatalog(db);
  await seedEndpoint(db, catalogId, { events: ["sync.completed"] });

  const id = await db.tx(async (tx) => appendEvent(tx, anyEvent({ catalogId, type: "feeds.rendered" })));

  assert.equal(id, undefined);
  assert.deepEqual(await rowsOf("webhook_events", catalogId), []);
});

test("an event and its deliveries are rolled back with their transaction", async () => {
  const catalogId = await seedCatalog(db);
  await seedEndpoint(db, catalogId);
  const undone = db.tx(async (tx) => {
    await appendEvent(tx, anyEvent({ catalogId, type: "sync.completed" }));
    throw new Error("the merge failed");
  });

  await assert.rejects(undone, /the merge failed/);

  assert.deepEqual(await rowsOf("webhook_events", catalogId), []);
  assert.deepEqual(await rowsOf("webhook_deliveries", catalogId), []);
});

test("dispatchers are notified when the transaction commits", async () => {
  const catalogId = await seedCatalog(db);
  await seedEndpoint(db, catalogId);
  const notices = await listenForNotices(db.target);
  const notified = new Promise<Notice>((resolve) => notices.on(resolve));

  await db.tx(async (tx) => appendEvent(tx, anyEvent({ catalogId, type: "sync.completed" })));

  assert.deepEqual(await notified, { about: "deliveries" });
  await notices.close();
});

/** Until a statement like this waits for a lock. */
const untilWaiting = (tx: Queries, statement: string) =>
  until(async () => {
    const waiting = await tx.query({
      text: `select 1 from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock' and query ~ $1`,
      values: [statement],
    });
    return waiting.length > 0;
  }, `someone to wait in ${statement}`);

test("deleting an endpoint waits for a transaction that appends an event for it", async () => {
  const catalogId = await seedCatalog(db);
  const id = await seedEndpoint(db, catalogId);

  const deletion = await db.tx(async (tx) => {
    await appendEvent(tx, anyEvent({ catalogId, type: "sync.completed" }));
    const deleting = db.tx(async (other) => deleteEndpoint(other, { catalogId, id }));
    await untilWaiting(db, "^delete from webhook_endpoints");
    return { deleting };
  });

  assert.equal(await deletion.deleting, true);
  assert.deepEqual(await rowsOf("webhook_deliveries", catalogId), []);
});

test("appending an event waits for a deletion of its endpoint, and then skips the endpoint", async () => {
  const catalogId = await seedCatalog(db);
  const id = await seedEndpoint(db, catalogId);

  const announcement = await db.tx(async (tx) => {
    await deleteEndpoint(tx, { catalogId, id });
    const appending = db.tx(async (other) =>
      appendEvent(other, anyEvent({ catalogId, type: "sync.completed" })),
    );
    await untilWaiting(db, "for key share");
    return { appending };
  });

  assert.equal(await announcement.appending, undefined);
});

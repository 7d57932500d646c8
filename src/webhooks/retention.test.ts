import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import { deliveryFacts, seedEndpoint, seedEvent, seedEvents } from "../../test/fakes/receiver-seed.ts";
import { deleteFinishedDeliveries } from "./endpoints.sql.ts";
import { pruneWebhooks } from "./retention.sql.ts";

const CUTOFF = new Date("2026-03-01T12:00:00.000Z");
const OLD = new Date("2026-03-01T11:59:59.999Z");

test("pruning deletes what is older than the limit in batches, and keeps what is newer or pending", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  await seedEndpoint(db, catalogId);
  const end = async (eventId: string, state: string, finishedAt: Date) => {
    const values = [eventId, finishedAt];
    const finish =
      state === "pending" ? "" : `, state = '${state}', next_attempt_at = null, finished_at = $2`;
    await db.execute({
      text: `update webhook_deliveries set attempts = 1${finish} where event_id = $1 and $2::timestamptz is not null`,
      values,
    });
    await db.execute({
      text: `insert into webhook_attempts (catalog_id, delivery_id, number, started_at, total_ms)
             select catalog_id, id, 1, $2, 1 from webhook_deliveries where event_id = $1`,
      values,
    });
  };
  for (let i = 0; i < 5; i += 1) await end(await seedEvent(db, catalogId, { at: OLD }), "delivered", OLD);
  await end(await seedEvent(db, catalogId, { at: OLD }), "dead", OLD);
  const justDead = await seedEvent(db, catalogId, { at: OLD });
  await end(justDead, "dead", CUTOFF);
  const waiting = await seedEvent(db, catalogId, { at: OLD });
  await end(waiting, "pending", OLD);

  const pruned = await pruneWebhooks(db, { attemptsOlderThan: CUTOFF, batch: 2 });

  assert.deepEqual(pruned, { attempts: 7, deliveries: 6, events: 6 });
  const events = await db.query<{ id: string }>({
    text: "select id from webhook_events order by id",
    values: [],
  });
  assert.deepEqual(
    events.map(({ id }) => id),
    [justDead, waiting],
  );
  assert.deepEqual(
    (await deliveryFacts(db)).map(({ state }) => state),
    ["dead", "pending"],
  );
  assert.deepEqual(await pruneWebhooks(db, { attemptsOlderThan: CUTOFF }), {
    attempts: 0,
    deliveries: 0,
    events: 0,
  });
});

test("an endpoint's finished deliveries are deleted in batches; pending ones and those of others stay", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const [one, other] = [await seedEndpoint(db, catalogId), await seedEndpoint(db, catalogId)];
  await seedEvents(db, catalogId, 6, OLD);
  await db.execute({
    text: `update webhook_deliveries set state = 'delivered', next_attempt_at = null, finished_at = created_at
            where id not in (select max(id::text)::uuid from webhook_deliveries where endpoint_id = $1)`,
    values: [one],
  });

  await deleteFinishedDeliveries(db, { catalogId, id: one, batch: 2 });

  const left = await db.query<{ endpointId: string; state: string }>({
    text: "select endpoint_id, state from webhook_deliveries order by id",
    values: [],
  });
  assert.deepEqual(
    left.filter(({ endpointId: id }) => id === one).map(({ state }) => state),
    ["pending"],
  );
  assert.equal(left.filter(({ endpointId: id }) => id === other).length, 6);
});

/** The migration that gives a prefix to the events that are not in the contract (0039). */
import assert from "node:assert/strict";
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { freshDb, tempDir } from "../../test/fresh.ts";
import { anyDue } from "../../test/fakes/receiver-seed.ts";
import { newId } from "../lib/id.ts";
import type { Db } from "../store/db.ts";
import { migrate } from "../store/migrate.ts";
import { sql } from "../store/sql.ts";
import { eventPayload } from "./events.sql.ts";
import { claimDeliveries } from "./queue.sql.ts";

const MIGRATIONS = join(import.meta.dirname, "../../migrations");
const AT = new Date("2026-03-01T12:00:00.000Z");

type Stored = { readonly type: string; readonly data: object };

async function seedQueuedEvent(
  db: Db,
  catalogId: string,
  { endpointId, event }: { endpointId: string; event: Stored },
): Promise<void> {
  const [eventId, id] = [newId(), newId()];
  await db.execute(sql`
    insert into webhook_events (catalog_id, id, type, payload, created_at)
    values (${catalogId}, ${eventId}, ${event.type}, ${eventPayload(event, AT)}, ${AT})`);
  await db.execute(sql`
    insert into webhook_deliveries (catalog_id, id, event_id, endpoint_id, next_attempt_at, created_at)
    values (${catalogId}, ${id}, ${eventId}, ${endpointId}, ${AT}, ${AT})`);
  await db.execute(sql`
    insert into webhook_queue (id, catalog_id, endpoint_id, event_id, attempts, schedule_step, due_at, turn)
    values (${id}, ${catalogId}, ${endpointId}, ${eventId}, 0, 0, ${AT}, nextval('webhook_queue_arrivals'))`);
}

test("the migration renames the events of endpoints and of queued deliveries, and changes no other event", async () => {
  await using folder = await tempDir();
  for (const name of (await readdir(MIGRATIONS)).filter((file) => file < "0039"))
    await cp(join(MIGRATIONS, name), join(folder.path, name));
  await using db = await freshDb({ isMigrated: false });
  await migrate(db, folder.path);
  const catalogId = newId();
  await db.execute(sql`
    insert into catalogs (id, slug, name, feed_token_hash, feed_token_sealed)
    values (${catalogId}, 'my-shop', 'Shop', '\\x00', '\\x00')`);
  const subscriptions = [["sync.completed", "delivery.failed", "render.held"], ["audit.completed"]];
  const endpoints = subscriptions.map((events) => ({ id: newId(), events }));
  for (const { id, events } of endpoints) {
    await db.execute(sql`
      insert into webhook_endpoints (catalog_id, id, url, events, secret_sealed)
      values (${catalogId}, ${id}, 'https://hooks.example/', ${events}, '\\x00')`);
  }
  const text = 'A shop answered {"event":"sync.failed"}, sync.failed.';
  const stored: readonly Stored[] = [
    { type: "sync.completed", data: { event: "sync.failed" } },
    { type: "sync.failed", data: { error: { code: "bad_response", message: text } } },
    { type: "render.failed", data: { run_id: "1" } },
    { type: "render.held", data: { run_id: "2" } },
    { type: "delivery.failed", data: { event: "sync.failed", target: "hooks.example" } },
    { type: "delivery.failed", data: { event: "feeds.rendered", target: "hooks.example" } },
  ];
  const endpointId = endpoints[0]?.id ?? assert.fail();
  for (const event of stored) await seedQueuedEvent(db, catalogId, { endpointId, event });

  await migrate(db);

  const renamed = await db.query<{ events: string[] }>(
    sql`select events from webhook_endpoints order by events`,
  );
  assert.deepEqual(
    renamed.map(({ events }) => events),
    [["audit.completed"], ["sync.completed", "shelfwire.delivery.failed", "shelfwire.render.held"]],
  );
  const expected: readonly Stored[] = [
    { type: "sync.completed", data: { event: "sync.failed" } },
    { type: "shelfwire.sync.failed", data: { error: { code: "bad_response", message: text } } },
    { type: "shelfwire.render.failed", data: { run_id: "1" } },
    { type: "shelfwire.render.held", data: { run_id: "2" } },
    { type: "shelfwire.delivery.failed", data: { event: "shelfwire.sync.failed", target: "hooks.example" } },
    { type: "shelfwire.delivery.failed", data: { event: "feeds.rendered", target: "hooks.example" } },
  ];
  const claimed = await claimDeliveries(db, { ...anyDue(), limit: 10 });
  assert.deepEqual(
    claimed.map(({ type, payload }) => [type, payload]),
    expected.map((event) => [event.type, eventPayload(event, AT)]),
  );
});

/** Dead deliveries are announced to the other endpoints of the catalog. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { clockedDb } from "../../test/database-clock.ts";
import { seedCatalog } from "../../test/seed.ts";
import { anyDue, anyEvent, attemptIn, seedEndpoint, seedEvent } from "../../test/fakes/receiver-seed.ts";
import { closeAfterTests } from "../../test/close-after.ts";
import { sql } from "../store/sql.ts";
import { DISPATCHER_DEFAULTS } from "./dispatcher.ts";
import { resendDeliveries } from "./deliveries.ts";
import { findEndpoint, updateEndpoint } from "./endpoints.sql.ts";
import { appendEvent } from "./events.sql.ts";
import { createFinishWriter } from "./finish-writer.ts";
import type { Finish } from "./finish.sql.ts";
import { claimDeliveries } from "./queue.sql.ts";
import type { ClaimedDelivery } from "./queue.sql.ts";

const db = closeAfterTests(await clockedDb());
const { now, advance } = db.clock;
const log = { info: () => {}, warn: () => {}, error: () => {} };
const write = createFinishWriter(
  { db, log, monotonicMs: () => performance.now(), signal: new AbortController().signal },
  DISPATCHER_DEFAULTS,
);

const ending = ({ id, token }: ClaimedDelivery, state: Finish["state"]): Finish => ({
  id,
  token,
  state,
  retryInS: state === "pending" ? 0 : null,
  attempt: { ...attemptIn(now(), state === "delivered"), message: "It answered with status 500." },
});

async function finishAll(state: Finish["state"]): Promise<readonly ClaimedDelivery[]> {
  const claimed = await claimDeliveries(db, anyDue());
  for (const one of claimed) assert.equal(await write(ending(one, state), one.leaseEndsMs), "finished");
  return claimed;
}

const waiting = async (catalogId: string) =>
  db.query<{ endpointId: string; payload: string }>(sql`
    select q.endpoint_id, v.payload from webhook_queue q join webhook_events v on v.id = q.event_id
     where q.catalog_id = ${catalogId} order by q.endpoint_id`);

test("a dead delivery is announced to every other endpoint that asks for it, without the path of its address", async () => {
  const catalogId = await seedCatalog(db);
  const events = ["sync.completed", "shelfwire.delivery.failed"] as const;
  const dead = await seedEndpoint(db, catalogId, { url: "https://hooks.example/secret-path", events });
  const other = await seedEndpoint(db, catalogId, { events: ["shelfwire.delivery.failed"] });
  await seedEndpoint(db, catalogId, { events: ["audit.completed"] });
  await seedEvent(db, catalogId, { at: now() });

  const [delivery] = await finishAll("dead");

  const [sent, ...more] = await waiting(catalogId);
  assert.deepEqual([sent?.endpointId, more.length], [other, 0]);
  assert.deepEqual(JSON.parse(sent?.payload ?? ""), {
    event: "shelfwire.delivery.failed",
    created_at: now().toISOString(),
    data: {
      delivery_id: delivery?.id,
      to: "webhook",
      target_id: dead,
      target: "hooks.example",
      render_run_id: null,
      event: "sync.completed",
      attempts: 1,
      error: { code: "http", message: "It answered with status 500." },
      failed_at: now().toISOString(),
    },
  });
  await finishAll("delivered");
});

test("endpoints that are all dead do not announce each other's announcements", async () => {
  const catalogId = await seedCatalog(db);
  for (let i = 0; i < 3; i += 1) await seedEndpoint(db, catalogId, { events: ["shelfwire.delivery.failed"] });
  await db.tx(async (tx) =>
    appendEvent(tx, anyEvent({ catalogId, type: "shelfwire.delivery.failed", createdAt: now() })),
  );

  assert.equal((await finishAll("dead")).length, 3);

  assert.deepEqual(await waiting(catalogId), []);
});

test("a delivery that is retried is not announced", async () => {
  const catalogId = await seedCatalog(db);
  const events = ["sync.completed"] as const;
  await seedEndpoint(db, catalogId, { events });
  await seedEndpoint(db, catalogId, { events: ["shelfwire.delivery.failed"] });
  await seedEvent(db, catalogId, { at: now() });

  await finishAll("pending");

  assert.equal((await waiting(catalogId)).length, 1);
});

const DAY_S = 86_400;
const statesOf = async (catalogId: string): Promise<readonly string[]> => {
  const rows = await db.query<{ state: string }>(sql`
    select state from webhook_deliveries where catalog_id = ${catalogId} order by id`);
  return rows.map(({ state }) => state);
};

test("an endpoint is disabled when a schedule ends after five days without a success, and its queue goes on", async () => {
  const catalogId = await seedCatalog(db);
  const id = await seedEndpoint(db, catalogId);
  const other = await seedEndpoint(db, await seedCatalog(db));
  const disabledAt = async (endpoint = id) =>
    (await findEndpoint(db, { catalogId, id: endpoint }))?.disabledAt ?? null;
  await seedEvent(db, catalogId, { at: now() });
  await finishAll("dead");
  assert.equal(await disabledAt(), null);

  // An attempt that will be repeated ends no schedule.
  await advance(5 * DAY_S);
  await seedEvent(db, catalogId, { at: now() });
  await finishAll("pending");
  assert.equal(await disabledAt(), null);

  const claimed = (await claimDeliveries(db, anyDue())).find((one) => one.endpointId === id);
  await seedEvent(db, catalogId, { at: now() });
  assert.ok(claimed);
  await write(ending(claimed, "dead"), claimed.leaseEndsMs);
  assert.deepEqual(await disabledAt(), now());
  assert.equal(await disabledAt(other), null);

  // What was queued before is attempted; what happens now is logged and not queued.
  await seedEvent(db, catalogId, { at: now() });
  assert.deepEqual(await statesOf(catalogId), ["dead", "dead", "pending", "discarded"]);
  assert.equal((await finishAll("dead")).filter((one) => one.endpointId === id).length, 1);
});

test("an endpoint that is enabled again is judged anew, and gets what it missed when it is sent again", async () => {
  const catalogId = await seedCatalog(db);
  const id = await seedEndpoint(db, catalogId);
  await seedEvent(db, catalogId, { at: now() });
  await finishAll("dead");
  await updateEndpoint(db, { catalogId, id }, { enabled: false });
  await advance(6 * DAY_S);
  await seedEvent(db, catalogId, { at: now() });

  await updateEndpoint(db, { catalogId, id }, { enabled: true });
  const since = new Date(now().getTime() - 7 * DAY_S * 1_000).toISOString();
  const { resent } = await resendDeliveries(db, catalogId, { since });

  assert.equal(resent, 2);
  assert.deepEqual(await statesOf(catalogId), ["pending", "pending"]);
  await finishAll("dead");
  const endpoint = await findEndpoint(db, { catalogId, id });
  assert.deepEqual([endpoint?.disabledAt, endpoint?.failingSince], [null, now()]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { givenCatalog } from "../../test/given.ts";
import { anyDue, givenEndpoint, givenEvent } from "../../test/fakes/receiver-given.ts";
import { countHealth } from "./health.ts";
import { claimDeliveries } from "./webhooks/queue.ts";

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

test("a delivery is late while nobody has it: before it is claimed, and when whoever claimed it is gone", async () => {
  await using db = await freshDb();
  const catalogId = await givenCatalog(db);
  await givenEndpoint(db, catalogId);
  const latenessS = async () => (await countHealth(db)).deliveryLatenessS;
  assert.equal(await latenessS(), 0);

  await givenEvent(db, catalogId, { at: minutesAgo(10) });
  assert.ok((await latenessS()) >= 600);

  assert.equal((await claimDeliveries(db, anyDue(minutesAgo(5)))).length, 1);
  assert.ok((await latenessS()) >= 600, "its lease ended minutes ago");

  assert.equal((await claimDeliveries(db, anyDue(new Date()))).length, 1);
  assert.equal(await latenessS(), 0);
});

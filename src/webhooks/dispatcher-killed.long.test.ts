import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { seedCatalog } from "../../test/seed.ts";
import { answer } from "../../test/fakes/receiver.ts";
import {
  deliveryFacts,
  seedEndpoint,
  seedEvent,
  ENCRYPTION,
  webhookFixture,
  testWebhookClient,
} from "../../test/fakes/receiver-seed.ts";
import { spawnSender } from "../../test/fakes/receiver-sender.ts";
import { sql } from "../store/sql.ts";
import { runDispatcher } from "./dispatcher.ts";

test("a dispatcher that is killed while it sends loses nothing: another sends it again, same id, same bytes", async () => {
  await using fixture = await webhookFixture();
  const { db, receiver, clock } = fixture;
  await using client = testWebhookClient();
  const catalogId = await seedCatalog(db);
  receiver.on("/", { kind: "hang" }, answer(200));
  await seedEndpoint(db, catalogId, { url: receiver.url("/") });
  const eventId = await seedEvent(db, catalogId, { at: clock.now() });
  const child = spawnSender(db.target, clock.now());
  const gone = once(child, "exit");
  await receiver.received(1);

  child.kill("SIGKILL");
  const [, killedBy] = (await gone) as [number | null, string | null];
  const [left] = await deliveryFacts(db);
  // The child's connections have the clock of the server.
  await db.execute(sql`update webhook_queue set lease_until = now()`);
  const done = new AbortController();
  await runDispatcher(
    {
      db,
      client,
      encryption: ENCRYPTION,
      now: clock.now,
      log: { info: () => {}, warn: () => {}, error: () => {} },
      onCounts: ({ delivered }) => {
        if (delivered === 1) done.abort();
      },
    },
    { on: () => () => {} },
    done.signal,
  );

  assert.equal(killedBy, "SIGKILL");
  assert.deepEqual([left?.state, left?.attempts], ["pending", 0]);
  assert.notEqual(left?.leaseToken, null);
  const [first, second] = receiver.requests;
  assert.equal(receiver.requests.length, 2);
  assert.deepEqual([first?.headers["webhook-id"], second?.headers["webhook-id"]], [eventId, eventId]);
  assert.equal(first?.body, second?.body);
  assert.deepEqual(
    (await deliveryFacts(db)).map(({ state, attempts }) => [state, attempts]),
    [["delivered", 1]],
  );
});

/** A delivery to a destination that is given up is announced. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startWorker, sync, until } from "../../../test/actions.ts";
import { articles, openShop } from "../../../test/fakes/shop.ts";
import { seedEndpoint } from "../../../test/fakes/receiver-seed.ts";
import { installation } from "../../../test/installation.ts";
import { loopback } from "../../lib/outbound/loopback.fixture.ts";
import { sql } from "../../store/sql.ts";
import { runUploads } from "./dispatcher.ts";

test("a delivery that failed at every attempt is announced once, with the render that it had", async () => {
  await using home = await installation({ hasWorker: false });
  await using shop = await openShop();
  await using refusing = await loopback((request, response) => {
    request.resume().once("end", () => response.writeHead(500).end());
  });
  shop.stock(articles(2));
  const catalog = await home.createCatalog();
  const endpointId = await seedEndpoint(home.db, catalog.id, { events: ["shelfwire.delivery.failed"] });
  const made = await fetch(`${home.url}/api/v1/destinations`, {
    method: "POST",
    headers: { authorization: `Bearer ${catalog.key}`, "content-type": "application/json" },
    body: JSON.stringify({ kind: "https", name: "Partner", settings: { url: refusing.origin } }),
  });
  assert.equal(made.status, 201);
  const { data } = (await made.json()) as { data: { id: string } };
  await using worker = startWorker(home);
  await sync(home, catalog, await home.addFeed(catalog.id, shop.url));
  await worker.stop();

  const stop = new AbortController();
  using cleanup = new DisposableStack();
  cleanup.defer(() => stop.abort());
  const options = { slots: 1, leaseMs: 60_000, heartbeatMs: 1_000, idleMs: 20, retryDelaysS: [0] };
  const uploading = runUploads({ ...home.jobs, ...home.parts.senders }, home.notices, stop.signal, options);
  const dead = await until(
    async () =>
      home.db.first<{ id: string; runId: string }>(
        sql`select id, run_id from destination_deliveries where state = 'dead'`,
      ),
    "the delivery to be given up",
  );
  stop.abort();
  await uploading;

  const events = await home.db.query<{ payload: string; endpointId: string }>(
    sql`select v.payload, d.endpoint_id from webhook_events v join webhook_deliveries d on d.event_id = v.id`,
  );
  assert.equal(events.length, 1);
  assert.equal(events[0]?.endpointId, endpointId);
  const { data: told } = JSON.parse(events[0]?.payload ?? "") as { data: Record<string, unknown> };
  assert.deepEqual(
    { ...told, error: (told["error"] as { code: string }).code, failed_at: null },
    {
      delivery_id: dead.id,
      to: "destination",
      target_id: data.id,
      target: "Partner",
      render_run_id: dead.runId,
      event: null,
      attempts: 2,
      error: "http",
      failed_at: null,
    },
  );
});

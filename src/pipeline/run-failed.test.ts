/**
 * Events of runs that fail for good: in the transaction of the end, and only for endpoints that registered for them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TSchema } from "typebox";
import { Compile } from "typebox/schema";
import { startWorker, until, untilRun } from "../../test/actions.ts";
import { closeAfterTests } from "../../test/close-after.ts";
import { openShop } from "../../test/fakes/shop.ts";
import { seedEndpoint } from "../../test/fakes/receiver-seed.ts";
import { installation } from "../../test/installation.ts";
import { seedRun } from "../../test/seed.ts";
import { EVENTS } from "../contract/events.ts";
import { DEFAULT_EVENTS } from "../contract/form-fields.ts";
import type { EventType } from "../contract/events.ts";
import { newId } from "../lib/id.ts";
import { claimRun } from "../store/run-claims.ts";
import { cancelSync } from "../store/run-history.ts";
import { enqueueRender, findRun } from "../store/runs.ts";
import { sql } from "../store/sql.ts";
import { MAINTENANCE_DEFAULTS, runMaintenance } from "./maintenance.ts";
import { requestSync } from "./requests.ts";

const home = closeAfterTests(await installation({ hasWorker: false }));

type Sent = {
  readonly endpointId: string;
  readonly event: EventType;
  readonly data: Readonly<Record<string, unknown>> & { readonly error: { readonly code: string } };
};

async function eventsOf(catalogId: string): Promise<readonly Sent[]> {
  const rows = await home.db.query<{ endpointId: string; payload: string }>(sql`
    select d.endpoint_id as "endpointId", v.payload from webhook_events v join webhook_deliveries d on d.event_id = v.id
     where v.catalog_id = ${catalogId} order by v.id`);
  return rows.map(({ endpointId, payload }) => {
    const sent = JSON.parse(payload) as Sent;
    const schema: TSchema = EVENTS[sent.event];
    assert.ok(Compile(schema).Check(sent.data), payload);
    return { endpointId, event: sent.event, data: sent.data };
  });
}

/** A catalog with an endpoint for failures, and one that has only what the contract sends. */
async function openCatalog() {
  const { id, key } = await home.createCatalog();
  const told = await seedEndpoint(home.db, id, {
    events: ["shelfwire.sync.failed", "shelfwire.render.failed"],
  });
  await seedEndpoint(home.db, id, { events: DEFAULT_EVENTS });
  return { id, key, told };
}

test("a sync that fails is announced with its error to the endpoint that asked for it", async () => {
  await using shop = await openShop();
  shop.breakDown(404);
  const { id, told } = await openCatalog();
  const sourceId = await home.addFeed(id, shop.url);
  await using worker = startWorker(home);

  const runId = await requestSync(home.db, { catalogId: id, sourceId, cause: "request" });
  await untilRun(home.db, runId, "failed");
  await worker.stop();

  const run = await findRun(home.db, runId);
  assert.deepEqual(await eventsOf(id), [
    {
      endpointId: told,
      event: "shelfwire.sync.failed",
      data: {
        run_id: runId,
        status: "failed",
        error: run?.error,
        started_at: run?.startedAt?.toISOString(),
        finished_at: run?.finishedAt?.toISOString(),
        source_id: sourceId,
      },
    },
  ]);
});

test("a render that fails at every attempt is announced once", async () => {
  const { id, told } = await openCatalog();
  const create = async () => {
    throw new Error("no folder");
  };
  await using worker = startWorker(home, {
    deps: { folders: { ...home.jobs.folders, create } },
    options: { retryDelaysMs: [10, 10] },
  });

  const runId = await enqueueRender(home.db, id, "request");
  await untilRun(home.db, runId, "failed");
  await worker.stop();

  const sent = await eventsOf(id);
  assert.deepEqual(
    sent.map(({ endpointId, event, data }) => [endpointId, event, data["run_id"], data.error.code]),
    [[told, "shelfwire.render.failed", runId, "render_failed"]],
  );
});

test("runs that maintenance gives up after their workers died are announced", async () => {
  const { id } = await openCatalog();
  const runs = [await seedRun(home.db, id), await enqueueRender(home.db, id, "request")];
  // Each is claimed by three workers that die.
  for (let i = 0; i < 6; i += 1) await claimRun(home.db, { owner: newId(), leaseMs: -1_000 });
  const stop = new AbortController();
  const maintaining = runMaintenance(home.jobs, stop.signal, { ...MAINTENANCE_DEFAULTS, everyMs: 20 });

  const sent = await until(async () => {
    const events = await eventsOf(id);
    return events.length >= 2 && events;
  }, "both events");
  stop.abort();
  await maintaining;

  assert.deepEqual(
    new Map(sent.map(({ event, data }) => [event, [data["run_id"], data.error.code]])),
    new Map([
      ["shelfwire.sync.failed", [runs[0], "interrupted"]],
      ["shelfwire.render.failed", [runs[1], "interrupted"]],
    ]),
  );
  assert.equal(sent.length, 2);
});

test("a push whose body is refused is announced; a canceled sync is not", async () => {
  const { id, key } = await openCatalog();
  const canceled = await seedRun(home.db, id);
  const error = { code: "canceled", message: "Canceled." };
  assert.ok(await home.db.tx(async (tx) => cancelSync(tx, { catalogId: id, id: canceled, error })));

  const answer = await fetch(`${home.url}/api/v1/catalog`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: "",
  });

  const { run_id: runId } = (await answer.json()) as { run_id: string };
  assert.deepEqual(
    (await eventsOf(id)).map(({ event, data }) => [event, data["run_id"], data["source_id"]]),
    [["shelfwire.sync.failed", runId, null]],
  );
});

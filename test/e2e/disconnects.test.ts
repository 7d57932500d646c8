/**
 * Law: whichever statement of a sync, a push, a render or an audit loses its connection, the same run succeeds when it
 * is tried again, the feeds are new, and the numbers add up. A first pass records every step of such a run on the
 * database; then one connection is terminated at each of them in turn.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFeeds, startWorker, until, waitLimit } from "../actions.ts";
import { cutDb } from "../fakes/cut-db.ts";
import { article, openShop } from "../fakes/shop.ts";
import type { Row, Shop } from "../fakes/shop.ts";
import { openReceiver } from "../fakes/receiver.ts";
import { installation, memoryLog } from "../installation.ts";
import type { TestCatalog } from "../installation.ts";
import { openDb } from "../../src/store/db.ts";
import type { Run } from "../../src/store/runs.ts";
import { findRun } from "../../src/store/runs.ts";
import type { SyncStats } from "../../src/contract/syncs.ts";
import { requestSync, waitForSync } from "../../src/pipeline/requests.ts";
import { closeAfterTests } from "../close-after.ts";

const home = closeAfterTests(await installation({ hasWorker: false }));

/** A worker on connections that can be cut, with retries at once. */
function cuttableWorker() {
  const parts = new AsyncDisposableStack();
  const pool = openDb(home.db.target, { max: 6, name: "shelfwire-cut" });
  parts.defer(pool.close);
  const cut = cutDb(pool, home.db);
  const log = memoryLog();
  parts.use(startWorker(home, { deps: { db: cut.db, log }, options: { retryDelaysMs: [5, 5, 5] } }));
  return { ...cut, log, [Symbol.asyncDispose]: async () => parts.disposeAsync() };
}

const ended = async (runId: string): Promise<Run> =>
  waitForSync({ db: home.db, notices: home.notices, signal: waitLimit() }, runId);

/** Nothing is open, the run and its render succeeded, its numbers add up, and every feed has the title. */
async function assertDone(
  catalog: TestCatalog,
  runId: string,
  { title, step }: { title: string; step: string },
) {
  const run = await ended(runId);
  assert.equal(run.state, "succeeded", `${step}: ${JSON.stringify(run.error)}`);
  const { seen, upserted, unchanged, rejected } = run.stats as SyncStats;
  assert.equal(seen, upserted + unchanged + rejected, step);
  const open = await home.db.query({
    text: "select id from runs where catalog_id = $1 and state <> 'succeeded'",
    values: [catalog.id],
  });
  assert.deepEqual(open, [], step);
  const { lastRender, files } = await readFeeds(home, catalog);
  const render = await findRun(home.db, lastRender?.run_id ?? "");
  assert.equal(render?.state, "succeeded", step);
  for (const [file, { status, text }] of Object.entries(files)) {
    assert.equal(status, 200, `${file}: ${step}`);
    assert.ok(text.includes(title), `${file} is old: ${step}`);
  }
}

async function subscribed(catalog: TestCatalog, url: string): Promise<void> {
  const answer = await fetch(`${home.url}/api/v1/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${catalog.key}`, "content-type": "application/json" },
    body: JSON.stringify({ url, events: ["sync.completed", "feeds.rendered", "audit.completed"] }),
  });
  assert.equal(answer.status, 201);
}

const eventsOf = async (catalog: TestCatalog): Promise<number> =>
  (await home.db.query({ text: "select 1 from webhook_events where catalog_id = $1", values: [catalog.id] }))
    .length;

/** Some change, some stay, one goes, and the audit finds other things each time. */
const stockOf = (version: number): Row[] => [
  article("changed", { title: `Version ${version} of an article`, price: `${10 + version}.00 USD` }),
  article("unchanged"),
  article(`new-${version}`, { description: version % 2 === 0 ? "" : "A text." }),
  article("flawed", {
    brand: version % 2 === 0 ? "" : "Acme",
    gtin: version % 2 === 0 ? "" : "4006381333931",
  }),
];

type Subject = {
  /** Changes the catalog and asks for the run. */
  readonly begin: (version: number) => Promise<string>;
  readonly catalog: TestCatalog;
};

async function syncing(shop: Shop): Promise<Subject> {
  const catalog = await home.createCatalog();
  const sourceId = await home.addFeed(catalog.id, shop.url);
  return {
    catalog,
    begin: async (version) => {
      shop.stock(stockOf(version));
      return requestSync(home.db, { catalogId: catalog.id, sourceId, cause: "request" });
    },
  };
}

async function pushing(): Promise<Subject> {
  const catalog = await home.createCatalog();
  return {
    catalog,
    begin: async (version) => {
      const answer = await fetch(`${home.url}/api/v1/catalog?max_removed_ratio=1`, {
        method: "PUT",
        headers: {
          authorization: `Bearer ${catalog.key}`,
          "content-type": "application/json",
          prefer: "respond-async",
        },
        body: JSON.stringify(stockOf(version)),
      });
      const body = (await answer.json()) as { data: { run_id: string } };
      assert.equal(answer.status, 202, JSON.stringify(body));
      return body.data.run_id;
    },
  };
}

/** Cuts one connection at every step of the subject's run, one run per step. Returns how many were cut. */
async function cutEverywhere({ catalog, begin }: Subject): Promise<number> {
  await using worker = cuttableWorker();
  await using receiver = await openReceiver();
  await subscribed(catalog, receiver.url("/hook"));
  // The second run meets what the first one left; that is the one whose steps are of interest.
  await assertDone(catalog, await begin(1), { title: "Version 1", step: "the first run" });
  worker.forget();
  await assertDone(catalog, await begin(2), { title: "Version 2", step: "the second run" });
  const steps = [...worker.steps];
  const eventsPerRun = (await eventsOf(catalog)) / 2;
  let version = 2;
  for (const step of steps) {
    version += 1;
    const cutsBefore = worker.cuts();
    const eventsBefore = await eventsOf(catalog);
    worker.cutAt(step);
    await assertDone(catalog, await begin(version), { title: `Version ${version} `, step });
    await until(async () => worker.cuts() === cutsBefore + 1, `a cut at: ${step}`);
    assert.equal(await eventsOf(catalog), eventsBefore + eventsPerRun, `events, cut at: ${step}`);
  }
  assert.ok(
    worker.log.lines.some(({ message }) => message.startsWith("render retried")),
    "no render was retried",
  );
  return worker.cuts();
}

test("a sync with its render and audit succeeds although its connection is lost at any statement, COPY or commit", async () => {
  await using shop = await openShop();

  const cuts = await cutEverywhere(await syncing(shop));

  assert.ok(cuts >= 40, `${cuts} connections were cut`);
});

test("a push with its render and audit succeeds although its connection is lost at any statement, COPY or commit", async () => {
  const cuts = await cutEverywhere(await pushing());

  assert.ok(cuts >= 40, `${cuts} connections were cut`);
});

test("a render that is disconnected in the middle of a long COPY, again and again, ends under the same run", async () => {
  await using worker = cuttableWorker();
  await using shop = await openShop();
  const catalog = await home.createCatalog();
  const sourceId = await home.addFeed(catalog.id, shop.url);
  // More than the buffers of a loopback socket hold: PostgreSQL cannot have sent everything when it is cut.
  const description = "What there is to say about it. ".repeat(150);
  const begin = async (title: string) => {
    shop.stock(Array.from({ length: 2_500 }, (_, i) => article(`a${i}`, { title, description })));
    return requestSync(home.db, { catalogId: catalog.id, sourceId, cause: "request" });
  };
  await assertDone(catalog, await begin("Version 1"), { title: "Version 1", step: "the first run" });
  const copy = [...worker.steps].find((step) => /to stdout/i.test(step)) ?? "";

  for (let version = 2; version < 6; version += 1) {
    worker.cutAt(copy);
    const runId = await begin(`Version ${version}`);
    await assertDone(catalog, runId, { title: `Version ${version}`, step: copy });
    const [render] = await home.db.query<{ attempts: number }>({
      text: "select attempts from runs where cause_run_id = $1",
      values: [runId],
    });
    assert.equal(render?.attempts, 2);
  }
  assert.equal(worker.cuts(), 4);
});

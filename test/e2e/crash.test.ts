/**
 * After a crash: processes are killed in the middle of reading, of merging and of publishing,
 * and started again. Feeds stay whole throughout, nothing is lost, nothing stays incomplete. The leases of the dead
 * run out by themselves, so these tests take as long as a lease; they wait concurrently.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Client } from "pg";
import type { SyncStats } from "../../src/contract/syncs.ts";
import { readFeeds, until } from "../actions.ts";
import type { Feeds } from "../actions.ts";
import { articles, openShop } from "../fakes/shop.ts";
import type { Shop } from "../fakes/shop.ts";
import { freshDatabase, tempDir } from "../fresh.ts";
import { dataFolder } from "./embedded-holder.ts";
import { data, databaseUrl, freePort, postSync, startService, workerOf, serviceEnv } from "./program.ts";
import type { ProgramEnv, Service } from "./program.ts";

/** The documented recovery time is one minute. */
const RECOVERY_MS = 60_000;

type Tenant = {
  readonly shop: Shop;
  readonly catalogId: string;
  readonly sourceId: string;
  readonly key: string;
};

/** A catalog with a key and a feed, created by commands while the server runs. */
async function createTenant(env: ProgramEnv, slug: string, shop: Shop): Promise<Tenant> {
  const run = async <T>(line: string): Promise<T> => data<T>(env, ...line.split(" "));
  const { id: catalogId } = await run<{ id: string }>(
    `catalog create --slug ${slug} --name Shop --currency USD --store-url https://shop.example/`,
  );
  const { key } = await run<{ key: string }>(`key create --catalog ${slug} --scopes read,write`);
  const { id: sourceId } = await run<{ id: string }>(
    `source add --catalog ${slug} --kind feed_url --set url=${shop.url}`,
  );
  return { shop, catalogId, sourceId, key };
}

type SyncRun = { run_id: string; status: string; stats: SyncStats; finished_at: string | null };

async function syncsOf({ url }: Service, { key }: Tenant): Promise<readonly SyncRun[]> {
  const answer = await fetch(`${url}/api/v1/syncs`, { headers: { authorization: `Bearer ${key}` } });
  return ((await answer.json()) as { data: { syncs: SyncRun[] } }).data.syncs;
}

/** Requests a sync; returns its run. */
async function startSync(service: Service, tenant: Tenant): Promise<string> {
  const answer = await postSync(service, tenant);
  assert.equal(answer.status, 202, await answer.clone().text());
  return ((await answer.json()) as { data: { run_id: string } }).data.run_id;
}

/** The first sync of a new source comes by itself; its feeds follow. */
async function untilFed(service: Service, tenant: Tenant): Promise<Feeds> {
  return until(
    async () => {
      const feeds = await readFeeds(service, tenant);
      return feeds.lastRender !== null && feeds;
    },
    "the first feeds",
    RECOVERY_MS,
  );
}

/** The test's own connection to the same database; it keeps locks until `release` is called. */
async function openClient(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString, options: "-c search_path=shelfwire" });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

async function untilSomeoneWaits(client: Client, statement: string): Promise<void> {
  const look = async () => {
    // Not inside a transaction: there this view never changes.
    const { rows } = await client.query(
      `select 1 from pg_stat_activity where application_name = 'shelfwire-worker'
          and wait_event_type = 'Lock' and query ~ $1`,
      [statement],
    );
    return rows.length > 0;
  };
  await until(look, `the worker to wait in ${statement}`, RECOVERY_MS);
}

const BEFORE = articles(20, { title: "Old name" });
const AFTER = [...articles(3_000, { title: "New name" })];

function assertWhole(feeds: Feeds, title: string, items: number): void {
  for (const [file, { status, text }] of Object.entries(feeds.files)) {
    assert.equal(status, 200, file);
    assert.ok(text.includes(title), file);
  }
  for (const file of ["acp.json", "jsonld.json"])
    assert.doesNotThrow(() => JSON.parse(feeds.files[file]?.text ?? ""));
  assert.equal(feeds.lastRender?.stats["items"], items);
}

describe("killed", { concurrency: true }, () => {
  test("all processes, in the middle of a read, a merge and a publication: nothing is lost or incomplete, and work continues", async () => {
    await using parts = new AsyncDisposableStack();
    const { path } = parts.use(await dataFolder());
    const env = { ...(await serviceEnv(path)), WORKER_SLOTS: "3" };
    const shops = await Promise.all([openShop(), openShop(), openShop()]);
    for (const shop of shops) parts.use(shop).stock(BEFORE);
    const first = parts.use(await startService(env, "--no-demo"));
    const tenants = await Promise.all(shops.map(async (shop, i) => createTenant(env, `shop-${i}`, shop)));
    const old = await Promise.all(tenants.map(async (tenant) => untilFed(first, tenant)));
    for (const feeds of old) assertWhole(feeds, "Old name", 20);
    const [reading, merging, publishing] = tenants;
    assert.ok(reading && merging && publishing);

    // One run is in the middle of its feed …
    for (const { shop } of tenants) shop.stock(AFTER);
    const halfRead = reading.shop.holdNext();
    const readRun = await startSync(first, reading);
    await halfRead.reached;
    // … one has written its items and waits to finish in the same transaction …
    const database = await databaseUrl(path);
    const [client, watcher] = [await openClient(database), await openClient(database)];
    const aboutToMerge = merging.shop.holdNext();
    const mergeRun = await startSync(first, merging);
    await aboutToMerge.reached;
    await client.query("begin");
    await client.query("select 1 from runs where id = $1 for update", [mergeRun]);
    aboutToMerge.release();
    await untilSomeoneWaits(watcher, "update runs set state");
    // … and one has its files on disk and waits to switch the feeds over to them.
    await client.query("lock table feed_files in exclusive mode");
    const published = await startSync(first, publishing);
    await untilSomeoneWaits(watcher, "insert into feed_files");

    first.signalAll("SIGKILL");
    assert.equal(await first.ended, "SIGKILL");
    await client.end();
    await watcher.end();
    const second = parts.use(await startService(env, "--no-demo"));

    // The moment it is up, every feed is what it was, to the byte and the tag.
    for (const [i, tenant] of tenants.entries()) assert.deepEqual(await readFeeds(second, tenant), old[i]);
    for (const tenant of tenants) {
      await until(
        async () => (await readFeeds(second, tenant)).files["acp.csv"]?.text.includes("New name"),
        "the new feeds",
        RECOVERY_MS,
      );
      assertWhole(await readFeeds(second, tenant), "New name", 3_000);
    }
    for (const [tenant, runId] of [
      [reading, readRun],
      [merging, mergeRun],
      [publishing, published],
    ] as const) {
      const syncs = await syncsOf(second, tenant);
      const run = syncs.find(({ run_id }) => run_id === runId);
      assert.equal(run?.status, "succeeded");
      assert.equal(syncs.filter(({ status }) => status !== "succeeded").length, 0);
      const { seen, upserted, unchanged, rejected } = run.stats;
      assert.deepEqual(
        { seen, upserted, unchanged, rejected },
        { seen: 3_000, upserted: 3_000, unchanged: 0, rejected: 0 },
      );
    }
    second.signalAll("SIGINT");
    assert.equal(await second.ended, 0);
  });

  test("the worker, in the middle of the merge of several pushes: each accepted push is applied once, in its order", async () => {
    await using parts = new AsyncDisposableStack();
    const database = await ownDatabase(parts);
    const env = { ...database, PORT: String(await freePort()), RATE_LIMIT_PER_MINUTE: "0" };
    const service = parts.use(await startService(env, "--no-demo"));
    const run = async <T>(line: string): Promise<T> => data<T>(env, ...line.split(" "));
    await run("catalog create --slug shop --name Shop --currency USD --store-url https://shop.example/");
    const { key } = await run<{ key: string }>("key create --catalog shop --scopes read,write");
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const push = async (row: object): Promise<string> => {
      const answer = await fetch(`${service.url}/api/v1/catalog`, {
        method: "PATCH",
        headers: { ...headers, prefer: "respond-async" },
        body: JSON.stringify([row]),
      });
      assert.equal(answer.status, 202, await answer.clone().text());
      return ((await answer.json()) as { data: { run_id: string } }).data.run_id;
    };
    const product = (id: string, price: string): object => ({
      id,
      title: `Mug ${id}`,
      link: `https://shop.example/${id}`,
      price,
    });
    const url = String(database["DATABASE_URL"]);
    const [client, watcher] = [await openClient(url), await openClient(url)];
    // Stops the merge before it writes items.
    await client.query("begin");
    await client.query("lock table items in exclusive mode");
    const runIds = [await push(product("a", "1.00 USD")), await push(product("b", "1.00 USD"))];
    await untilSomeoneWaits(watcher, "items");
    for (const price of ["2.00 USD", "3.00 USD"]) runIds.push(await push(product("a", price)));

    process.kill(await workerOf(service), "SIGKILL");
    await client.end();
    const syncs = await until(
      async () => {
        const answer = await fetch(`${service.url}/api/v1/syncs`, { headers });
        const { data: listed } = (await answer.json()) as { data: { syncs: SyncRun[] } };
        return listed.syncs.every(({ finished_at }) => finished_at !== null) && listed.syncs;
      },
      "the pushes to end",
      RECOVERY_MS,
    );
    await watcher.end();

    assert.deepEqual(syncs.map(({ run_id }) => run_id).toSorted(), runIds.toSorted());
    for (const { status, stats } of syncs) assert.deepEqual([status, stats.upserted], ["succeeded", 1]);
    const item = await fetch(`${service.url}/api/v1/items/a`, { headers });
    assert.match(await item.text(), /3\.00|"amount":300/);
    service.signalAll("SIGINT");
    assert.equal(await service.ended, 0);
  });

  test("only the worker: the service starts another one, which finishes the run", async () => {
    await using parts = new AsyncDisposableStack();
    const env = {
      ...(await ownDatabase(parts)),
      PORT: String(await freePort()),
      ALLOW_PRIVATE_TARGETS: "127.0.0.1",
      RATE_LIMIT_PER_MINUTE: "0",
    };
    const shop = parts.use(await openShop());
    shop.stock(BEFORE);
    const service = parts.use(await startService(env));
    const tenant = await createTenant(env, "shop", shop);
    const old = await untilFed(service, tenant);
    shop.stock(AFTER);
    const hold = shop.holdNext();
    const runId = await startSync(service, tenant);
    await hold.reached;
    const worker = await workerOf(service);

    process.kill(worker, "SIGKILL");
    const heir = await until(
      async () => {
        const pid = await workerOf(service);
        return pid !== worker && pid;
      },
      "another worker",
      RECOVERY_MS,
    );
    const meanwhile = await readFeeds(service, tenant);
    const run = await until(
      async () =>
        (await syncsOf(service, tenant)).find(
          ({ run_id, finished_at }) => run_id === runId && finished_at !== null,
        ),
      "the run to end",
      RECOVERY_MS,
    );
    const feeds = await until(
      async () => {
        const now = await readFeeds(service, tenant);
        return now.lastRender?.run_id !== old.lastRender?.run_id && now;
      },
      "the new feeds",
      RECOVERY_MS,
    );

    assert.notEqual(heir, worker);
    assert.match(service.said.talk, /the worker died; starting another/);
    assert.deepEqual(meanwhile, old);
    assert.equal(run.status, "succeeded");
    assert.equal(run.stats.upserted, 3_000);
    assertWhole(feeds, "New name", 3_000);
    service.signalAll("SIGINT");
    assert.equal(await service.ended, 0);
  });
});

/** A database of its own in the one that the test run shares: what a user's own PostgreSQL is. */
async function ownDatabase(parts: AsyncDisposableStack): Promise<ProgramEnv> {
  const { url } = parts.use(await freshDatabase({ isMigrated: false }));
  const { path } = parts.use(await tempDir());
  return {
    DATABASE_URL: url,
    SECRET_KEY: "a key for tests, long enough to be one",
    DATA_DIR: path,
  };
}

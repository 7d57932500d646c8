/** Several workers: they share a queue, lose leases, are stopped, die. Nothing is done twice or incompletely. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { itemIds, readFeeds, runsOf, startWorker, sync, until, untilRun } from "../../test/actions.ts";
import { articles, openShop, type Shop } from "../../test/fakes/shop.ts";
import { tcpProxy } from "../../test/fakes/tcp-proxy.ts";
import { installation, memoryLog, type TestCatalog } from "../../test/installation.ts";
import type { FeedFolders } from "../files/feed-folders.ts";
import { CONNECTORS } from "../sources/registry.ts";
import type { Connector } from "../sources/source.ts";
import { type Db, openDb } from "../store/db.ts";
import { enqueueRender, findRun } from "../store/runs.ts";
import { sql } from "../store/sql.ts";
import { requestSync } from "./requests.ts";
import { cleanUp, runMaintenance, MAINTENANCE_DEFAULTS } from "./maintenance.ts";
import { closeAfterTests } from "../../test/close-after.ts";

const home = closeAfterTests(await installation({ hasWorker: false, connections: 8 }));

type WorkerFixture = AsyncDisposable & {
  readonly shop: Shop;
  readonly catalog: TestCatalog;
  readonly source: string;
};

async function openCatalog(): Promise<WorkerFixture> {
  const shop = await openShop();
  shop.stock(articles(3));
  const catalog = await home.createCatalog();
  const source = await home.addFeed(catalog.id, shop.url);
  return { shop, catalog, source, [Symbol.asyncDispose]: () => shop[Symbol.asyncDispose]() };
}

const queueSync = ({ catalog, source }: WorkerFixture): Promise<string> =>
  requestSync(home.db, { catalogId: catalog.id, sourceId: source, cause: "request" });

/** Claims the run for another owner, as if its lease had expired. */
async function takeAway(db: Db, runId: string, leaseFor: string): Promise<void> {
  await db.execute({
    text: "update runs set owner = gen_random_uuid(), lease_until = clock_timestamp() + $2::interval where id = $1",
    values: [runId, leaseFor],
  });
}

/** Locks the items until it is released. */
async function lockItems(): Promise<{ readonly free: () => Promise<void> }> {
  const locked = Promise.withResolvers<void>();
  const freed = Promise.withResolvers<void>();
  const lock = home.db.tx(async (tx) => {
    await tx.execute({ text: "lock table items in access exclusive mode", values: [] });
    locked.resolve();
    await freed.promise;
  });
  await Promise.race([locked.promise, lock]);
  return {
    free: async () => {
      freed.resolve();
      await lock;
    },
  };
}

/** A worker that does not notice by itself that its lease is lost. */
const DEAF = { heartbeatMs: 600_000 };

test("two workers share the queue, and each run is performed once", async () => {
  await using one = await openCatalog();
  await using two = await openCatalog();
  const holds = [one.shop.holdNext(), two.shop.holdNext()];
  const logs = [memoryLog(), memoryLog()];
  const runs = [await queueSync(one), await queueSync(two)];

  await using workers = new AsyncDisposableStack();
  for (const log of logs) workers.use(startWorker(home, { deps: { log } }));
  // Either has one slot: both shops are being read at once only if both workers work.
  await Promise.all(holds.map(({ reached }) => reached));
  for (const { release } of holds) release();
  for (const id of runs) await untilRun(home.db, id, "succeeded");

  for (const { catalog } of [one, two]) {
    const done = await until(async () => {
      const all = await runsOf(home.db, catalog.id);
      return all.every(({ state }) => state === "succeeded") && all;
    }, "sync and render to be done");
    assert.deepEqual(
      done.map(({ kind, attempts, owner }) => ({ kind, attempts, owner })),
      [
        { kind: "sync", attempts: 1, owner: null },
        { kind: "render", attempts: 1, owner: null },
        { kind: "audit", attempts: 0, owner: null },
      ],
    );
  }
  await workers.disposeAsync();
  const syncs = logs.map(({ lines }) => lines.filter(({ message }) => message === "sync succeeded").length);
  assert.deepEqual(syncs, [1, 1]);
});

test("a run begins with new statistics of the items if the database expects far fewer", async () => {
  await using given = await openCatalog();
  await using worker = startWorker(home);
  await untilRun(home.db, await queueSync(given), "succeeded");
  await home.db.execute(sql`vacuum items`);
  await home.db.execute(sql`update catalogs set item_count = 1000000 where id = ${given.catalog.id}`);
  const counted = async (): Promise<number> =>
    (
      await home.db.first<{ times: number }>(sql`
      select analyze_count as times from pg_stat_user_tables where relid = 'items'::regclass`)
    )?.times ?? 0;
  const before = await counted();

  await untilRun(home.db, await queueSync(given), "succeeded");

  await until(async () => (await counted()) > before, "new statistics");
  await worker.stop();
});

describe("a worker that has lost its lease", () => {
  test("stops reading at its next heartbeat, and leaves the run to its new owner", async () => {
    await using given = await openCatalog();
    const hold = given.shop.holdNext();
    const log = memoryLog();
    const runId = await queueSync(given);
    await using worker = startWorker(home, { deps: { log } });
    await hold.reached;

    await takeAway(home.db, runId, "1 minute");
    const line = await until(
      async () => log.lines.find(({ message }) => message.startsWith("sync failed")),
      "the worker to give up",
    );
    await worker.stop();

    assert.equal((line.fields as { code?: string }).code, "interrupted");
    const [run] = await runsOf(home.db, given.catalog.id);
    assert.equal(run?.state, "running");
    assert.notEqual(run?.owner, null);
    assert.deepEqual(await itemIds(home.db, given.catalog.id), []);
    hold.release();
  });

  test("cannot commit its merge, even before it notices", async () => {
    await using given = await openCatalog();
    const hold = given.shop.holdNext();
    const log = memoryLog();
    const runId = await queueSync(given);
    await using worker = startWorker(home, { deps: { log }, options: DEAF });
    await hold.reached;

    await takeAway(home.db, runId, "1 minute");
    hold.release();
    await until(
      async () => log.lines.find(({ message }) => message.startsWith("sync failed")),
      "the merge to be refused",
    );
    await worker.stop();

    const runs = await runsOf(home.db, given.catalog.id);
    assert.deepEqual(
      runs.map(({ id, state }) => ({ id, state })),
      [{ id: runId, state: "running" }],
    );
    assert.deepEqual(await itemIds(home.db, given.catalog.id), []);
  });

  test("does not change the files of the render's new owner", async () => {
    await using given = await openCatalog();
    const { catalog } = given;
    const first = startWorker(home);
    await sync(home, catalog, given.source);
    await first.stop();
    await home.db.execute({
      text: "update catalogs set settings_version = settings_version + 1",
      values: [],
    });
    const beingWritten = async () =>
      (await readdir(join(home.dataDir, "feeds", catalog.id))).filter((name) => name.endsWith(".part"));

    // No transaction can read items while this lock is held: both renders wait, with their folders open.
    const items = await lockItems();
    const runId = await enqueueRender(home.db, catalog.id, "request");
    await using silent = startWorker(home, { options: DEAF });
    await using heir = startWorker(home, { options: DEAF });
    try {
      await until(async () => (await beingWritten()).length === 1, "the first to open its folder");
      await takeAway(home.db, runId, "-1 second");
      await until(async () => (await beingWritten()).length === 2, "the second to open its own");
    } finally {
      await items.free();
    }
    await untilRun(home.db, runId, "succeeded");
    await silent.stop();
    await heir.stop();

    const { lastRender, files } = await readFeeds(home, catalog);
    assert.equal(lastRender?.run_id, runId);
    for (const [file, { status, text }] of Object.entries(files)) {
      assert.equal(status, 200, file);
      assert.match(text, /Article a3/, file);
    }
    assert.deepEqual(await beingWritten(), []);
    await cleanUp(home.jobs, { ...MAINTENANCE_DEFAULTS, keepRenders: 1 });
    assert.equal((await readdir(join(home.dataDir, "feeds", catalog.id))).length, 1);
    assert.deepEqual((await readFeeds(home, catalog)).files, files);
  });
});

test("a worker that is stopped releases its run, and another one finishes it", async () => {
  await using given = await openCatalog();
  const hold = given.shop.holdNext();
  const runId = await queueSync(given);
  const log = memoryLog();
  const first = startWorker(home, { deps: { log } });
  await hold.reached;

  await first.stop();
  const between = await findRun(home.db, runId);
  await using second = startWorker(home);
  const run = await untilRun(home.db, runId, "succeeded");
  await second.stop();

  assert.equal(between?.state, "queued");
  assert.ok(log.lines.some(({ message }) => message === "sync released"));
  assert.equal(run.stats["upserted"], 3);
  assert.equal((await runsOf(home.db, given.catalog.id))[0]?.attempts, 1);
  hold.release();
});

test("a worker that is stopped begins no further run", async () => {
  await using given = await openCatalog();
  const worker = startWorker(home);
  await worker.stop();

  const runId = await queueSync(given);

  assert.equal((await findRun(home.db, runId))?.state, "queued");
  await home.db.execute({
    text: "update runs set state = 'failed', finished_at = now() where id = $1",
    values: [runId],
  });
});

describe("a run whose worker died", () => {
  test("is claimed by another one and finished", async () => {
    await using given = await openCatalog();
    const runId = await queueSync(given);
    await home.db.execute({
      text: `update runs set state = 'running', attempts = 1, owner = gen_random_uuid(),
                             lease_until = clock_timestamp() - interval '1 second' where id = $1`,
      values: [runId],
    });

    await using worker = startWorker(home);
    const run = await untilRun(home.db, runId, "succeeded");
    await worker.stop();

    assert.equal(run.stats["upserted"], 3);
    assert.equal((await runsOf(home.db, given.catalog.id))[0]?.attempts, 2);
  });

  test("for the third time fails as interrupted, and waiting callers are notified", async () => {
    await using given = await openCatalog();
    const waiting = sync(home, given.catalog, given.source);
    const [run] = await until(async () => {
      const runs = await runsOf(home.db, given.catalog.id);
      return runs.length > 0 && runs;
    }, "the run to be queued");
    await home.db.execute({
      text: `update runs set state = 'running', attempts = 3, owner = gen_random_uuid(),
                             lease_until = clock_timestamp() - interval '1 second' where id = $1`,
      values: [run?.id],
    });

    await using worker = startWorker(home);
    const stop = new AbortController();
    const rounds = runMaintenance(home.jobs, stop.signal);
    const answer = await waiting;
    stop.abort();
    await rounds;
    await worker.stop();

    assert.equal(answer.status, 422);
    assert.equal(answer.code, "interrupted");
    assert.equal(answer.run_id, run?.id);
    assert.deepEqual(await itemIds(home.db, given.catalog.id), []);
  });
});

/** A connector of three items that waits after the first one until it is released. */
function haltingConnector() {
  const [reached, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const connector: Connector = {
    ...CONNECTORS.feed_url,
    read: async function* () {
      for (const position of [1, 2, 3]) {
        const id = `i${position}`;
        const draft = { id, title: id, link: `https://shop.example/${id}`, price: "5.00 USD" };
        yield { kind: "draft", position, draft } as const;
        reached.resolve();
        await release.promise;
      }
      yield { kind: "end", validators: null, expected: 3 } as const;
    },
  };
  return { connector, reached: reached.promise, release: () => release.resolve() };
}

test("a sync whose database connections break is retried under the same run", async () => {
  await using given = await openCatalog();
  const name = `broken-${given.catalog.slug}`;
  const db = openDb(home.db.target, { max: 4, name });
  const halting = haltingConnector();
  const log = memoryLog();
  const deps = { db, log, connectors: { feed_url: halting.connector } };
  // Otherwise the first syncs of new sources, also of other tests, begin by themselves and meet the failure.
  await home.db.execute({ text: "update sources set next_sync_at = now() + interval '1 hour'", values: [] });
  await home.db.execute({ text: "delete from runs where state = 'queued'", values: [] });
  const worker = startWorker(home, { deps, options: { retryDelaysMs: [20] } });
  try {
    const syncing = sync(home, given.catalog, given.source);
    await halting.reached;
    await home.db.execute({
      text: "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1",
      values: [name],
    });
    halting.release();
    const answer = await syncing;

    assert.equal(answer.status, 200);
    assert.equal(answer.data.stats.upserted, 3);
    const [run] = await runsOf(home.db, given.catalog.id);
    assert.deepEqual({ state: run?.state, attempts: run?.attempts }, { state: "succeeded", attempts: 2 });
    assert.ok(log.lines.some(({ message }) => message.startsWith("sync retried")));
  } finally {
    await worker.stop();
    await db.close();
  }
});

/** Folders whose disk is full until space is freed. */
function fullDisk(folders: FeedFolders) {
  let isFull = true;
  const noSpace = () => Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  const create: FeedFolders["create"] = async (...place) => {
    const folder = await folders.create(...place);
    const sink: typeof folder.sink = (...file) => {
      const real = folder.sink(...file);
      const finish = real.finish.bind(real);
      return Object.assign(real, {
        finish: async (tail?: string) => (isFull ? Promise.reject(noSpace()) : finish(tail)),
      });
    };
    return { ...folder, sink };
  };
  return { folders: { ...folders, create }, free: () => (isFull = false) };
}

describe("a render on a full disk", () => {
  test("is retried, and succeeds once there is space", async () => {
    await using given = await openCatalog();
    const disk = fullDisk(home.jobs.folders);
    const log = memoryLog();
    const options = { retryDelaysMs: [2_000, 20, 20, 20, 20, 20, 20, 20] };
    await using worker = startWorker(home, { deps: { folders: disk.folders, log }, options });
    const syncing = sync(home, given.catalog, given.source);
    await until(
      async () => log.lines.find(({ message }) => message.startsWith("render retried")),
      "a first attempt to fail",
    );
    await until(async () => {
      const metrics = await (await fetch(`${home.url}/metrics`)).text();
      return metrics.includes('shelfwire_runs_retrying{code="disk_full"} 1');
    }, "the metrics to show it");
    disk.free();

    assert.equal((await syncing).status, 200);
    const { files } = await readFeeds(home, given.catalog);
    assert.match(files["gmc.tsv"]?.text ?? "", /Article a3/);
    await worker.stop();
  });

  test("fails with a reason when it stays full, and is queued again later", async () => {
    await using given = await openCatalog();
    const disk = fullDisk(home.jobs.folders);
    await using worker = startWorker(home, {
      deps: { folders: disk.folders },
      options: { retryDelaysMs: [20] },
    });
    assert.equal((await sync(home, given.catalog, given.source)).status, 200);
    await worker.stop();

    const rendered = (await runsOf(home.db, given.catalog.id)).find(({ kind }) => kind === "render");
    const run = await findRun(home.db, rendered?.id ?? "");
    assert.equal(run?.state, "failed");
    assert.equal(run?.error?.code, "disk_full");
    const [catalog] = await home.db.query<{ minutes: number }>({
      text: "select extract(epoch from stale_at - now())::float / 60 as minutes from catalogs where id = $1",
      values: [given.catalog.id],
    });
    assert.ok(
      catalog !== undefined && catalog.minutes > 0 && catalog.minutes <= 10,
      String(catalog?.minutes),
    );
  });
});

describe("a run that does not end", () => {
  test("is stopped at its deadline", async () => {
    await using given = await openCatalog();
    const hold = given.shop.holdNext();
    await using worker = startWorker(home, { options: { deadlineMs: 300 } });

    const answer = await sync(home, given.catalog, given.source);
    await worker.stop();

    assert.equal(answer.status, 422);
    assert.equal(answer.code, "run_timeout");
    hold.release();
  });

  test("is released when the worker stops, and the worker ends", async () => {
    await using given = await openCatalog();
    const halting = haltingConnector();
    const runId = await queueSync(given);
    const options = { graceMs: 50 };
    const hanging = startWorker(home, { deps: { connectors: { feed_url: halting.connector } }, options });
    await halting.reached;
    await hanging.stop();

    await using heir = startWorker(home);
    const run = await untilRun(home.db, runId, "succeeded");
    await heir.stop();
    halting.release();

    assert.equal(run.stats["upserted"], 3);
    assert.equal((await runsOf(home.db, given.catalog.id))[0]?.attempts, 1);
  });

  test("is not confused with one that ended before the worker stops", async () => {
    await using given = await openCatalog();
    const runId = await queueSync(given);
    const log = memoryLog();
    // None of the runs that earlier tests left in the queue.
    const options = { ...DEAF, graceMs: 200, only: runId };
    const worker = startWorker(home, { deps: { log }, options });

    await untilRun(home.db, runId, "succeeded");
    await until(async () => log.lines.some(({ message }) => message === "render succeeded"), "the render");
    await worker.stop();
    await setTimeout(400);

    assert.deepEqual(
      log.lines.filter(({ level }) => level === "error"),
      [],
    );
  });

  test("frees its slot after its deadline", async () => {
    await using hanging = await openCatalog();
    await using next = await openCatalog();
    const halting = haltingConnector();
    let reads = 0;
    const feedUrl: Connector = {
      ...halting.connector,
      read: (...given) => {
        reads += 1;
        return (reads === 1 ? halting.connector : CONNECTORS.feed_url).read(...given);
      },
    };
    const first = await queueSync(hanging);
    const second = await queueSync(next);
    await using worker = startWorker(home, {
      deps: { connectors: { ...CONNECTORS, feed_url: feedUrl } },
      options: { deadlineMs: 300, graceMs: 50 },
    });

    const failed = await untilRun(home.db, first, "failed");
    await untilRun(home.db, second, "succeeded");
    await worker.stop();
    halting.release();

    assert.equal(failed.error?.code, "run_timeout");
  });
});

test("a run that fails because the database is unavailable is retried when it is back, before its lease expires", async () => {
  await using given = await openCatalog();
  const target = new URL(home.db.target.connectionString);
  await using proxy = await tcpProxy({ host: target.hostname, port: Number(target.port) });
  target.host = `127.0.0.1:${proxy.port}`;
  // The folder of its Unix socket.
  target.searchParams.delete("host");
  const db = openDb({ ...home.db.target, connectionString: target.href }, { max: 4, name: "shelfwire-test" });
  const halting = haltingConnector();
  const log = memoryLog();
  const runId = await queueSync(given);
  const deps = { db, log, connectors: { feed_url: halting.connector } };
  const worker = startWorker(home, { deps, options: { leaseMs: 59_000 } });
  try {
    await halting.reached;
    await proxy.cut();
    halting.release();
    await until(
      async () => log.lines.find(({ message }) => message.startsWith("sync retried")),
      "the run to fail",
    );
    await proxy.restore();

    const run = await untilRun(home.db, runId, "succeeded");
    assert.equal(run.stats["upserted"], 3);
  } finally {
    await worker.stop();
    await db.close();
  }
});

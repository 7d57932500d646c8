/** Tests of sources by real processes: the worker reads the feed, the server does not. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Db } from "../../src/store/db.ts";
import { until } from "../actions.ts";
import { feedHost } from "../fakes/feed-host.ts";
import { heldFeed } from "../fakes/held-feed.ts";
import { ownDatabase } from "./own-database.ts";
import { data, startService, workerOf } from "./program.ts";
import type { ProgramEnv, Service } from "./program.ts";

const CSV = "id,title,link,price,currency\n1,Mug,https://shop.example/1,5.00,USD\n";

async function keyOf(env: ProgramEnv): Promise<string> {
  await data(env, ..."catalog create --slug shop --name Shop --currency USD".split(" "));
  const line = "key create --catalog shop --name test --scopes read,write".split(" ");
  return (await data<{ key: string }>(env, ...line)).key;
}

async function testFeed({ url }: Service, key: string, feed: string) {
  const answer = await fetch(`${url}/api/v1/sources/test`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ kind: "feed_url", settings: { url: feed } }),
  });
  return {
    status: answer.status,
    json: (await answer.json()) as { code?: string; data?: { items: object[] } },
  };
}

const testsLeft = async (db: Db): Promise<number> =>
  (await db.query({ text: "select 1 from source_tests", values: [] })).length;

test("while the worker is frozen a test waits, and the server does not read the feed", async () => {
  await using parts = new AsyncDisposableStack();
  const { env } = parts.use(await ownDatabase());
  const feed = parts.use(await heldFeed(CSV));
  feed.release();
  const service = parts.use(await startService(env, "--no-demo"));
  const key = await keyOf(env);
  const worker = await workerOf(service);
  let isRead = false;
  void feed.asked.then(() => (isRead = true));

  process.kill(worker, "SIGSTOP");
  const asked = testFeed(service, key, feed.url);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const wasRead = isRead;
  process.kill(worker, "SIGCONT");
  const { status, json } = await asked;

  assert.equal(wasRead, false);
  assert.equal(status, 200);
  assert.equal(json.data?.items.length, 1);
});

test("a worker killed during a test leads to an answer with a code and leaves no row", async () => {
  await using parts = new AsyncDisposableStack();
  const { env, db } = parts.use(await ownDatabase());
  const feed = parts.use(await heldFeed(CSV));
  const service = parts.use(await startService(env, "--no-demo"));
  const key = await keyOf(env);
  const worker = await workerOf(service);

  const asked = testFeed(service, key, feed.url);
  await feed.asked;
  process.kill(worker, "SIGKILL");
  const { status, json } = await asked;

  assert.deepEqual([status, json.code], [422, "interrupted"]);
  assert.equal(await testsLeft(db), 0);
  // The service has another worker by now, and the next test is answered.
  feed.release();
  const again = await testFeed(service, key, feed.url);
  assert.equal(again.status, 200);
});

/** Clock ticks that a process has spent computing: proc_pid_stat(5), fields 14 and 15. */
async function ticksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

const isLinux = process.platform === "linux";

test("an expensive feed slows the worker down, and not the server", {
  skip: !isLinux && "needs /proc",
}, async () => {
  await using parts = new AsyncDisposableStack();
  const { env, db } = parts.use(await ownDatabase());
  const host = parts.use(await feedHost());
  const service = parts.use(await startService(env, "--no-demo"));
  const key = await keyOf(env);
  const worker = await workerOf(service);
  const feed = (path: string, description: string): string => {
    const rows = Array.from(
      { length: 19 },
      (_, i) => `${i},Mug,https://shop.example/${i},5.00,USD,${description}\n`,
    );
    host.serve(path, {
      kind: "file",
      body: `id,title,link,price,currency,description\n${rows.join("")}`,
    });
    return host.url(path);
  };
  /** What some tests of the feed cost the server and the worker. */
  const ticks = async (url: string): Promise<readonly [server: number, worker: number]> => {
    const before = [await ticksOf(service.pid), await ticksOf(worker)] as const;
    for (let i = 0; i < 8; i += 1) {
      const { status } = await testFeed(service, key, url);
      assert.equal(status, 200);
    }
    return [(await ticksOf(service.pid)) - before[0], (await ticksOf(worker)) - before[1]];
  };
  const cheap = feed("/cheap.csv", "A mug");
  const expensive = feed("/expensive.csv", "<p>&amp;<b>x</b> </p>".repeat(40_000));
  await ticks(cheap);

  const few = await ticks(cheap);
  const many = await ticks(expensive);

  const server = many[0] - few[0];
  const working = many[1] - few[1];
  assert.ok(working > 2 * server, `the worker computed for ${working} ticks more, the server for ${server}`);
  await until(async () => (await testsLeft(db)) === 0, "no row to be left");
});

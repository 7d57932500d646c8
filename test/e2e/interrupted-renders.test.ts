/** Renders that are interrupted in the middle of their COPY, by a stop or a kill; and a log whose pipe is closed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import type { Db } from "../../src/store/db.ts";
import { until } from "../actions.ts";
import { articles, openShop } from "../fakes/shop.ts";
import { ownDatabase } from "./own-database.ts";
import { data, startService, startWorkerProcess, workerOf } from "./program.ts";
import type { ProgramEnv } from "./program.ts";

async function catalogOf(env: ProgramEnv, feed: string): Promise<{ readonly sourceId: string }> {
  await data(
    env,
    ..."catalog create --slug shop --name Shop --currency USD --store-url https://shop.example/".split(" "),
  );
  const add = ["source", "add", "--catalog", "shop", "--kind", "feed_url", "--set", `url=${feed}`];
  const { id } = await data<{ id: string }>(env, ...add);
  return { sourceId: id };
}

type RunRow = { kind: string; state: string; attempts: number; owner: string | null };

const runsIn = async (db: Db): Promise<readonly RunRow[]> =>
  db.query<RunRow>({ text: "select kind, state, attempts, owner from runs order by created_at", values: [] });

const COPIES = `from pg_stat_activity where datname = current_database() and state = 'active'
  and application_name = 'shelfwire-worker' and query ~* '^\\s*copy.*to stdout'`;

/** Whether a render is copying the catalog out. */
async function copying(db: Db): Promise<boolean> {
  return (await db.query({ text: `select 1 ${COPIES}`, values: [] })).length > 0;
}

test("a worker that is stopped during a COPY of 20,000 items ends within ten seconds and leaves no running run", async () => {
  await using parts = new AsyncDisposableStack();
  const { env, db } = parts.use(await ownDatabase());
  const shop = parts.use(await openShop());
  shop.stock(articles(20_000));
  await data(env, "migrate");
  const worker = parts.use(startWorkerProcess(env));
  await catalogOf(env, shop.url);
  await until(async () => copying(db), "the render to copy");
  await new Promise((resolve) => setTimeout(resolve, 200));
  const began = performance.now();
  worker.signalAll("SIGTERM");

  const status = await worker.ended;

  assert.ok(performance.now() - began < 11_000, "it took longer than ten seconds");
  assert.equal(status, 0);
  assert.ok((await runsIn(db)).every(({ state, owner }) => state !== "running" && owner === null));
  parts.use(startWorkerProcess(env));
  await until(
    async () => (await runsIn(db)).every(({ state }) => state === "succeeded"),
    "every run to end well",
  );
});

test("the worker of a killed server ends by itself", async () => {
  await using parts = new AsyncDisposableStack();
  const { env, db } = parts.use(await ownDatabase());
  const shop = parts.use(await openShop());
  shop.stock(articles(20_000));
  const service = parts.use(await startService(env));
  const worker = await workerOf(service);
  await catalogOf(env, shop.url);
  await until(async () => copying(db), "the render to copy");

  process.kill(service.pid, "SIGKILL");
  const isGone = async () => {
    try {
      process.kill(worker, 0);
      return false;
    } catch {
      return true;
    }
  };
  await until(isGone, "the worker to end");

  assert.ok((await runsIn(db)).every(({ state }) => state !== "running"));
});

test("a server whose log pipe is closed continues", async () => {
  await using parts = new AsyncDisposableStack();
  const { env } = parts.use(await ownDatabase());
  const main = join(import.meta.dirname, "../../src/main.ts");
  const child = spawn(process.execPath, [main, "serve"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  parts.defer(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  });
  const url = `http://127.0.0.1:${env["PORT"]}`;
  const isUp = async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200;
  await until(isUp, "the server to run");
  child.stdout.destroy();
  child.stderr.destroy();

  for (let i = 0; i < 20; i += 1) assert.equal((await fetch(`${url}/readyz`)).status, 200);
  const ended = once(child, "exit");
  child.kill("SIGTERM");

  assert.deepEqual(await ended, [0, null]);
});

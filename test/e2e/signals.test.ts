/** What signals do to real processes, at the moments people and service managers send them. */
import assert from "node:assert/strict";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../actions.ts";
import { heldFeed } from "../fakes/held-feed.ts";
import { dataFolder } from "./embedded-holder.ts";
import { command, data, freePort, leftRunning } from "./program.ts";
import type { ProgramEnv } from "./program.ts";
import { started } from "./started.ts";

const ROOT = join(import.meta.dirname, "../..");
const MAIN = join(ROOT, "src/main.ts");
const STACK = /^\s+at .+:\d+:\d+/m;

async function settings(): Promise<AsyncDisposable & { readonly env: ProgramEnv; readonly path: string }> {
  const folder = await dataFolder();
  const env = { DATA_DIR: folder.path, PORT: String(await freePort()) };
  return { env, path: folder.path, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

test("SIGTERM to npm alone, as docker stop sends it, ends the server and everything with it", async () => {
  await using folder = await settings();
  await using npm = started("npm", ["start", "--", "--no-demo"], { env: folder.env, cwd: ROOT });
  await npm.says(/Stop it with Ctrl-C/);

  process.kill(npm.pid, "SIGTERM");
  await npm.ended;

  assert.equal(await npm.isLeft(), false);
  assert.deepEqual(await leftRunning(folder.path), []);
  assert.doesNotMatch(npm.said.talk, STACK);
});

test("Ctrl-C in the terminal of npm start, which npm passes on once more, is one request to stop", async () => {
  await using folder = await settings();
  await using npm = started("npm", ["start", "--", "--no-demo"], { env: folder.env, cwd: ROOT });
  await npm.says(/Stop it with Ctrl-C/);

  npm.signalAll("SIGINT");
  await npm.ended;

  assert.match(npm.said.talk, /Stopping/);
  assert.doesNotMatch(npm.said.talk, /killing|died/);
  assert.equal(await npm.isLeft(), false);
  assert.deepEqual(await leftRunning(folder.path), []);
});

for (const [moment, message] of [
  ["its database is made", /starting the database/],
  ["its demo is synced", /syncing the demo shop/],
] as const) {
  test(`Ctrl-C while ${moment} leaves nothing running, and the next start completes the demo`, async () => {
    await using folder = await settings();
    await using first = started(process.execPath, [MAIN, "serve"], { env: folder.env });
    await first.says(message);

    first.signalAll("SIGINT");

    assert.equal(await first.ended, 0);
    assert.doesNotMatch(first.said.talk, STACK);
    assert.doesNotMatch(first.said.talk, /unexpected/);
    assert.doesNotMatch(first.said.out, /running/);
    assert.equal(await first.isLeft(), false);
    assert.deepEqual(await leftRunning(folder.path), []);

    await using second = started(process.execPath, [MAIN, "serve"], { env: folder.env });
    await second.says(/Stop it with Ctrl-C/);
    const itemsOfDemo = async (): Promise<number | undefined> => {
      type Catalogs = { readonly catalogs: readonly { readonly slug: string; readonly items: number }[] };
      const { catalogs } = await data<Catalogs>(folder.env, "catalog", "list");
      return catalogs.find(({ slug }) => slug === "demo")?.items;
    };
    await until(async () => (await itemsOfDemo()) === 49, "the demo to be synced");
    second.signalAll("SIGTERM");
    assert.equal(await second.ended, 0);
  });
}

test("Ctrl-C on a sync without a server stops the database too, and the next sync continues the run", async () => {
  await using folder = await settings();
  await using feed = await heldFeed("id,title,link,price\n1,One,https://shop.example/1,5.00 EUR\n");
  const env = { ...folder.env, ALLOW_PRIVATE_TARGETS: "127.0.0.1" };
  await data(env, "catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD");
  const add = ["source", "add", "--catalog", "shop", "--kind", "feed_url", "--set", `url=${feed.url}`];
  const source = await data<{ id: string }>(env, ...add);
  await using sync = started(process.execPath, [MAIN, "sync", "--source", source.id], { env });
  await feed.asked;

  sync.signalAll("SIGINT");

  assert.equal(await sync.ended, 130);
  assert.equal(sync.said.talk, "Interrupted by SIGINT.\n");
  assert.deepEqual(await leftRunning(folder.path), []);

  feed.release();
  const again = await data<{ stats: { seen: number } }>(env, "sync", "--source", source.id);
  assert.equal(again.stats.seen, 1);
});

test("without a terminal, no log line interrupts the welcome message", async () => {
  await using folder = await settings();
  const logs = await mkdtemp(join(tmpdir(), "shelfwire-log-"));
  const file = join(logs, "log");
  await using log = await open(file, "a");
  const child = spawn(process.execPath, [MAIN, "serve"], {
    env: { PATH: process.env["PATH"] ?? "", ...folder.env },
    cwd: logs,
    stdio: ["ignore", log.fd, log.fd],
  });
  const exit = once(child, "exit");
  while (child.exitCode === null && !(await readFile(file, "utf8")).includes("Stop it")) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill("SIGTERM");
  await exit;

  const text = await readFile(file, "utf8");
  await rm(logs, { recursive: true });
  const welcome = text.slice(text.indexOf("\nShelfwire is running."), text.indexOf("Stop it with Ctrl-C."));
  assert.match(welcome, /was created; its slug is demo\.\n\n$/);
  assert.doesNotMatch(welcome, /^\{/m);
});

test("a DATA_DIR that cannot be created ends every command with one sentence", async () => {
  for (const line of [["serve"], ["worker"], ["catalog", "list"]]) {
    const { status, out, talk } = await command({ DATA_DIR: "/dev/null/shelfwire" }, ...line);

    assert.deepEqual([status, out], [4, ""]);
    assert.match(talk, /^DATA_DIR \/dev\/null\/shelfwire .*\(config_invalid\)\n$/);
  }
});

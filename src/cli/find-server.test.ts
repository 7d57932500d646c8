/** Which installation a command works on, and whose address is in the feed URLs it prints. */
import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { commandLine } from "../../test/command-line.ts";
import { tempDir } from "../../test/fresh.ts";
import { readConfig } from "../config.ts";
import { stateDir } from "../config-setting.ts";
import { configBesideServer, differingSettings } from "./find-server.ts";
import { writeServerFile, runningServers, serverOn } from "./server-file.ts";

const io = (env: Record<string, string>) => {
  const output = { talk: "" };
  const talk = (text: string) => {
    output.talk += text;
  };
  return { output, env, out: () => undefined, talk, isTerminal: false };
};

test("commands print the feed URLs and the sign-in link of the server that runs, not those of their own settings", async () => {
  await using home = await commandLine();
  await using state = await tempDir();
  const served = { ...home.env, BASE_URL: "https://server.example" };
  await home.data("catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD");
  const feeds = async () =>
    (await home.data<{ catalogs: { feeds: string[] }[] }>("catalog", "list")).catalogs[0]?.feeds[0] ?? "";

  const before = await feeds();
  const takeAway = await writeServerFile(readConfig(served), state.path);
  const during = await feeds();
  const { url: link } = await home.data<{ url: string }>("sign-in");
  await takeAway();
  const after = await feeds();

  assert.match(during, /^https:\/\/server\.example\/f\/shop\//);
  assert.match(link, /^https:\/\/server\.example\/sign-in#/);
  for (const url of [before, after]) assert.match(url, /^https:\/\/feeds\.example\/f\/shop\//);
});

test("a command without DATA_DIR works on the one server that runs, and says so", async () => {
  await using folder = await tempDir();
  await using state = await tempDir();
  const env = { DATA_DIR: folder.path, PORT: "18080", XDG_STATE_HOME: state.path };
  const takeAway = await writeServerFile(readConfig(env), stateDir(env));
  const [shown, quiet] = [io({ XDG_STATE_HOME: state.path }), io({ XDG_STATE_HOME: state.path })];

  const found = await configBesideServer(shown, false);
  await configBesideServer(quiet, true);
  await takeAway();

  assert.deepEqual([found.dataDir, found.baseUrl], [folder.path, "http://127.0.0.1:18080"]);
  assert.equal(
    shown.output.talk,
    `Using the running server at http://127.0.0.1:18080, DATA_DIR ${folder.path}.\n`,
  );
  assert.equal(quiet.output.talk, "");
  assert.equal(await serverOn(folder.path), undefined);
  assert.deepEqual(await readdir(stateDir(env)), []);
});

test("several servers are listed; one with an embedded database has its own message", async () => {
  await using one = await tempDir();
  await using two = await tempDir();
  await using state = await tempDir();
  const env = { DATA_DIR: one.path, XDG_STATE_HOME: state.path };
  await writeServerFile(readConfig(env), stateDir(env));
  const card = join(stateDir(env), `server-${process.pid}.json`);
  const other = { ...(JSON.parse(await readFile(card, "utf8")) as object), dataDir: two.path };
  await writeFile(join(stateDir(env), "server-1.json"), JSON.stringify(other));
  const context = io({ XDG_STATE_HOME: state.path });

  await assert.rejects(configBesideServer(context, false), (error: Error) =>
    [one.path, two.path, "Set DATA_DIR"].every((text) => error.message.includes(text)),
  );
  await writeFile(card, JSON.stringify({ ...other, isEmbedded: false }));
  await writeFile(join(stateDir(env), "server-1.json"), "{}");
  await assert.rejects(
    configBesideServer(context, false),
    /uses its own database\. Set the same DATABASE_URL/,
  );
});

test("the server file of a dead process is ignored and deleted", async () => {
  await using folder = await tempDir();
  await using state = await tempDir();
  const env = { DATA_DIR: folder.path, XDG_STATE_HOME: state.path };
  await writeServerFile(readConfig(env), stateDir(env));
  const card = join(stateDir(env), `server-${process.pid}.json`);
  const kept = JSON.parse(await readFile(card, "utf8")) as { process: object };
  const dead = JSON.stringify({ ...kept, process: { ...kept.process, started: "long ago" } });
  await writeFile(card, dead);
  await writeFile(join(folder.path, "server.json"), dead);

  assert.deepEqual(await runningServers(stateDir(env)), []);
  assert.equal(await serverOn(folder.path), undefined);
  assert.deepEqual(await readdir(stateDir(env)), []);
});

test("a command uses the running server's settings where its environment does not set them", async () => {
  await using folder = await tempDir();
  await using state = await tempDir();
  const own = { DATA_DIR: folder.path, XDG_STATE_HOME: state.path };
  const served = {
    ...own,
    ALLOW_PRIVATE_TARGETS: "10.1.0.0/16",
    KEEP_RUNS: "70",
    SECRET_KEY: "k".repeat(40),
  };
  const takeAway = await writeServerFile(readConfig(served), stateDir(own));

  const found = await configBesideServer(io({ ...own, KEEP_RUNS: "80" }), true);
  const file = await readFile(join(folder.path, "server.json"), "utf8");
  const server = await serverOn(folder.path);
  await takeAway();

  assert.deepEqual([found.allowPrivateTargets, found.keepRuns], [["10.1.0.0/16"], 80]);
  assert.ok(server);
  assert.deepEqual(differingSettings(server, { ...own, KEEP_RUNS: "80" }), ["KEEP_RUNS"]);
  assert.doesNotMatch(file, /kkkk|secretKey|databaseUrl|smtpUrl/);
});

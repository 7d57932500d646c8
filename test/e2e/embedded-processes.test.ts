/** The embedded database with several processes that start, stop and crash. One cluster, created by the first test. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, readdir, rm, watch } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { startOf } from "../../src/lib/process-identity.ts";
import { openEmbedded } from "../../src/store/embedded.ts";
import {
  ask,
  dataFolder,
  endHolders,
  killServer,
  serverPid,
  spawnHolder,
  startHolder,
} from "./embedded-holder.ts";

const quiet = () => undefined;

describe("one data folder, several processes", () => {
  let folder: Awaited<ReturnType<typeof dataFolder>>;
  before(async () => {
    folder = await dataFolder();
  });
  afterEach(endHolders);
  after(() => folder[Symbol.asyncDispose]());

  test("a process that is killed during the first start blocks no other one, and its incomplete data is not used", async () => {
    const root = join(folder.path, "postgres");
    await mkdir(root, { recursive: true });
    const changes = watch(root);
    const killed = spawnHolder(folder.path);
    for await (const { filename } of changes) if (filename?.startsWith("cluster.tmp-")) break;
    killed.kill("SIGKILL");
    await once(killed, "exit");
    const left = await readdir(root);

    const next = await startHolder(folder.path);
    const answer = await ask(next.connectionString, "select 1");
    await next.close();

    assert.ok(left.includes("start.lock") && !left.includes("cluster"));
    assert.deepEqual(answer, [1]);
    assert.deepEqual(next.events, ["embedded_database_started", "open", "embedded_database_stopped"]);
    await rm(join(root, "cluster"), { recursive: true });
  });

  test("two processes that open a new folder at the same time share one server, and the last one stops it", async () => {
    const [one, two] = await Promise.all([startHolder(folder.path), startHolder(folder.path)]);
    const pid = await serverPid(folder.path);

    await one.close();
    const pidAfterFirst = await serverPid(folder.path);
    const stillAnswers = await ask(two.connectionString, "select 1");
    await two.close();
    const pidAfterLast = await serverPid(folder.path);

    assert.equal(one.connectionString, two.connectionString);
    assert.deepEqual([one, two].flatMap(({ events }) => events).sort(), [
      "embedded_database_joined",
      "embedded_database_left",
      "embedded_database_started",
      "embedded_database_stopped",
      "open",
      "open",
    ]);
    assert.notEqual(pid, null);
    assert.equal(pidAfterFirst, pid);
    assert.deepEqual(stillAnswers, [1]);
    assert.equal(pidAfterLast, null);
  });

  test("the process that started the server may end first; the other one keeps it and stops it", async () => {
    const starter = await startHolder(folder.path);
    const joiner = await startHolder(folder.path);

    await starter.close();
    const answer = await ask(joiner.connectionString, "select 2");
    await joiner.close();

    assert.deepEqual(answer, [2]);
    assert.deepEqual(starter.events.slice(-1), ["embedded_database_left"]);
    assert.deepEqual(joiner.events.slice(-1), ["embedded_database_stopped"]);
    assert.equal(await serverPid(folder.path), null);
  });

  test("a process that is killed leaves the server to the next one, which stops it in the end", async () => {
    const killed = await startHolder(folder.path);
    await ask(killed.connectionString, "create table kept as select 7 as seven");
    const pid = await serverPid(folder.path);

    await killed.kill("SIGKILL");
    const next = await startHolder(folder.path);
    const pidOfNext = await serverPid(folder.path);
    const kept = await ask(next.connectionString, "select seven from kept");
    await next.close();

    assert.equal(pidOfNext, pid);
    assert.deepEqual(kept, [7]);
    assert.deepEqual(next.events, ["embedded_database_joined", "open", "embedded_database_stopped"]);
    assert.equal(await serverPid(folder.path), null);
  });

  test("a process that is killed while its server starts leaves it to the next one", async () => {
    const changes = watch(join(folder.path, "postgres", "cluster", "data"));
    const killed = spawnHolder(folder.path);
    for await (const { filename } of changes) if (filename === "postmaster.pid") break;
    killed.kill("SIGKILL");
    await once(killed, "exit");

    const next = await startHolder(folder.path);
    const answer = await ask(next.connectionString, "select seven from kept");
    await next.close();

    assert.deepEqual(answer, [7]);
    assert.deepEqual(next.events, ["embedded_database_joined", "open", "embedded_database_stopped"]);
    assert.equal(await serverPid(folder.path), null);
  });

  test("a Ctrl-C in the terminal ends the process and not the server", async () => {
    const inTerminal = await startHolder(folder.path, { detached: true });
    const pid = await serverPid(folder.path);
    const beside = await startHolder(folder.path);

    process.kill(-(inTerminal.child.pid ?? 0), "SIGINT");
    await new Promise((resolve) => inTerminal.child.once("exit", resolve));
    const answer = await ask(beside.connectionString, "select 3");

    assert.equal(inTerminal.child.signalCode, "SIGINT");
    assert.deepEqual(answer, [3]);
    assert.equal(await serverPid(folder.path), pid);
    await beside.close();
    assert.equal(await serverPid(folder.path), null);
  });

  test("after all processes and the server are killed, the next start has everything that was committed", async () => {
    const doomed = await startHolder(folder.path);
    await ask(doomed.connectionString, "create table committed as select 9 as nine");
    const pid = await serverPid(folder.path);
    assert.ok(pid !== null);

    process.kill(doomed.child.pid ?? 0, "SIGSTOP");
    await killServer(pid);
    await doomed.kill("SIGKILL");
    const next = await openEmbedded({ dataDir: folder.path, log: quiet });
    const committed = await ask(next.connectionString, "select nine from committed");
    await next.close();

    assert.deepEqual(committed, [9]);
    assert.equal(await serverPid(folder.path), null);
  });

  test("a server that no longer answers is stopped and started again", async () => {
    const events: string[] = [];
    const left = await startHolder(folder.path);
    const pid = await serverPid(folder.path);
    assert.ok(pid !== null);
    await left.kill("SIGKILL");
    process.kill(pid, "SIGSTOP");

    const next = await openEmbedded({ dataDir: folder.path, log: (event) => events.push(event) });
    const answer = await ask(next.connectionString, "select seven from kept");
    await next.close();

    assert.deepEqual(answer, [7]);
    assert.deepEqual(events, [
      "embedded_database_unresponsive",
      "embedded_database_started",
      "embedded_database_stopped",
    ]);
    assert.equal(await startOf(pid), null);
  });

  test("a server that crashes while in use is restarted at the same address for all its users", async () => {
    const events: string[] = [];
    const back = Promise.withResolvers<void>();
    const log = (event: string) => {
      events.push(event);
      if (events.includes("embedded_database_lost") && /started|joined/.test(event)) back.resolve();
    };
    const one = await openEmbedded({ dataDir: folder.path, log });
    const two = await startHolder(folder.path);
    const pid = await serverPid(folder.path);
    assert.ok(pid !== null);

    await killServer(pid);
    await back.promise;
    const answer = await ask(one.connectionString, "select 4");
    await two.close();
    await one.close();

    assert.deepEqual(answer, [4]);
    assert.ok(two.events.includes("embedded_database_lost"));
    assert.equal(await serverPid(folder.path), null);
  });
});

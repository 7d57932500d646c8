/** One cluster serves most of these tests, in a folder whose name has spaces, quotes and letters of other scripts. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, cp, mkdir, readdir, readFile, rm, stat, utimes, watch, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { ask, dataFolder, serverPid } from "../../test/e2e/embedded-holder.ts";
import { commandLineOf, startOf } from "../lib/process-identity.ts";
import { serverAccount, spawnedAs } from "./embedded/account.ts";
import { runnableBinaries } from "./embedded/binaries.ts";
import { pathsIn } from "./embedded/paths.ts";
import { defaultDataDir, type Embedded, openEmbedded } from "./embedded.ts";

const quiet = () => undefined;

describe("a data folder over time", () => {
  let folder: Awaited<ReturnType<typeof dataFolder>>;
  let root: string;
  let pidFile: string;
  before(async () => {
    // Longer than a Unix socket's path may be, too.
    folder = await dataFolder(`it's my shop, größer 店 ${"x".repeat(90)}`);
    root = join(folder.path, "postgres");
    pidFile = join(root, "cluster", "data", "postmaster.pid");
  });
  after(() => folder[Symbol.asyncDispose]());

  // A test that fails must not leave a handle open: it would keep the test run from ending.
  const opened: Embedded[] = [];
  afterEach(async () => {
    for (const embedded of opened.splice(0)) await embedded.close();
  });
  const open = async (dataDir = folder.path) => {
    const embedded = await openEmbedded({ dataDir, log: quiet });
    opened.push(embedded);
    return embedded;
  };

  test("a first start that is canceled leaves nothing running, and the next one starts from the beginning", async () => {
    const controller = new AbortController();
    const opening = openEmbedded({ dataDir: folder.path, signal: controller.signal, log: quiet });
    // Until initdb runs.
    while ((await commandsWith(folder.path)).length === 0) await setTimeout(50);

    controller.abort(new Error("changed my mind"));

    await assert.rejects(opening, { message: "changed my mind" });
    assert.deepEqual(await commandsWith(folder.path), []);
    assert.equal((await readdir(root)).includes("cluster"), false);
  });

  test("stored data is there after a restart, at the same port, and incomplete folders are deleted", async () => {
    const incomplete = join(root, "cluster.tmp-0123");
    await mkdir(join(incomplete, "data"), { recursive: true });
    await writeFile(join(incomplete, "data", "PG_VERSION"), "18\n");
    await mkdir(join(root, "runtime-17.0.0"));

    const first = await open();
    await ask(first.connectionString, "create table stored as select 5 as five");
    await first.close();
    const isStopped = (await serverPid(folder.path)) === null;
    const second = await open();
    const stored = await ask(second.connectionString, "select five from stored");
    await second.close();

    assert.equal(isStopped, true);
    assert.deepEqual(stored, [5]);
    assert.equal(second.connectionString, first.connectionString);
    const left = (await readdir(root)).filter((name) => !/^(runtime-18\..*|postgres\.log)$/.test(name));
    assert.deepEqual(left.sort(), ["cluster", "connection.json", "occupancy.json", "start.lock"]);
  });

  test("the database is durable, uses its own Unicode locale, and listens on loopback only", async () => {
    const embedded = await open();

    const settings = await ask(
      embedded.connectionString,
      `select current_setting('listen_addresses'), current_setting('port') <> '5432',
              current_setting('fsync'), current_setting('synchronous_commit'),
              current_setting('data_checksums'), current_setting('server_encoding'),
              (select rolsuper from pg_roles where rolname = current_user),
              upper('größe ж'), current_database()::text`,
    );
    const connection = await readFile(join(root, "connection.json"), "utf8");
    const { mode } = await stat(join(root, "connection.json"));
    await embedded.close();

    assert.deepEqual(settings, ["127.0.0.1", true, "on", "on", "on", "UTF8", false, "GRÖßE Ж", "shelfwire"]);
    assert.ok(connection.includes(embedded.connectionString));
    assert.equal(mode & 0o777, 0o600);
  });

  test("a connection without the password is refused", async () => {
    const embedded = await open();
    const wrong = embedded.connectionString.replace(/:[^:@]+@/, ":guess@");

    const attempt = ask(wrong, "select 1");

    await assert.rejects(attempt, { code: "28P01" });
    await embedded.close();
  });

  test("closing twice has no further effect, and another open handle keeps the server running", async () => {
    const one = await open();
    const two = await open();

    await Promise.all([one.close(), one.close()]);
    const answer = await ask(two.connectionString, "select 6");
    await two.close();
    await two.close();

    assert.deepEqual(answer, [6]);
    assert.equal(await serverPid(folder.path), null);
  });

  test("another port is used when the last one is taken", async () => {
    const first = await open();
    await first.close();
    const port = Number(new URL(first.connectionString).port);
    await using taker = createServer().listen(port, "127.0.0.1");
    await once(taker, "listening");

    const second = await open();
    const answer = await ask(second.connectionString, "select 8");
    await second.close();

    assert.deepEqual(answer, [8]);
    assert.notEqual(new URL(second.connectionString).port, String(port));
  });

  test("a pid file with the pid of another program prevents no start, and that program keeps running", async () => {
    const first = await open();
    await copyFile(pidFile, join(root, "kept.pid"));
    await first.close();
    // Of the same account: PostgreSQL sees that the pid lives, and would refuse.
    using bystander = spawn("/bin/sh", ["-c", "read line"], {
      ...spawnedAs(serverAccount()),
      stdio: ["pipe", "ignore", "ignore"],
    });
    const lines = (await readFile(join(root, "kept.pid"), "utf8")).split("\n");
    await writeFile(pidFile, [String(bystander.pid), ...lines.slice(1)].join("\n"));
    await rm(join(root, "kept.pid"));

    const second = await open();
    const answer = await ask(second.connectionString, "select five from stored");
    await second.close();

    assert.deepEqual(answer, [5]);
    assert.equal(bystander.signalCode ?? bystander.exitCode, null);
    bystander.stdin.end();
    await once(bystander, "exit");
  });

  test("a pid file with the pid of a zombie prevents no start", async () => {
    // As in a container whose first process does not collect the children it inherits.
    using parent = spawn("/bin/sh", ["-c", "sleep 0 & echo $!; exec sleep 60"], {
      ...spawnedAs(serverAccount()),
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    while ((await startOf(Number(String(line)))) !== null) await new Promise(setImmediate);
    await writeFile(pidFile, `${String(line).trim()}\n${join(root, "cluster", "data")}\n1\n1\n\n\n\nready\n`);

    const embedded = await open();
    const answer = await ask(embedded.connectionString, "select five from stored");
    await embedded.close();

    assert.deepEqual(answer, [5]);
  });

  test("a start that is canceled while the server starts leaves nothing running", async () => {
    const controller = new AbortController();
    const changes = watch(join(root, "cluster", "data"));
    const opening = openEmbedded({ dataDir: folder.path, signal: controller.signal, log: quiet });
    for await (const { filename } of changes) if (filename === "postmaster.pid") break;
    const pid = Number.parseInt(await readFile(pidFile, "utf8"), 10);

    controller.abort(new Error("changed my mind"));

    await assert.rejects(opening, { message: "changed my mind" });
    assert.equal(await serverPid(folder.path), null);
    assert.equal(await startOf(pid), null);
  });

  test("a folder in use by another container is refused, and its pid file is not changed", async () => {
    const occupancy = join(root, "occupancy.json");
    const own = await readFile(occupancy, "utf8");
    await writeFile(occupancy, JSON.stringify({ host: "other", boot: "other", pidNamespace: "other" }));
    await writeFile(pidFile, `${process.pid}\n`);
    let second = 0;
    const life = setInterval(() => void utimes(occupancy, ++second, second), 10);

    const opening = open();

    await assert.rejects(opening, { code: "already_running" });
    clearInterval(life);
    assert.equal(await readFile(pidFile, "utf8"), `${process.pid}\n`);
    await rm(pidFile);
    await writeFile(occupancy, own);
  });

  test("a copy of the folder gets its own server", async () => {
    await using copy = await dataFolder();
    await cp(folder.path, copy.path, { recursive: true, verbatimSymlinks: true });
    await restoreOwner(root, copy.path);
    const original = await open();
    await copyFile(pidFile, join(copy.path, "postgres", "cluster", "data", "postmaster.pid"));

    const copied = await open(copy.path);
    await ask(copied.connectionString, "update stored set five = 55");
    const inOriginal = await ask(original.connectionString, "select five from stored");
    await copied.close();
    const stillAnswers = await ask(original.connectionString, "select 1");
    await original.close();

    assert.notEqual(copied.connectionString, original.connectionString);
    assert.deepEqual(inOriginal, [5]);
    assert.deepEqual(stillAnswers, [1]);
  });

  test("data of another major version is refused with that version, and not changed", async () => {
    const version = join(root, "cluster", "data", "PG_VERSION");
    await writeFile(version, "17\n");

    const opening = open();

    await assert.rejects(opening, {
      code: "embedded_database_failed",
      message: /PostgreSQL 17.*DATABASE_URL/s,
    });
    assert.equal(await readFile(version, "utf8"), "17\n");
  });
});

test("programs under a path with shell metacharacters are refused", async () => {
  await using folder = await dataFolder();
  const binaries = { native: folder.path, version: "18.0.0", major: 18 };
  const paths = pathsIn(join(folder.path, "$(touch pwned)"));

  const running = runnableBinaries(binaries, paths, serverAccount());

  await assert.rejects(running, { code: "embedded_database_failed", message: /Choose another DATA_DIR/ });
});

test("a cluster folder without a database in it is refused, not replaced", async () => {
  await using folder = await dataFolder();
  const precious = join(folder.path, "postgres", "cluster", "precious");
  await mkdir(join(precious, ".."), { recursive: true });
  await writeFile(precious, "x");

  const opening = openEmbedded({ dataDir: folder.path, log: quiet });

  await assert.rejects(opening, { code: "embedded_database_failed", message: /is damaged.*PG_VERSION/ });
  assert.equal(await readFile(precious, "utf8"), "x");
});

test("the default folder is /var/lib for root, and in the home folder for other users", () => {
  const user = { isRoot: false, home: "/home/ada" };

  assert.equal(defaultDataDir({ isRoot: true, home: "/root", xdgDataHome: "/x" }), "/var/lib/shelfwire");
  assert.equal(defaultDataDir({ ...user, xdgDataHome: "/x/data" }), "/x/data/shelfwire");
  assert.equal(defaultDataDir({ ...user, xdgDataHome: undefined }), "/home/ada/.local/share/shelfwire");
  assert.equal(defaultDataDir({ ...user, xdgDataHome: "" }), "/home/ada/.local/share/shelfwire");
  assert.equal(defaultDataDir({ ...user, xdgDataHome: "relative" }), "/home/ada/.local/share/shelfwire");
});

/** The command lines of all running programs that have the text. */
async function commandsWith(text: string): Promise<readonly (string | null)[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid="]);
  const pids = stdout.trim().split(/\s+/);
  const lines = await Promise.all(pids.map(async (pid) => commandLineOf(Number(pid))));
  return lines.filter((line) => line?.includes(text));
}

/** Copying as root makes everything root's; give the copy's cluster to the account of the original. */
async function restoreOwner(root: string, copy: string): Promise<void> {
  const { uid, gid } = await stat(join(root, "cluster"));
  const chown = spawn("chown", ["-R", `${uid}:${gid}`, join(copy, "postgres", "cluster")]);
  await once(chown, "exit");
}

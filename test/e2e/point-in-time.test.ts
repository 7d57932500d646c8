/**
 * Recovery to a time between two changes, as real processes: of the embedded database from a copy of its folder and the
 * archived log, and of a PostgreSQL of one's own with pg_basebackup.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, chmod, chown, cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { readFeeds, until } from "../actions.ts";
import { tempDir } from "../fresh.ts";
import { dataFolder } from "./embedded-holder.ts";
import { command, data, freePort, type ProgramEnv, serviceEnv, startService } from "./program.ts";

const run = promisify(execFile);

/** The catalog has one pushed item with this price. */
async function push(env: ProgramEnv, folder: string, price: string): Promise<void> {
  const file = join(folder, "items.csv");
  await writeFile(file, `id,title,price\nmug,Mug,${price} EUR\n`);
  await data(env, "push", file, "--catalog", "shop");
}

/** A time after the change before and before the change after. PostgreSQL takes +00 here, and no Z. */
async function moment(): Promise<string> {
  await delay(50);
  const at = new Date().toISOString().replace("Z", "+00");
  await delay(50);
  return at;
}

async function newShop(env: ProgramEnv, folder: string): Promise<string> {
  await data(env, "catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "EUR");
  const { key } = await data<{ key: string }>(env, "key", "create", "--catalog", "shop", "--scopes", "read");
  await push(env, folder, "10.00");
  return key;
}

/** The recovered installation is a copy, and serves the catalog of that time. */
async function assertRecovered(env: ProgramEnv, key: string, price: string): Promise<void> {
  const { out, talk } = await command(env, "status");
  assert.match(out, /Restored copy since/, talk);
  await using service = await startService(env, "--no-demo");
  const isRendered = async () => (await readFeeds(service, { key })).lastRender !== null;
  await until(isRendered, "the render after the recovery");
  const { files } = await readFeeds(service, { key });
  assert.match(files["gmc.tsv"]?.text ?? "", new RegExp(`\t${price} EUR`));
}

const owned = async (path: string): Promise<string> => {
  if (process.getuid?.() === 0) await run("chown", ["-R", "65534:65534", path]);
  return path;
};

test("the embedded database is recovered to a time between two changes, from a copy of its folder and the archived log", async () => {
  await using first = await dataFolder();
  await using second = await dataFolder();
  await using files = await tempDir();
  const more = { XDG_STATE_HOME: files.path };
  const env = { ...(await serviceEnv(first.path)), ...more };
  const copy = { ...(await serviceEnv(second.path)), ...more };
  const archive = join(first.path, "postgres/wal-archive");
  await data(env, "catalog", "list");
  await mkdir(archive);
  const key = await newShop(env, files.path);
  const base = join(files.path, "base");
  // No process uses the database: every command has stopped it.
  await cp(join(first.path, "postgres/cluster"), base, { recursive: true });
  await push(env, files.path, "20.00");
  const between = await moment();
  await push(env, files.path, "30.00");
  assert.match((await command(env, "doctor", "--reach", "http://127.0.0.1:1/")).out, /ok +archive/);
  assert.ok((await readdir(archive)).some((name) => /^[0-9A-F]{24}\.gz$/.test(name)));

  await data(copy, "catalog", "list");
  const cluster = join(second.path, "postgres/cluster");
  await run("rm", ["-rf", cluster]);
  await cp(base, cluster, { recursive: true });
  await cp(archive, join(second.path, "postgres/wal-archive"), { recursive: true });
  await cp(join(first.path, "secret.key"), join(second.path, "secret.key"));
  await appendFile(join(cluster, "data/postgresql.auto.conf"), `recovery_target_time = '${between}'\n`);
  await writeFile(join(cluster, "data/recovery.signal"), "");
  await owned(cluster);

  await assertRecovered(copy, key, "20.00");
});

/** The newest one that is installed beside the embedded one, which has no pg_basebackup. */
const BIN = [
  "/usr/lib/postgresql/18/bin",
  "/usr/lib/postgresql/17/bin",
  "/usr/lib/postgresql/16/bin",
  "/usr/lib/postgresql/15/bin",
].find((path) => existsSync(join(path, "pg_basebackup")));
const skip = BIN === undefined ? "there is no pg_basebackup on this machine; install postgresql" : false;

test("a PostgreSQL of one's own is recovered with pg_basebackup, and restore --recovered makes the installation a copy", {
  skip,
}, async () => {
  await using place = await tempDir();
  await using first = await dataFolder();
  await using second = await dataFolder();
  await chmod(place.path, 0o755);
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const pg = async (program: string, ...args: readonly string[]) =>
    run(join(BIN ?? "", program), [...args], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      ...account,
    });
  const folder = async (name: string) => {
    const path = join(place.path, name);
    await mkdir(path, { mode: 0o700 });
    if (account.uid !== undefined) await chown(path, account.uid, account.gid);
    return path;
  };
  const [original, recovered, archive] = [
    await folder("original"),
    await folder("recovered"),
    await folder("archive"),
  ];
  const [port, otherPort] = [await freePort(), await freePort()];
  const start = async (at: string, onPort: number) =>
    pg(
      "pg_ctl",
      "start",
      "--wait",
      "-D",
      at,
      "-l",
      join(at, "log"),
      "-o",
      `-p ${onPort} -c listen_addresses=127.0.0.1 -k ""`,
    );
  await using servers = new AsyncDisposableStack();
  const stopLater = (at: string) =>
    servers.defer(
      async () => void (await pg("pg_ctl", "stop", "-D", at, "-m", "immediate").catch(() => undefined)),
    );
  await pg("initdb", "-D", original, "-U", "shelfwire", "--auth=trust", "--encoding=UTF8", "--locale=C");
  await appendFile(
    join(original, "postgresql.conf"),
    `archive_mode = on\narchive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'\n`,
  );
  stopLater(original);
  await start(original, port);
  const more = { SECRET_KEY: "a key for tests, long enough to be one", XDG_STATE_HOME: place.path };
  const urlOf = (at: number) => `postgres://shelfwire@127.0.0.1:${at}/postgres`;
  const env = { ...(await serviceEnv(first.path)), ...more, DATABASE_URL: urlOf(port) };
  const copy = { ...(await serviceEnv(second.path)), ...more, DATABASE_URL: urlOf(otherPort) };
  const key = await newShop(env, first.path);

  await pg(
    "pg_basebackup",
    "-h",
    "127.0.0.1",
    "-p",
    String(port),
    "-U",
    "shelfwire",
    "-D",
    recovered,
    "-X",
    "none",
    "-c",
    "fast",
  );
  await push(env, first.path, "20.00");
  const between = await moment();
  await push(env, first.path, "30.00");
  // A clean stop archives the rest of the log.
  await pg("pg_ctl", "stop", "--wait", "-D", original, "-m", "fast");
  await appendFile(
    join(recovered, "postgresql.auto.conf"),
    `restore_command = 'cp ${archive}/%f %p'\nrecovery_target_time = '${between}'\nrecovery_target_action = 'promote'\narchive_mode = off\n`,
  );
  await writeFile(join(recovered, "recovery.signal"), "");
  await owned(recovered);
  stopLater(recovered);
  await start(recovered, otherPort);
  const marked = await command(copy, "restore", "--recovered");

  assert.equal(marked.status, 0, marked.talk);
  assert.match(marked.out, /1 catalog rendered.*\nThis is a copy/s);
  await assertRecovered(copy, key, "20.00");
});

/**
 * `shelfwire secret-key rotate` on an installation with its own database and key file, killed in the middle and
 * repeated.
 */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openDb } from "../../src/store/db.ts";
import { sql } from "../../src/store/sql.ts";
import { until } from "../actions.ts";
import { tempDir } from "../fresh.ts";
import { dataFolder } from "./embedded-holder.ts";
import { command, data, databaseUrl, freePort, startService } from "./program.ts";
import { started } from "./started.ts";

const MAIN = join(import.meta.dirname, "../../src/main.ts");

test("a rotation that is killed in the middle changes nothing, and repeated it changes the key and no feed URL", async () => {
  await using folder = await dataFolder();
  await using state = await tempDir();
  const port = String(await freePort());
  const env = { DATA_DIR: folder.path, PORT: port, XDG_STATE_HOME: state.path };
  const key = async () => readFile(join(folder.path, "secret.key"), "utf8");
  const keyFiles = async () =>
    (await readdir(folder.path)).filter((name) => name.startsWith("secret.key")).toSorted();
  const urls = async () =>
    (await data<{ catalogs: { feeds: string[] }[] }>(env, "catalog", "list")).catalogs[0]?.feeds ?? [];

  const { before, refused } = await (async () => {
    await using service = await startService(env);
    const refused = await command(env, "secret-key", "rotate");
    const before = await urls();
    service.signalAll("SIGINT");
    await service.ended;
    return { before, refused };
  })();
  assert.equal(refused.status, 1);
  assert.match(refused.talk, /Stop it on all machines/);
  assert.equal(before.length, 4);
  const old = await key();

  // A row lock of another session keeps the rotation in the middle of its transaction. Without the notices of a whole
  // command, which would have it refused: another command, started first, keeps the database running.
  await using holder = started(process.execPath, [
    "--input-type=module",
    "-e",
    `import { openEmbedded } from ${JSON.stringify(join(import.meta.dirname, "../../src/store/embedded.ts"))};
     await openEmbedded({ dataDir: ${JSON.stringify(folder.path)}, signal: new AbortController().signal, log: () => {} });
     console.log("open"); setInterval(() => {}, 1000);`,
  ]);
  await holder.says(/open/);
  const target = { connectionString: await databaseUrl(folder.path), schema: "shelfwire" };
  const db = openDb(target, { max: 2, name: "shelfwire-test" });
  try {
    await db.tx(async (tx) => {
      await tx.execute(sql`select 1 from catalogs for update`);
      await using rotation = started(process.execPath, [MAIN, "secret-key", "rotate"], { env });
      await until(
        async () =>
          (
            await db.query(sql`
              select 1 from pg_stat_activity
               where application_name = 'shelfwire-secret-key' and wait_event_type = 'Lock'`)
          ).length > 0,
        "the rotation to be in the middle",
        60_000,
      );
      assert.deepEqual(await keyFiles(), ["secret.key", "secret.key.next"]);
      rotation.signalAll("SIGKILL");
      await rotation.ended;
    });
    assert.deepEqual([await key(), await urls()], [old, before]);

    const done = await data<{ values: number }>(env, "secret-key", "rotate");

    assert.ok(done.values >= 1);
    assert.notEqual(await key(), old);
    assert.deepEqual(await urls(), before);
    assert.deepEqual(await keyFiles(), ["secret.key", "secret.key.previous"]);
    assert.equal(await readFile(join(folder.path, "secret.key.previous"), "utf8"), old);
  } finally {
    await db.close();
  }
});

/** A real standby: it refuses changes until it is promoted, and the same `Db` continues then. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "pg";
import { until } from "../../test/actions.ts";
import { openCluster } from "../../test/test-server.ts";
import { openDb } from "./db.ts";
import { pingDatabase } from "./health.ts";
import { listenForNotices } from "./notices.ts";

test("a standby is refused with database_read_only, and used as soon as it is promoted", async () => {
  await using parts = new AsyncDisposableStack();
  const cluster = await openCluster(parts);
  const { connectionString, adminUrl } = await cluster.start({ wal_level: "replica" });
  await cluster.stop();
  await writeFile(join(cluster.data, "standby.signal"), "");
  await cluster.start({ wal_level: "replica", hot_standby: "on" });
  const target = { connectionString, schema: "public" };
  const db = openDb(target, { max: 2, name: "shelfwire-test" });
  parts.defer(db.close);
  const notices = await listenForNotices(target);
  parts.defer(notices.close);
  const connected = new Promise((resolve) => notices.on(resolve));
  await assert.rejects(pingDatabase(db), { code: "database_read_only" });
  await assert.rejects(db.execute({ text: "create table t (x integer)", values: [] }), {
    code: "database_read_only",
  });

  const admin = new Client(adminUrl);
  await admin.connect();
  await admin.query("select pg_promote()");
  await admin.end();

  await until(
    async () =>
      pingDatabase(db).then(
        () => true,
        () => false,
      ),
    "the promoted server to be used",
  );
  await db.execute({ text: "create schema s", values: [] });
  assert.deepEqual(await connected, { about: "connected" });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDatabase } from "../../test/fresh.ts";
import { NO_PGBOUNCER, startPgBouncer } from "../../test/pgbouncer.ts";
import { commandLine } from "../../test/command-line.ts";
import { openDb } from "./db.ts";
import { listenForNotices, notify } from "./notices.ts";
import { isPooledByTransaction, requireSessions } from "./pooling.ts";

const skip = NO_PGBOUNCER;

test("a direct connection has sessions of its own", async () => {
  await using database = await freshDatabase();

  assert.equal(await isPooledByTransaction({ connectionString: database.url }), false);
});

for (const mode of ["transaction", "statement"] as const)
  test(`PgBouncer with pool_mode = ${mode} is refused with what to do`, { skip }, async () => {
    await using database = await freshDatabase();
    await using pooler = await startPgBouncer(database.url, mode);

    await assert.rejects(requireSessions({ connectionString: pooler.url }), {
      code: "config_invalid",
      message: /PgBouncer.*Set pool_mode = session/,
    });
  });

test("behind PgBouncer with pool_mode = session, settings, locks and notices work", { skip }, async () => {
  await using database = await freshDatabase();
  await using pooler = await startPgBouncer(database.url, "session");
  const target = { connectionString: pooler.url, schema: "shelfwire" };
  await requireSessions(target);
  const db = openDb(target, { max: 2, name: "shelfwire-test" });
  const notices = await listenForNotices(target);
  const heard = new Promise((resolve) => notices.on(resolve));

  await notify(db, { about: "deliveries" });

  assert.deepEqual(await heard, { about: "deliveries" });
  assert.ok(await db.first({ text: "select count(*) from catalogs", values: [] }));
  await notices.close();
  await db.close();
});

test("shelfwire doctor finds PgBouncer with pool_mode = transaction", { skip }, async () => {
  await using shell = await commandLine();
  await using pooler = await startPgBouncer(String(shell.env["DATABASE_URL"]), "transaction");

  const { status, out } = await shell.run(["doctor", "--json"], {
    env: { ...shell.env, DATABASE_URL: pooler.url },
  });

  const { checks } = JSON.parse(out) as { checks: { check: string; state: string; advice: string | null }[] };
  const found = checks.find(({ check }) => check === "sessions");
  assert.equal(found?.state, "fail");
  assert.match(found.advice ?? "", /pool_mode = session/);
  assert.notEqual(status, 0);
});

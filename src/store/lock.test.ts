import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../test/actions.ts";
import { freshDb } from "../../test/fresh.ts";
import type { DbTarget } from "./db.ts";
import { acquireLock } from "./lock.ts";
import { sql } from "./sql.ts";

/** Takes a lock that must be free. */
async function takeLock(target: DbTarget, name: string): Promise<() => Promise<void>> {
  const release = await acquireLock(target, name);
  assert.ok(release);
  return release;
}

test("an exclusive lock is refused to others until it is released", async () => {
  await using db = await freshDb();
  const release = await takeLock(db.target, "serve");

  assert.equal(await acquireLock(db.target, "serve"), undefined);
  assert.equal(await acquireLock(db.target, "serve", "shared"), undefined);
  await release();
  await (await takeLock(db.target, "serve"))();
});

test("a shared lock has several holders, and an exclusive lock is refused meanwhile", async () => {
  await using db = await freshDb();
  const [one, two] = [
    await acquireLock(db.target, "worker", "shared"),
    await acquireLock(db.target, "worker", "shared"),
  ];

  assert.ok(one && two);
  await one();
  assert.equal(await acquireLock(db.target, "worker"), undefined);
  await two();
  await (await takeLock(db.target, "worker"))();
});

test("locks with other names or in other schemas do not conflict", async () => {
  await using db = await freshDb();
  await using other = await freshDb();
  const held = [
    await acquireLock(db.target, "a"),
    await acquireLock(db.target, "b"),
    await acquireLock(other.target, "a"),
  ];

  for (const release of held) {
    assert.ok(release);
    await release();
  }
});

test("a lock whose connection is cut is held again as soon as the database is back", async () => {
  await using db = await freshDb();
  const release = await takeLock(db.target, "serve");
  const holder = async () =>
    db.query<{ pid: number }>(sql`
      select a.pid from pg_stat_activity a join pg_locks l on l.pid = a.pid and l.locktype = 'advisory'
       where a.application_name = 'shelfwire-lock-serve'
         and l.objid = (hashtextextended(current_schema() || ':serve', 0) & 4294967295)::oid`);
  const [first] = await holder();
  assert.ok(first);

  await db.query(sql`select pg_terminate_backend(${first.pid})`);
  const second = await until(
    async () => (await holder()).find(({ pid }) => pid !== first.pid),
    "the lock to be held again",
  );

  assert.notEqual(second.pid, first.pid);
  assert.equal(await acquireLock(db.target, "serve"), undefined);
  await release();
  await (await takeLock(db.target, "serve"))();
});

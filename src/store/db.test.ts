/** What a session does with its connection when its work is interrupted, and what is tried again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import type { Session } from "./db.ts";
import { prepared, sql } from "./sql.ts";

/** More than the buffers between PostgreSQL and us can hold: the COPY cannot finish unless it is read. */
const LONG_COPY = "copy (select repeat('x', 1000) from generate_series(1, 200000)) to stdout";

async function backendOf(session: Session): Promise<number> {
  const [row] = await session.query<{ pid: number }>({ text: "select pg_backend_pid() as pid", values: [] });
  return row?.pid ?? 0;
}

test("a transaction that stops reading a COPY ends at once, and its connection is closed", async () => {
  await using db = await freshDb({ isMigrated: false });
  let abandoned = 0;
  const cutShort = db.session(async (session) => {
    abandoned = await backendOf(session);
    await session.snapshot(async () => {
      for await (const _ of session.copyOut(LONG_COPY)) throw new Error("disk full");
    });
  });

  await assert.rejects(cutShort, /disk full/);

  const next = await db.session(backendOf);
  assert.notEqual(next, abandoned);
});

test("a transaction that reads a COPY to its end keeps its connection", async () => {
  await using db = await freshDb({ isMigrated: false });
  let bytes = 0;
  const first = await db.session(async (session) => {
    await session.snapshot(async () => {
      for await (const chunk of session.copyOut("copy (select 1) to stdout"))
        bytes += (chunk as Buffer).length;
    });
    return backendOf(session);
  });

  assert.equal(bytes, 2);
  assert.equal(await db.session(backendOf), first);
});

const SET_READ_ONLY = "select set_config('default_transaction_read_only', 'on', false)";

test("a connection whose server becomes read-only is closed, and the next one is used", async () => {
  await using db = await freshDb({ isMigrated: false, connections: 1 });
  const before = await db.session(backendOf);

  await db.session(async (session) => session.query({ text: SET_READ_ONLY, values: [] })).catch(() => null);

  assert.notEqual(await db.session(backendOf), before);
  await db.execute({ text: "create table public.t (x integer)", values: [] });
});

test("a statement that is refused because the database is read-only fails with database_read_only", async () => {
  await using db = await freshDb({ isMigrated: false });

  const refused = db.tx(async (tx) => {
    await tx.execute({ text: "set transaction read only", values: [] });
    await tx.execute({ text: "create table public.t (x integer)", values: [] });
  });

  await assert.rejects(refused, { code: "database_read_only", message: /read-only/ });
});

test("two transactions that lock rows in opposite order both succeed: the one that PostgreSQL cancels is tried again", async () => {
  await using db = await freshDb();
  await db.execute(sql`create table rows (id integer primary key, changes integer not null default 0)`);
  await db.execute(sql`insert into rows values (1), (2)`);
  const locked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  let calls = 0;
  const change = async (first: 0 | 1): Promise<void> =>
    db.tx(async (tx) => {
      calls += 1;
      await tx.execute(sql`update rows set changes = changes + 1 where id = ${first + 1}`);
      locked[first].resolve();
      await locked[1 - first]?.promise;
      await tx.execute(sql`update rows set changes = changes + 1 where id = ${2 - first}`);
    });

  await Promise.all([change(0), change(1)]);

  assert.equal(calls, 3);
  assert.deepEqual(await db.query(sql`select changes from rows`), [{ changes: 2 }, { changes: 2 }]);
});

test("a conflict that does not end is reported after a few tries, and any other failure at once", async () => {
  await using db = await freshDb({ isMigrated: false });
  const failing = async (code: string): Promise<number> => {
    let calls = 0;
    const raised = db.tx(async (tx) => {
      calls += 1;
      await tx.execute({
        text: `do $$ begin raise exception 'no' using errcode = '${code}'; end $$`,
        values: [],
      });
    });
    await assert.rejects(raised, { code });
    return calls;
  };

  assert.deepEqual([await failing("40001"), await failing("40P01"), await failing("23505")], [5, 5, 1]);
});

test("rows have their columns in camel case, by any statement, and what is inside of a value is left as it is", async () => {
  await using db = await freshDb({ isMigrated: false, connections: 1 });
  const statement = sql`select 1 as run_id, '{"run_id":{"source_id":2}}'::jsonb as last_stats, 3 as "isOpen", 4 as count`;
  const row = { runId: 1, lastStats: { run_id: { source_id: 2 } }, isOpen: 3, count: 4 };

  assert.deepEqual(await db.query(statement), [row]);
  const again = async () => db.first(prepared(statement, "camel_case"));
  assert.deepEqual([await again(), await again()], [row, row]);
  assert.deepEqual(await db.tx(async (tx) => tx.first(statement)), row);
});

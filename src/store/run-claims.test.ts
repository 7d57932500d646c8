/** A claim costs the same whatever one catalog has queued: measured in the pages it touches, not in seconds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { givenCatalog, givenRun } from "../../test/given.ts";
import { newId } from "../lib/id.ts";
import type { Db } from "./db.ts";
import { claimRun } from "./runs.ts";
import { sql } from "./sql.ts";

const lease = () => ({ owner: newId(), leaseMs: 60_000 });

async function enqueueMany(db: Db, catalogId: string, count: number): Promise<void> {
  await db.execute(sql`
    insert into runs (id, catalog_id, kind, state, cause, due_at)
    select gen_random_uuid(), ${catalogId}, 'sync', 'queued', 'request',
           case when i % 2 = 0 then now() + interval '1 hour' end
      from generate_series(1, ${count}::int) i`);
}

/** Blocks of `runs` and its indexes that one claim reads. */
async function pagesPerClaim(db: Db): Promise<number> {
  return db.session(async (session) => {
    const pages = async () => {
      await session.query(sql`select pg_stat_force_next_flush()`);
      await session.query(sql`select pg_stat_clear_snapshot()`);
      const [row] = await session.query<{ pages: number }>(sql`
        select (heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0))::int as pages
          from pg_statio_user_tables where relname = 'runs' and schemaname = current_schema()`);
      return row?.pages ?? 0;
    };
    const before = await pages();
    for (let i = 0; i < 5; i += 1) await claimRun(session, lease(), { kind: "sync" });
    return ((await pages()) - before) / 5;
  });
}

test("ten thousand queued syncs of one catalog make no claim slower, and other catalogs go before them", async () => {
  await using db = await freshDb();
  await db.execute(sql`alter table runs set (autovacuum_enabled = off)`);
  const [greedy, other] = [await givenCatalog(db), await givenCatalog(db)];
  await enqueueMany(db, greedy, 20);
  const few = await pagesPerClaim(db);

  await enqueueMany(db, greedy, 10_000);
  const ours = await givenRun(db, other);
  assert.equal((await claimRun(db, lease(), { kind: "sync" }))?.id, ours);
  await db.execute(sql`update runs set state = 'succeeded', finished_at = now() where state = 'running'`);
  const many = await pagesPerClaim(db);

  assert.ok(many < few * 3 + 50, `${many} pages with a backlog, ${few} without`);
});

/** The cost of a claim does not depend on the queue of one catalog: measured in pages read, not in seconds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog, seedRun } from "../../test/seed.ts";
import { newId } from "../lib/id.ts";
import { WORKER_DEFAULTS } from "../pipeline/worker.ts";
import type { Session } from "./db.ts";
import { claimRun } from "./run-claims.ts";
import { enqueueRun, JOB_KINDS } from "./runs.ts";
import { sql } from "./sql.ts";
import { isLong } from "../../test/long.ts";

const claims = { kinds: ["sync"] } as const;
const lease = () => ({ owner: newId(), leaseMs: 60_000 });

async function enqueueMany(db: Session, catalogId: string, count: number): Promise<void> {
  await db.execute(sql`
    insert into runs (id, catalog_id, kind, state, cause, due_at)
    select gen_random_uuid(), ${catalogId}, 'sync', 'queued', 'request',
           case when i % 2 = 0 then now() + interval '1 hour' end
      from generate_series(1, ${count}::int) i`);
}

/** Blocks of `runs` and its indexes that one claim reads. What a session did is counted when it says so. */
async function pagesPerClaim(db: Session): Promise<number> {
  const pages = async () => {
    await db.query(sql`select pg_stat_force_next_flush()`);
    await db.query(sql`select pg_stat_clear_snapshot()`);
    const [row] = await db.query<{ pages: number }>(sql`
      select (heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0))::int as pages
        from pg_statio_user_tables where relname = 'runs' and schemaname = current_schema()`);
    return row?.pages ?? 0;
  };
  const before = await pages();
  for (let i = 0; i < 3; i += 1) assert.ok(await claimRun(db, lease(), claims));
  return ((await pages()) - before) / 3;
}

if (isLong)
  test("ten thousand queued syncs of one catalog slow no claim down, and other catalogs come first", async () => {
    await using pool = await freshDb();
    await pool.execute(sql`alter table runs set (autovacuum_enabled = off)`);
    const [greedy, other] = [await seedCatalog(pool), await seedCatalog(pool)];
    await pool.session(async (db) => {
      const finishAll = async () =>
        db.execute(sql`update runs set state = 'succeeded', finished_at = now() where state = 'running'`);
      await enqueueMany(db, greedy, 2_500);
      const few = await pagesPerClaim(db);

      await finishAll();
      await enqueueMany(db, greedy, 10_000);
      const ours = await seedRun(pool, other);
      const [first, second] = [await claimRun(db, lease(), claims), await claimRun(db, lease(), claims)];
      assert.ok(first?.id === ours || second?.id === ours, "the other catalog's run is among the first two");
      await finishAll();
      const many = await pagesPerClaim(db);

      assert.ok(many < few * 1.5, `${many} pages with 12,500 queued, ${few} with 2,500`);
    });
  });

test("syncs that wait for a shop make room for two more of their catalog, and those that read do not", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  for (let i = 0; i < 7; i += 1)
    await enqueueRun(db, { id: newId(), catalogId, sourceId: null, kind: "sync", cause: "request" });
  const claimAll = async () => {
    let count = 0;
    while (await claimRun(db, lease(), claims)) count += 1;
    return count;
  };
  const began = async (stats: string) =>
    db.execute(sql`
      update runs set stats = ${stats}::jsonb, started_at = now() - interval '20 seconds' where state = 'running'`);
  assert.equal(await claimAll(), 3);
  await began('{"seen": 1}');
  assert.equal(await claimAll(), 0);

  await began('{"seen": 0}');
  assert.equal(await claimAll(), 2);
  await began('{"seen": 0}');
  assert.equal(await claimAll(), 0);
});

for (const kind of ["rules", "proposals", "plan"] as const) {
  test(`a catalog has one run of kind ${kind} at a time, so that a second slot is for other catalogs`, async () => {
    await using db = await freshDb();
    const [large, small] = [await seedCatalog(db), await seedCatalog(db)];
    const enqueue = async (catalogId: string) => {
      const id = newId();
      await enqueueRun(db, { id, catalogId, sourceId: null, kind, cause: "request" });
      return id;
    };
    const claim = async () => (await claimRun(db, lease(), { kinds: [kind] }))?.id;
    const first = await enqueue(large);
    assert.equal(await claim(), first);
    await enqueue(large);
    const ours = await enqueue(small);

    assert.equal(await claim(), ours);
    assert.equal(await claim(), undefined);
    assert.ok(WORKER_DEFAULTS.slots[kind] > 1);
  });
}

test("runs of every kind are claimed, and a connection plans the claim once for them", async () => {
  await using pool = await freshDb();
  const catalogId = await seedCatalog(pool);
  await pool.session(async (db) => {
    for (const kind of JOB_KINDS) {
      const id = newId();
      await enqueueRun(db, { id, catalogId, sourceId: null, kind, cause: "request" });
      assert.equal((await claimRun(db, lease()))?.id, id, kind);
    }
    // PostgreSQL plans a prepared statement five times before it compares those plans with the generic one.
    const [plans] = await db.query(sql`
      select custom_plans as "custom", generic_plans as "generic" from pg_prepared_statements where name = 'claim_run'`);
    assert.deepEqual(plans, { custom: 5, generic: JOB_KINDS.length - 5 });
  });
});

test("a claim for one run stays within the limit of its catalog, and other catalogs do not count", async () => {
  await using db = await freshDb();
  const [busy, quiet] = [await seedCatalog(db), await seedCatalog(db)];
  for (let i = 0; i < 3; i += 1) assert.ok(await claimRun(db, lease(), { only: await seedRun(db, busy) }));

  assert.equal(await claimRun(db, lease(), { only: await seedRun(db, busy) }), undefined);
  const ours = await seedRun(db, quiet);
  assert.equal((await claimRun(db, lease(), { only: ours }))?.id, ours);
});

test("a claim for one run returns the render that shows its items, whichever run has caused it", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const [other, mine] = [await seedRun(db, catalogId), await seedRun(db, catalogId)];
  const render = await seedRun(db, catalogId, { kind: "render", cause: "sync", causeRunId: other });
  await db.execute(sql`update runs set render_run_id = ${render} where id = ${mine}`);

  assert.equal((await claimRun(db, lease(), { only: mine }))?.id, mine);
  assert.equal((await claimRun(db, lease(), { only: mine }))?.id, render);
  assert.equal(await claimRun(db, lease(), { only: mine }), undefined);
});

test("a sync whose worker died waits for catalogs that have fewer running syncs", async () => {
  await using db = await freshDb();
  const [busy, quiet] = [await seedCatalog(db), await seedCatalog(db)];
  const abandoned = await seedRun(db, busy);
  assert.equal((await claimRun(db, { owner: newId(), leaseMs: -1 }, claims))?.id, abandoned);
  for (let i = 0; i < 2; i += 1) assert.ok(await claimRun(db, lease(), { only: await seedRun(db, busy) }));
  const ours = await seedRun(db, quiet);

  assert.equal((await claimRun(db, lease(), claims))?.id, ours);
  assert.equal((await claimRun(db, lease(), claims))?.id, abandoned);
});

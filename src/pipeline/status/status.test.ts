/** What a status costs: the same whatever the history, and one set of queries for any number of catalogs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../../test/fresh.ts";
import { seedCatalog, seedSource } from "../../../test/seed.ts";
import { newId } from "../../lib/id.ts";
import type { Db, Queries, Session } from "../../store/db.ts";
import { findRender, recordRender } from "../../store/renders.ts";
import { sql } from "../../store/sql.ts";
import { catalogStatus, summarizeCatalogs } from "./status.ts";
import { isLong } from "../../../test/long.ts";

const feedUrl = (_catalog: unknown, file: string) => `https://feeds.example/f/shop/token/${file}`;

/** The blocks of all tables that one connection has read so far. */
async function blocksRead(session: Session): Promise<number> {
  await session.query(sql`select pg_stat_force_next_flush()`);
  await session.query(sql`select pg_stat_clear_snapshot()`);
  const row = await session.first<{ blocks: number }>(sql`
    select sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0))::bigint as blocks
      from pg_statio_user_tables where schemaname = current_schema()`);
  return row?.blocks ?? 0;
}

async function costOf(db: Db, work: (db: Queries) => Promise<unknown>): Promise<number> {
  return db.session(async (session) => {
    await work(session);
    const before = await blocksRead(session);
    await work(session);
    return (await blocksRead(session)) - before;
  });
}

/** A published catalog with `n` syncs, renders and audits, and `n` deliveries to a failing endpoint. */
async function seedHistory(db: Db, n: number): Promise<string> {
  const catalogId = await seedCatalog(db);
  const sourceId = await seedSource(db, catalogId);
  await db.execute(sql`
    insert into items (catalog_id, id, source_id, fingerprint, sort_key, body)
    select ${catalogId}, 'i' || i, ${sourceId}::uuid, '\\x00', 'i' || i, '{}' from generate_series(1, ${n}::int) i`);
  await db.execute(sql`
    insert into runs (id, catalog_id, source_id, kind, state, cause, stats, created_at, started_at, finished_at)
    select gen_random_uuid(), ${catalogId}, case when kind = 'sync' then ${sourceId}::uuid end, kind, 'succeeded', 'sync', '{}',
           at, at, at
      from generate_series(1, ${n}::int) i, unnest(array['sync', 'render', 'audit']) kind,
           lateral (select now() - make_interval(mins => ${n}::int - i) as at)`);
  await db.execute(sql`
    insert into audits (run_id, catalog_id, base, freshness, ruleset, score, grade, items, created_at)
    select id, catalog_id, 'b', 'f', 'r', 80, 'B', ${n}::int, created_at from runs
     where catalog_id = ${catalogId} and kind = 'audit'`);
  await db.execute(sql`
    insert into sync_health (origin_id, catalog_id, run_id, finished_at, failures, success_run_id, last_success_at)
    select source_id, catalog_id, id, finished_at, 0, id, finished_at from runs
     where source_id = ${sourceId} order by created_at desc limit 1`);
  await db.execute(sql`
    insert into webhook_endpoints (catalog_id, id, url, events, secret_sealed, failing_since)
    values (${catalogId}, gen_random_uuid(), 'https://receiver.example/', '{sync.completed}', '\\x00', now())`);
  await db.execute(sql`
    insert into webhook_events select ${catalogId}, gen_random_uuid(), 'sync.completed', '{}', now()
      from generate_series(1, ${n}::int)`);
  await db.execute(sql`
    insert into webhook_deliveries (catalog_id, id, event_id, endpoint_id, state, created_at)
    select e.catalog_id, gen_random_uuid(), v.id, e.id, 'dead', now()
      from webhook_events v join webhook_endpoints e using (catalog_id) where v.catalog_id = ${catalogId}`);
  await db.execute(sql`
    insert into feed_files
    select r.id, file, gen_random_uuid(), 'x', 1, 1, 1, true, now(), ${n}::int, 0
      from (select id from runs where catalog_id = ${catalogId} and kind = 'render' order by created_at desc limit 1) r,
           unnest(array['acp.csv', 'acp.json', 'gmc.tsv', 'jsonld.json']) file`);
  await db.execute(sql`
    update catalogs c set item_count = ${n}, snapshot_at = now() - interval '1 day',
           published_run_id = (select run_id from feed_files f join runs r on r.id = f.run_id
                                where r.catalog_id = c.id limit 1),
           audit_run_id = (select run_id from audits where catalog_id = c.id order by created_at desc limit 1)
     where id = ${catalogId}`);
  return catalogId;
}

if (isLong)
  test("a status reads as much with a long history as with a short one", async () => {
    await using db = await freshDb();
    const [few, many] = [await seedHistory(db, 40), await seedHistory(db, 5_000)];
    await db.execute(sql`analyze`);
    const cost = async (id: string) => costOf(db, async (on) => catalogStatus({ db: on, feedUrl }, id));

    const [short, long] = [await cost(few), await cost(many)];

    const status = await catalogStatus({ db, feedUrl }, many);
    assert.equal(status?.items, 5_000);
    assert.equal(status.score?.history.length, 30);
    assert.deepEqual(
      status.attention.map(({ code }) => code),
      ["webhook_failing"],
    );
    assert.ok(long < 2 * short, `${short} blocks with 40 of each, ${long} with 5,000`);
  });

test("the states of many catalogs take as many queries as that of one", async () => {
  await using db = await freshDb();
  const ids = await Promise.all(Array.from({ length: 20 }, async () => seedHistory(db, 3)));
  let queries = 0;
  const counting: Queries = {
    ...db,
    query: async (statement) => {
      queries += 1;
      return db.query(statement);
    },
  };

  const one = await summarizeCatalogs({ db: counting, feedUrl }, ids.slice(0, 1));
  const forOne = queries;
  const all = await summarizeCatalogs({ db: counting, feedUrl }, ids);

  assert.equal(queries, 2 * forOne);
  assert.deepEqual([one.size, all.size], [1, 20]);
  for (const summary of all.values()) assert.deepEqual(summary, one.get(ids[0] ?? ""));
});

test("a list of attention entries is limited, and their number is shown", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  await db.execute(sql`
    insert into sources (id, catalog_id, kind, name, settings, interval_s, created_at)
    select gen_random_uuid(), ${catalogId}::uuid, 'feed_url', 'Feed ' || i, '{}', 3600, now() - interval '9 days'
      from generate_series(1, 60) i`);

  const status = await catalogStatus({ db, feedUrl }, catalogId);

  assert.deepEqual([status?.attention.length, status?.attention_count], [50, 60]);
  assert.equal(status?.attention[0]?.code, "source_stale");
});

type SeededRender = {
  readonly state: "published" | "held" | "discarded" | "superseded";
  readonly score: number;
  readonly hoursAgo: number;
};

/** Renders with their audits, as the pipeline leaves them. Returns the ids of the renders. */
async function seedRenders(db: Db, catalogId: string, renders: readonly SeededRender[]): Promise<string[]> {
  const ids: string[] = [];
  for (const { state, score, hoursAgo } of renders) {
    const [id, auditId] = [newId(), newId()];
    ids.push(id);
    const at = new Date(Date.now() - hoursAgo * 3_600_000);
    await db.execute(sql`
      insert into runs (id, catalog_id, kind, state, cause, cause_run_id, created_at, started_at, finished_at)
      values (${id}, ${catalogId}, 'render', 'succeeded', 'sync', null, ${at}, ${at}, ${at}),
             (${auditId}, ${catalogId}, 'audit', 'succeeded', 'render', ${id}, ${at}, ${at}, ${at})`);
    const render = { runId: id, catalogId, folder: newId(), figures: null, exceeded: [] };
    await recordRender(db, { ...render, state: state === "superseded" ? "held" : state });
    await db.execute(sql`
      update renders set created_at = ${at}, state = case when ${state} = 'superseded' then 'superseded' else state end
       where run_id = ${id}`);
    await db.execute(sql`
      insert into audits (run_id, catalog_id, base, freshness, ruleset, score, grade, items, created_at)
      values (${auditId}, ${catalogId}, 'b', 'f', 'r', ${score}, 'B', 1, ${at})`);
    await db.execute(sql`
      update catalogs set audit_run_id = ${auditId}, item_count = 1,
             published_run_id = case when ${state} = 'published' then ${id}::uuid else published_run_id end
       where id = ${catalogId}`);
  }
  return ids;
}

const dropOf = async (db: Db, catalogId: string): Promise<string | undefined> =>
  (await catalogStatus({ db, feedUrl }, catalogId))?.attention.find(({ code }) => code === "score_dropped")
    ?.message;

test("audits of renders that were not published neither set the alert of a fallen score nor are its reference", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);

  await seedRenders(db, catalogId, [
    { state: "published", score: 70, hoursAgo: 9 },
    { state: "superseded", score: 95, hoursAgo: 8 },
    { state: "published", score: 69, hoursAgo: 7 },
    { state: "discarded", score: 40, hoursAgo: 6 },
    { state: "held", score: 30, hoursAgo: 5 },
  ]);

  assert.equal(await dropOf(db, catalogId), undefined);
});

test("a fallen score stays an alert while better renders are held, and is one no more after a rollback", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const [good = "", , held = ""] = await seedRenders(db, catalogId, [
    { state: "published", score: 80, hoursAgo: 9 },
    { state: "published", score: 60, hoursAgo: 8 },
    { state: "held", score: 82, hoursAgo: 7 },
  ]);
  assert.equal(await dropOf(db, catalogId), "The score fell from 80 to 60 within 7 days.");

  const render = await findRender(db, held);
  assert.ok(render);
  await recordRender(db, { ...render, state: "published" });
  await db.execute(sql`update catalogs set published_run_id = ${held} where id = ${catalogId}`);
  assert.equal(await dropOf(db, catalogId), undefined);

  const [rollback = ""] = await seedRenders(db, catalogId, [{ state: "published", score: 0, hoursAgo: 0 }]);
  await db.execute(sql`delete from runs where cause_run_id = ${rollback}`);
  await db.execute(sql`update renders set restores = ${good} where run_id = ${rollback}`);
  assert.equal(await dropOf(db, catalogId), undefined);
});

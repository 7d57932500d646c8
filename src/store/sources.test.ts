import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog, seedSource } from "../../test/seed.ts";
import type { Db, Session } from "./db.ts";
import { sql } from "./sql.ts";

/** The blocks of the tables of sources that one connection has read so far. */
async function blocksRead(session: Session): Promise<number> {
  await session.query(sql`select pg_stat_force_next_flush()`);
  await session.query(sql`select pg_stat_clear_snapshot()`);
  const [row] = await session.query<{ blocks: number }>(sql`
    select sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0))::bigint as blocks
      from pg_statio_user_tables
     where relname in ('sources', 'source_counts') and schemaname = current_schema()`);
  return row?.blocks ?? 0;
}

const giveMany = async (db: Db, catalogId: string, count: number): Promise<void> => {
  await db.execute(sql`
    insert into sources (id, catalog_id, kind, name, settings, interval_s)
    select gen_random_uuid(), ${catalogId}::uuid, 'feed_url', 'Feed', '{}', 3600 from generate_series(1, ${count}::int)`);
};

test("adding a source reads as much with 8,000 sources in the catalog as with none", async () => {
  await using db = await freshDb();
  const [few, many] = [await seedCatalog(db), await seedCatalog(db)];
  await giveMany(db, many, 8_000);
  await db.session(async (session) => {
    const onSession = { ...db, ...session, session: db.session };
    const cost = async (catalogId: string): Promise<number> => {
      const before = await blocksRead(session);
      for (let i = 0; i < 20; i += 1) await seedSource(onSession, catalogId);
      return (await blocksRead(session)) - before;
    };
    const [first, second] = [await cost(few), await cost(many)];

    assert.ok(second < 2 * first, `20 sources read ${first} blocks beside none, ${second} beside 8,000`);
  });
});

test("the count of a catalog's sources is right after every way to add and remove sources", async () => {
  await using db = await freshDb();
  const [one, other] = [await seedCatalog(db), await seedCatalog(db)];
  await giveMany(db, one, 30);
  await giveMany(db, other, 5);
  await db.execute(
    sql`delete from sources where id in (select id from sources where catalog_id = ${one} limit 10)`,
  );
  await db.execute(sql`delete from catalogs where id = ${other}`);

  const counts = await db.query(sql`select catalog_id as id, count from source_counts`);

  assert.deepEqual(counts, [{ id: one, count: 20 }]);
});

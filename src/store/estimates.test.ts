/** A catalog that PostgreSQL does not know of yet is looked up by its key all the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { newId } from "../lib/id.ts";
import { insertCatalog } from "./catalogs.ts";
import type { Db } from "./db.ts";
import { correctEstimates } from "./estimates.ts";
import { sql } from "./sql.ts";

const ITEMS = 1_500;

async function newCatalog(db: Db): Promise<string> {
  const id = newId();
  const token = Buffer.from(id);
  const catalog = { id, slug: `shop-${id}`, name: "Shop", settings: {} };
  await insertCatalog(db, { ...catalog, feedTokenHash: token, feedTokenEncrypted: token });
  return id;
}

async function fill(db: Db, catalogId: string): Promise<void> {
  await db.execute(sql`
    insert into items (catalog_id, id, fingerprint, sort_key, body)
    select ${catalogId}, i, '\\x01', i, repeat(i, 50) from generate_series(1, ${ITEMS}::integer) n, cast(n as text) i`);
  await db.execute(sql`update catalogs set item_count = ${ITEMS} where id = ${catalogId}`);
}

/** Its items were added after the statistics of those of another catalog. */
async function addedCatalog(db: Db): Promise<string> {
  await fill(db, await newCatalog(db));
  await db.execute(sql`vacuum analyze items`);
  const catalogId = await newCatalog(db);
  await fill(db, catalogId);
  return catalogId;
}

/** Its items were added after a vacuum that found the pages of the table empty. */
async function refilledCatalog(db: Db): Promise<string> {
  const catalogId = await newCatalog(db);
  await db.execute(sql`alter table items set (vacuum_truncate = false)`);
  await fill(db, catalogId);
  await db.execute(sql`delete from items`);
  await db.execute(sql`vacuum analyze items`);
  await fill(db, catalogId);
  return catalogId;
}

/** Whether items are looked up by their key, one of them and several. */
async function isKeyUsed(db: Db, catalogId: string): Promise<readonly boolean[]> {
  const lookups = [["7"], Array.from({ length: 50 }, (_, at) => String(at))].map(
    (ids) =>
      sql`explain select body from items where catalog_id = ${catalogId} and id = any (${ids}::text[])`,
  );
  const plans = await Promise.all(lookups.map(async (lookup) => db.query<{ "QUERY PLAN": string }>(lookup)));
  return plans.map((lines) => lines.some((line) => line["QUERY PLAN"].includes("items_pkey")));
}

for (const [when, catalogIn] of [
  ["the last statistics", addedCatalog],
  ["a vacuum of the emptied table", refilledCatalog],
] as const)
  test(`a catalog that was filled after ${when}`, async () => {
    await using db = await freshDb();
    const catalogId = await catalogIn(db);
    const before = await isKeyUsed(db, catalogId);

    await correctEstimates(db, catalogId);

    assert.deepEqual(before, [false, false]);
    assert.deepEqual(await isKeyUsed(db, catalogId), [true, true]);
  });

test("a table that someone else has locked is left to the next run", async () => {
  await using db = await freshDb();
  const catalogId = await refilledCatalog(db);

  await db.session(async (session) =>
    session.tx(async (tx) => {
      await tx.execute(sql`lock table items in share update exclusive mode`);
      await correctEstimates(db, catalogId, 50);
    }),
  );
  const locked = await isKeyUsed(db, catalogId);
  await correctEstimates(db, catalogId);

  assert.deepEqual(locked, [false, false]);
  assert.deepEqual(await isKeyUsed(db, catalogId), [true, true]);
});

test("statistics that are right are not made again", async () => {
  await using db = await freshDb();
  const catalogId = await newCatalog(db);
  await fill(db, catalogId);
  await db.execute(sql`vacuum analyze items`);
  const unchanged: Db = { ...db, tx: async () => assert.fail("statistics were made") };

  await correctEstimates(unchanged, catalogId);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import { createTouched, joinByLookup, listToCompute, saveComputed } from "./effective-items.ts";

test("items that no longer exist do not end the list of items to compute", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  await db.execute({
    text: `insert into items (catalog_id, id, fingerprint, sort_key, body) values ($1, 'z', '\\x01', 'z', '{}')`,
    values: [catalogId],
  });

  const listed = await db.tx(async (tx) => {
    await createTouched(tx);
    await tx.execute({ text: "insert into touched values ('a'), ('b'), ('z')", values: [] });
    return listToCompute(tx, catalogId, { scope: "touched", after: "", limit: 1 });
  });

  assert.deepEqual(
    listed.map(({ id }) => id),
    ["z"],
  );
});

test("computed items of a large merge are written by lookups, not by reading all items for each batch", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  await db.execute({
    text: `insert into items (catalog_id, id, fingerprint, sort_key, body)
           select $1::uuid, 'i' || n, '\\x01', 'i' || n, '{}' from generate_series(1, 3000) n`,
    values: [catalogId],
  });
  const effective = { body: "{}", fingerprint: "02" };

  const scans = await db.tx(async (tx) => {
    // As a merge that replaces all items of a source does.
    await tx.execute({ text: "set local enable_nestloop = off", values: [] });
    await createTouched(tx);
    await joinByLookup(tx);
    for (let batch = 0; batch < 5; batch += 1) {
      const after = `i${batch}`;
      const rows = await listToCompute(tx, catalogId, { scope: "all", after, limit: 100 });
      await saveComputed(
        tx,
        catalogId,
        rows.map(({ id }) => ({ id, effective })),
      );
    }
    return tx.query<{ count: number }>({
      text: "select seq_scan as count from pg_stat_xact_user_tables where relid = 'items'::regclass",
      values: [],
    });
  });

  assert.equal(scans[0]?.count, 0);
});

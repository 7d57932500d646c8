import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import { createTouched, listToCompute } from "./effective-items.ts";

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

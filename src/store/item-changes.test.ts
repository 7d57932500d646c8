import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import type { Db } from "./db.ts";
import {
  advanceSnapshot,
  type ChangedKeys,
  changesSince,
  forgetChanges,
  joinKeys,
  MAX_LISTED,
  MAX_SNAPSHOTS,
} from "./item-changes.ts";

async function change(db: Db, id: string, changed: ChangedKeys): Promise<void> {
  await db.tx(async (tx) => advanceSnapshot(tx, id, { itemDelta: 0, changed }));
}

test("the keys since a snapshot are listed once, in the order of their bytes", async () => {
  await using db = await freshDb();
  const [id, other] = [await seedCatalog(db), await seedCatalog(db)];
  await change(db, id, ["first"]);
  await change(db, id, ["b", "\u{1F600}", "B", "b"]);
  await change(db, other, ["of another catalog"]);
  await change(db, id, ["\uFF5E", "é", "b"]);

  assert.deepEqual(await changesSince(db, id, 1), ["B", "b", "é", "\uFF5E", "\u{1F600}"]);
  assert.deepEqual(await changesSince(db, id, 3), []);
});

test("the log cannot tell about a change that was too large, or was not logged, or is not stored any more", async () => {
  await using db = await freshDb();
  const id = await seedCatalog(db);
  await change(db, id, ["a"]);
  await change(db, id, null);
  await change(db, id, ["b"]);
  const since = [];
  for (const snapshot of [0, 1, 2, 3, 4]) since.push(await changesSince(db, id, snapshot));
  // 4: the database is a restored copy from before.
  assert.deepEqual(since, [undefined, undefined, ["b"], [], undefined]);

  await db.execute({ text: "update catalogs set snapshot = snapshot + 1 where id = $1", values: [id] });
  await change(db, id, ["c"]);
  assert.deepEqual(
    [await changesSince(db, id, 2), await changesSince(db, id, 3), await changesSince(db, id, 4)],
    [undefined, undefined, ["c"]],
  );
});

test("a transaction sees the changes up to its own snapshot", async () => {
  await using db = await freshDb();
  const id = await seedCatalog(db);
  await change(db, id, ["a"]);
  await db.session(async (session) =>
    session.snapshot(async (tx) => {
      assert.deepEqual(await changesSince(tx, id, 0), ["a"]);
      await change(db, id, ["b"]);
      assert.deepEqual(await changesSince(tx, id, 0), ["a"]);
    }),
  );
  assert.deepEqual(await changesSince(db, id, 0), ["a", "b"]);
});

test("what a stored render has is forgotten, and a log never has more than its snapshots", async () => {
  await using db = await freshDb();
  const id = await seedCatalog(db);
  for (const key of ["a", "b", "c"]) await change(db, id, [key]);
  await forgetChanges(db, id, 2);
  assert.deepEqual([await changesSince(db, id, 1), await changesSince(db, id, 2)], [undefined, ["c"]]);

  const jump = "update catalogs set snapshot = $2 where id = $1";
  await db.execute({ text: jump, values: [id, 2 + MAX_SNAPSHOTS] });
  await change(db, id, ["d"]);
  const rows = await db.query({ text: "select sort_keys from item_changes", values: [] });
  assert.deepEqual(rows, [{ sortKeys: ["d"] }]);
});

test("so many keys that a list is not worthwhile are not listed", () => {
  const many = Array.from({ length: MAX_LISTED + 1 }, String);
  assert.equal(joinKeys(many, many), null);
  assert.equal(joinKeys(["a"], null), null);
  assert.deepEqual(joinKeys(["a"], ["b"]), ["a", "b"]);
});

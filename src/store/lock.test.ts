import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { holdLock } from "./lock.ts";

test("a lock held alone is refused to everyone else until it is given up", async () => {
  await using db = await freshDb();
  const release = await holdLock(db.target, "serve");

  assert.ok(release);
  assert.equal(await holdLock(db.target, "serve"), undefined);
  assert.equal(await holdLock(db.target, "serve", "shared"), undefined);
  await release();
  const again = await holdLock(db.target, "serve");
  assert.ok(again);
  await again();
});

test("a shared lock is held by many, and tells whoever asks for it alone that someone is there", async () => {
  await using db = await freshDb();
  const [one, two] = [
    await holdLock(db.target, "worker", "shared"),
    await holdLock(db.target, "worker", "shared"),
  ];

  assert.ok(one && two);
  await one();
  assert.equal(await holdLock(db.target, "worker"), undefined);
  await two();
  const alone = await holdLock(db.target, "worker");
  assert.ok(alone);
  await alone();
});

test("locks of other names and other installations are other locks", async () => {
  await using db = await freshDb();
  await using other = await freshDb();
  const held = [
    await holdLock(db.target, "a"),
    await holdLock(db.target, "b"),
    await holdLock(other.target, "a"),
  ];

  for (const release of held) {
    assert.ok(release);
    await release();
  }
});

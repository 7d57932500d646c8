import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hashText, type HashKey } from "../lib/hash-table.ts";
import { SeenTable, SharedTable } from "./key-tables.ts";

const anyWord = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 0xffffffff }));
const anyKeys = fc.array(fc.tuple(anyWord, anyWord), { maxLength: 60 });

test("the table answers as a Set does", () => {
  fc.assert(
    fc.property(anyKeys, (keys) => {
      const table = new SeenTable();
      const set = new Set<string>();

      for (const [high, low] of keys) {
        // The key of two zeros shares its place with the next one.
        const key = high === 0 && low === 0 ? "0.1" : `${high}.${low}`;
        assert.equal(table.add(high, low), set.has(key) ? "seen" : "new");
        set.add(key);
      }
    }),
  );
});

test("a table keeps its keys when it grows", () => {
  const table = new SeenTable();
  const count = 20_000;

  for (let i = 1; i <= count; i++) assert.equal(table.add(i >>> 3, i * 4), "new");
  for (let i = 1; i <= count; i++) assert.equal(table.add(i >>> 3, i * 4), "seen");
});

test("a full table adds no keys, reports it, and keeps its keys", () => {
  const table = new SeenTable(2);

  assert.deepEqual(
    [table.add(1, 1), table.add(1, 2), table.add(1, 3), table.add(1, 3), table.add(1, 1)],
    ["new", "new", "full", "full", "seen"],
  );
});

function key(text: string): HashKey {
  const made = { high: 0, low: 0 };
  hashText(text, made);
  return made;
}

test("products that share a key are counted, unless their title prefixes are the same", () => {
  const table = new SharedTable();

  const counts = [1, 2, 3, 1, 4].map((prefix) => table.count(key("logo.png"), prefix));

  assert.deepEqual(counts, [0, 1, 2, 0, 3]);
  assert.equal(table.count(key("stool.png"), 9), 0);
});

test("a shared table keeps its keys when it grows, and counts no new keys when it is full", () => {
  const table = new SharedTable(5_000);
  for (let at = 0; at < 5_000; at++) assert.equal(table.count(key(`image-${at}`), 1), 0);

  assert.equal(table.count(key("image-17"), 2), 1);
  assert.deepEqual([table.count(key("late"), 1), table.count(key("late"), 2)], [0, 0]);
});

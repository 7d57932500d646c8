import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SeenTable } from "./seen-table.ts";

const anyWord = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 0xffffffff }));
const anyKeys = fc.array(fc.tuple(anyWord, anyWord), { maxLength: 60 });

test("a table remembers what a set remembers", () => {
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

test("a table that has grown many times over still knows everything", () => {
  const table = new SeenTable();
  const count = 20_000;

  for (let i = 1; i <= count; i++) assert.equal(table.add(i >>> 3, i * 4), "new");
  for (let i = 1; i <= count; i++) assert.equal(table.add(i >>> 3, i * 4), "seen");
});

test("a full table learns nothing more, says so, and forgets nothing", () => {
  const table = new SeenTable(2);

  assert.deepEqual(
    [table.add(1, 1), table.add(1, 2), table.add(1, 3), table.add(1, 3), table.add(1, 1)],
    ["new", "new", "full", "full", "seen"],
  );
});

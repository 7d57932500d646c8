import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { HashTable, hashText } from "./hash-table.ts";
import { TextSet, TextTable } from "./text-table.ts";

const anyWord = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 0xffffffff }));
const anyKey = fc.tuple(anyWord, anyWord);
/** Up to 50,000 similar ids, so that the table grows several times. */
const manyIds = fc.tuple(fc.string({ maxLength: 8 }), fc.integer({ min: 5, max: 50_000 }));

function write(table: HashTable, [high, low]: readonly [number, number], values: readonly number[]): void {
  const found = table.find(high, low);
  const place = table.has(found) ? found : table.insert(found, high, low);
  for (const [index, value] of values.entries()) table.write(place, value, index);
}

test("the table answers as a Map does, with any number of numbers for each key", () => {
  const entries = fc.array(fc.tuple(anyKey, anyWord), { maxLength: 100 });
  fc.assert(
    fc.property(entries, fc.integer({ min: 0, max: 3 }), fc.nat(20), (added, numbers, expected) => {
      const table = new HashTable(numbers, expected);
      const map = new Map<string, readonly number[]>();
      for (const [key, value] of added) {
        const values = Array.from({ length: numbers }, (_, index) => (value + index) >>> 0);
        write(table, key, values);
        map.set(nameOf(key), values);
      }
      const places = [...table.places()];

      assert.equal(table.size, map.size);
      assert.deepEqual(
        new Map(
          places.map((place) => [
            nameOf([table.keyAt(place).high, table.keyAt(place).low]),
            Array.from({ length: numbers }, (_, index) => table.read(place, index)),
          ]),
        ),
        map,
      );
    }),
  );
});

/** The key of two zeros shares its place with the next one. */
function nameOf([high, low]: readonly [number, number]): string {
  return high === 0 && low === 0 ? "0.1" : `${high}.${low}`;
}

test("whichever of 5 to 50,000 ids is looked up, the table has it, and no other", () => {
  fc.assert(
    fc.property(manyIds, ([prefix, count]) => {
      const table = new TextTable();
      for (let i = 0; i < count; i += 1) {
        table.set(`${prefix}-${i}`, i);
        if (i % 2 === 0) table.increment(`${prefix}-${i}`);
      }
      assert.equal(table.size, count);
      for (let i = 0; i < count; i += 1) {
        assert.equal(table.get(`${prefix}-${i}`), i % 2 === 0 ? i + 1 : i);
        assert.equal(table.has(`${prefix}-${count + i}`), false);
      }
    }),
    { numRuns: 10 },
  );
});

test("keys that differ only in the first or only in the second word are found after every growth", () => {
  const table = new HashTable(1);
  const keys = Array.from({ length: 100_000 }, (_, i) =>
    i % 2 === 0 ? ([i, 7] as const) : ([7, i] as const),
  );
  for (const [i, key] of keys.entries()) write(table, key, [i]);
  // [7, 7] is there once, whichever word came last.
  const wrong = keys.filter(([high, low], i) => table.read(table.find(high, low)) !== i);
  assert.deepEqual(wrong, []);
});

test("two million similar ids have different hashes", () => {
  const ids = new TextSet();
  for (let i = 0; i < 1_000_000; i += 1) {
    ids.add(`SKU-${i}-RED`);
    ids.add(`SKU-${i}-red`);
  }
  assert.equal(ids.size, 2_000_000);
});

test("a text counts as often as it was added, and only a text that was added is in the set", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 4 })),
      fc.array(fc.string({ maxLength: 4 })),
      (added, asked) => {
        const table = new TextTable();
        const set = new TextSet();
        for (const text of added) {
          table.increment(text);
          set.add(text);
        }
        for (const text of [...added, ...asked]) {
          assert.equal(table.get(text) ?? 0, added.filter((other) => other === text).length);
          assert.equal(set.has(text), added.includes(text));
        }
      },
    ),
  );
});

test("of a text that is hashed up to a length, only its beginning counts", () => {
  const [a, b] = [
    { high: 0, low: 0 },
    { high: 0, low: 0 },
  ];
  hashText("stool, oak", a, 5);
  hashText("stool, pine", b, 5);
  assert.deepEqual(a, b);
  hashText("stool, pine", b);
  assert.notDeepEqual(a, b);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedTable } from "./shared-table.ts";
import { type Key, keyOf } from "./text-key.ts";
import { titleStem } from "./title-stem.ts";

function key(text: string): Key {
  const made = { high: 0, low: 0 };
  keyOf(text, made);
  return made;
}

test("products that share a key are counted, unless their titles begin alike", () => {
  const table = new SharedTable();

  const counts = [1, 2, 3, 1, 4].map((stem) => table.count(key("logo.png"), stem));

  assert.deepEqual(counts, [0, 1, 2, 0, 3]);
  assert.equal(table.count(key("stool.png"), 9), 0);
});

test("it remembers through growing, and counts nothing new once it is full", () => {
  const table = new SharedTable(5_000);
  for (let at = 0; at < 5_000; at++) assert.equal(table.count(key(`image-${at}`), 1), 0);

  assert.equal(table.count(key("image-17"), 2), 1);
  assert.deepEqual([table.count(key("late"), 1), table.count(key("late"), 2)], [0, 0]);
});

test("the stem of a title is its first two words after the brand", () => {
  const stem = (title: string, brand?: string) =>
    titleStem(brand === undefined ? { title } : { title, brand });

  assert.equal(stem("Runner Shoe 42"), stem("Runner shoe 43"));
  assert.notEqual(stem("Item 1"), stem("Item 2"));
  assert.notEqual(stem("Fjord & Fern Lamp", "Fjord & Fern"), stem("Fjord & Fern Stool", "Fjord & Fern"));
  assert.equal(
    stem("Fjord & Fern Oak Stool S", "Fjord & Fern"),
    stem("Fjord & Fern Oak Stool M", "Fjord & Fern"),
  );
});

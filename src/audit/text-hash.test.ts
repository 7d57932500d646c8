import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hashText } from "../lib/hash-table.ts";
import { COMPARED_LENGTH, hashTitlePrefix } from "./key-tables.ts";

function keyOf(text: string): string {
  const key = { high: 0, low: 0 };
  hashText(text, key, COMPARED_LENGTH);
  assert.ok(key.high === key.high >>> 0 && key.low === key.low >>> 0);
  return `${key.high}.${key.low}`;
}

test("texts with the same first characters have the same key", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: COMPARED_LENGTH, maxLength: COMPARED_LENGTH }),
      fc.string(),
      fc.string(),
      (opening, a, b) => {
        assert.equal(keyOf(opening + a), keyOf(opening + b));
      },
    ),
  );
});

test("texts that differ in one character have different keys", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: COMPARED_LENGTH }), fc.nat(), (text, at) => {
      const place = at % text.length;
      const changed = `${text.slice(0, place)}\u0001${text.slice(place + 1)}`;
      fc.pre(changed !== text);

      assert.notEqual(keyOf(text), keyOf(changed));
    }),
  );
});

test("thousands of similar texts have different keys", () => {
  const keys = new Set<string>();
  for (let i = 0; i < 20_000; i++) keys.add(keyOf(`The stool number ${i} is made of oak.`));

  assert.equal(keys.size, 20_000);
});

test("the prefix of a title is its first two words after the brand", () => {
  const prefix = (title: string, brand?: string) =>
    hashTitlePrefix(brand === undefined ? { title } : { title, brand });

  assert.equal(prefix("Runner Shoe 42"), prefix("Runner shoe 43"));
  assert.notEqual(prefix("Item 1"), prefix("Item 2"));
  assert.notEqual(prefix("Fjord & Fern Lamp", "Fjord & Fern"), prefix("Fjord & Fern Stool", "Fjord & Fern"));
  assert.equal(
    prefix("Fjord & Fern Oak Stool S", "Fjord & Fern"),
    prefix("Fjord & Fern Oak Stool M", "Fjord & Fern"),
  );
});

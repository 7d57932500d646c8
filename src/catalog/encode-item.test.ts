import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { decodeItem, encodeItem, type Item } from "./item.ts";
import { minimalItem } from "../../test/item.ts";

const mug = minimalItem();

test("the fingerprint is the beginning of the body's SHA-256", () => {
  const { body, fingerprint } = encodeItem(mug);

  assert.equal(fingerprint, createHash("sha256").update(body).digest("hex").slice(0, 32));
  assert.deepEqual(decodeItem(body), mug);
});

test("any change of an item changes its fingerprint", () => {
  const others: Item[] = [
    { ...mug, title: "mug" },
    { ...mug, price: { amount: "19.91", currency: "EUR" } },
    { ...mug, quantity: 0 },
    { ...mug, availability: "unknown" },
  ];

  const fingerprints = new Set([mug, ...others].map((item) => encodeItem(item).fingerprint));

  assert.equal(fingerprints.size, 5);
});

test("names of built-in object properties are normal texts", () => {
  const unusual: Item = { ...mug, title: "__proto__", options: [{ name: "constructor", value: "toJSON" }] };

  assert.deepEqual(decodeItem(encodeItem(unusual).body), unusual);
});

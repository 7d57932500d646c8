import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hashKey, newKey, parseKey } from "./api-key.ts";

test("a new key contains its handle and 256 random bits", () => {
  const { text, handle } = newKey();

  assert.match(text, /^sw_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}$/);
  assert.equal(parseKey(text), handle);
  assert.ok(43 * Math.log2(62) >= 256);
});

test("a key may have any letter and digit in its handle and after it", () => {
  const all = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  for (const one of all) {
    const handle = one.repeat(12);
    assert.equal(parseKey(`sw_${handle}_${one.repeat(43)}`), handle);
  }
});

test("no two keys have the same handle or hash", () => {
  const keys = Array.from({ length: 200 }, newKey);

  assert.equal(new Set(keys.map(({ handle }) => handle)).size, keys.length);
  assert.equal(new Set(keys.map(({ text }) => hashKey(text).toString("hex"))).size, keys.length);
});

test("a text that is not a complete key has no handle", () => {
  const { text } = newKey();

  for (const other of [
    "",
    "sw_",
    text.slice(0, -1),
    `${text}x`,
    ` ${text}`,
    `${text}\n`,
    text.toUpperCase(),
  ]) {
    assert.equal(parseKey(other), undefined, JSON.stringify(other));
  }
  fc.assert(fc.property(fc.string(), (any) => parseKey(any) === undefined));
});

test("a key that differs anywhere has another hash", () => {
  const { text } = newKey();
  fc.assert(
    fc.property(fc.nat(text.length - 1), (at) => {
      const other = `${text.slice(0, at)}!${text.slice(at + 1)}`;
      assert.equal(hashKey(other).equals(hashKey(text)), false);
    }),
  );
  assert.equal(hashKey(text).length, 32);
});

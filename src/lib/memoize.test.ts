import assert from "node:assert/strict";
import { test } from "node:test";
import { memoize } from "./memoize.ts";

/** Remembers at most `most` things, each one new; and the keys they were made for, in order. */
function counting(most: number) {
  const made: string[] = [];
  const thingOf = memoize(most, (key) => {
    made.push(key);
    return { key };
  });
  return { thingOf, made };
}

test("a result is computed once for each key", () => {
  const { thingOf, made } = counting(10);

  const first = thingOf("a");
  const other = thingOf("b");

  assert.equal(thingOf("a"), first);
  assert.equal(thingOf("b"), other);
  assert.deepEqual([first.key, other.key], ["a", "b"]);
  assert.deepEqual(made, ["a", "b"]);
});

test("up to maxEntries results are kept, and one more drops all before it", () => {
  const { thingOf, made } = counting(3);
  const keys = ["a", "b", "c"];
  for (const key of [...keys, ...keys]) thingOf(key);
  assert.deepEqual(made, keys);

  for (const key of ["d", "d", "c", "b"]) thingOf(key);

  assert.deepEqual(made, [...keys, "d", "c", "b"]);
});

test("each of many keys gets its own result", () => {
  const { thingOf } = counting(7);

  for (let at = 0; at < 1_000; at++) {
    const key = String((at * 31) % 97);
    assert.equal(thingOf(key).key, key);
    assert.equal(thingOf(key), thingOf(key));
  }
});

test("a computation that throws is tried again, and drops no other result", () => {
  let isBroken = true;
  let tries = 0;
  const thingOf = memoize(2, (key) => {
    tries += 1;
    if (key === "bad" && isBroken) throw new Error("not now");
    return { key };
  });
  const [a, b] = [thingOf("a"), thingOf("b")];

  assert.throws(() => thingOf("bad"), /not now/);
  assert.throws(() => thingOf("bad"), /not now/);

  assert.equal(thingOf("a"), a);
  assert.equal(thingOf("b"), b);
  assert.equal(tries, 4);
  isBroken = false;
  assert.equal(thingOf("bad").key, "bad");
});

test("null, false, zero and the empty text are memoized too", () => {
  for (const thing of [null, false, 0, ""]) {
    let made = 0;
    const thingOf = memoize(2, () => {
      made += 1;
      return thing;
    });

    assert.deepEqual([thingOf("a"), thingOf("a")], [thing, thing]);
    assert.equal(made, 1);
  }
});

test("a key may be any text, also the name of a property of Object.prototype", () => {
  const { thingOf } = counting(10);

  for (const key of ["", "__proto__", "constructor", "toString"]) assert.equal(thingOf(key).key, key);
});

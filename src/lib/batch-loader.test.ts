import assert from "node:assert/strict";
import { test } from "node:test";
import { batchLoader } from "./batch-loader.ts";

test("keys that are requested while a call is under way are loaded by the next one", async () => {
  const calls: (readonly string[])[] = [];
  const first = Promise.withResolvers<void>();
  const load = batchLoader<string, string>(async (keys) => {
    calls.push(keys);
    if (calls.length === 1) await first.promise;
    return new Map(keys.filter((key) => key !== "none").map((key) => [key, `${key} ${calls.length}`]));
  });

  const one = load("a");
  await Promise.resolve();
  const more = [load("a"), load("b"), load("b"), load("none")];
  first.resolve();

  assert.equal(await one, "a 1");
  assert.deepEqual(await Promise.all(more), ["a 2", "b 2", "b 2", undefined]);
  assert.deepEqual(calls, [["a"], ["a", "b", "none"]]);
});

test("a failed call fails its own keys only", async () => {
  let isDown = true;
  const load = batchLoader<string, string>(async (keys) => {
    if (isDown) throw new Error("down");
    return new Map(keys.map((key) => [key, key]));
  });
  await assert.rejects(Promise.all([load("a"), load("b")]), /down/);
  isDown = false;

  assert.equal(await load("a"), "a");
});

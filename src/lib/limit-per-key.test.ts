import assert from "node:assert/strict";
import { test } from "node:test";
import { limitPerKey } from "./limit-per-key.ts";

test("a key has at most so many tasks at a time, other keys are not concerned, and an ended task makes way", async () => {
  const limit = limitPerKey(2);
  const gate = Promise.withResolvers<string>();
  const first = limit("a", async () => gate.promise);
  const second = limit("a", async () => gate.promise);

  assert.equal(await limit("a", async () => "third"), "full");
  assert.equal(await limit("b", async () => "other"), "other");
  gate.resolve("done");
  assert.deepEqual(await Promise.all([first, second]), ["done", "done"]);
  await assert.rejects(limit("a", async () => Promise.reject(new Error("fails"))));
  assert.equal(await limit("a", async () => "again"), "again");
});

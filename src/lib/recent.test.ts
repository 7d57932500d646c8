import assert from "node:assert/strict";
import { test } from "node:test";
import { recent } from "./recent.ts";

test("who asks at the same time, or within the age, shares one computation", async () => {
  let computed = 0;
  const value = recent(async () => (computed += 1), { maxAgeMs: 60_000 });

  assert.deepEqual(await Promise.all([value(), value(), value()]), [1, 1, 1]);
  assert.equal(await value(), 1);
});

test("without an age, only those who ask at the same time share", async () => {
  let computed = 0;
  const value = recent(async () => (computed += 1), { maxAgeMs: 0 });

  assert.deepEqual(await Promise.all([value(), value()]), [1, 1]);
  assert.equal(await value(), 2);
});

test("a failure is not kept", async () => {
  let computed = 0;
  const value = recent(
    async () => {
      computed += 1;
      if (computed === 1) throw new Error("no");
      return computed;
    },
    { maxAgeMs: 60_000 },
  );

  await assert.rejects(Promise.all([value(), value()]));
  assert.equal(await value(), 2);
});

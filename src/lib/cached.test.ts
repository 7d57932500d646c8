import assert from "node:assert/strict";
import { test } from "node:test";
import { cached } from "./cached.ts";

test("concurrent callers, and callers within the age, share one computation", async () => {
  let computed = 0;
  const value = cached(async () => (computed += 1), { maxAgeMs: 60_000 });

  assert.deepEqual(await Promise.all([value(), value(), value()]), [1, 1, 1]);
  assert.equal(await value(), 1);
});

test("without an age, only concurrent callers share", async () => {
  let computed = 0;
  const value = cached(async () => (computed += 1), { maxAgeMs: 0 });

  assert.deepEqual(await Promise.all([value(), value()]), [1, 1]);
  assert.equal(await value(), 2);
});

test("a failure is not cached", async () => {
  let computed = 0;
  const value = cached(
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

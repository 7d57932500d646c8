import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { assertAll } from "../../../test/assert-cases.ts";
import { costOf, waitForPoints } from "./query-cost.ts";

test("a query that the bucket has points for does not wait", () => {
  assert.equal(waitForPoints(100, { available: 100, restoreRate: 50 }, 0), 0);
});

test("a query that costs more than there is waits for the missing points", () => {
  assert.equal(waitForPoints(300, { available: 100, restoreRate: 100 }, 0), 2_000);
  assert.equal(waitForPoints(300, { available: 100, restoreRate: 100 }, 1_500), 500);
});

test("after the wait the points suffice, and no wait is longer than necessary", () => {
  const amount = fc.integer({ min: 0, max: 2_000 });
  fc.assert(
    fc.property(
      amount,
      amount,
      fc.integer({ min: 1, max: 2_000 }),
      fc.integer({ min: 0, max: 60_000 }),
      (cost, available, restoreRate, elapsed) => {
        const wait = waitForPoints(cost, { available, restoreRate }, elapsed);
        const then = available + (restoreRate * (elapsed + wait)) / 1_000;

        assert.ok(then >= cost - 1e-6);
        if (wait > 0) assert.ok(then - restoreRate / 1_000 <= cost + 1e-6);
      },
    ),
  );
});

test("an answer that does not state points causes no wait", () => {
  assertAll(costOf, null, [null, "text", {}, { extensions: { cost: {} } }]);
  assert.equal(waitForPoints(300, { available: 0, restoreRate: 0 }, 0), 0);
});

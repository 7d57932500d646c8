import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nextStep } from "./deliver.ts";

const endedAt = new Date("2026-03-01T12:00:00.123Z");
const success = { error: null, endedAt };
const failure = { error: "timeout", endedAt } as const;

test("the delays after failures are those of the contract, to the millisecond, and then the delivery is dead", () => {
  const delays = [0, 1, 2, 3, 4].map((failures) => {
    const step = nextStep(failure, failures);
    return step.state === "pending" ? step.nextAttemptAt.getTime() - endedAt.getTime() : step.state;
  });

  assert.deepEqual(delays, [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000]);
  assert.deepEqual(nextStep(failure, 5), { state: "dead", nextAttemptAt: null });
});

test("a success ends the schedule at any point, and it ends after any number of failures", () => {
  fc.assert(
    fc.property(fc.nat(), (failures) => {
      assert.deepEqual(nextStep(success, failures), { state: "delivered", nextAttemptAt: null });
      assert.equal(nextStep(failure, failures).state, failures < 5 ? "pending" : "dead");
    }),
  );
});

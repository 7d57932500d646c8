import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nextStep } from "./schedule.ts";

const endedAt = new Date("2026-03-01T12:00:00.123Z");

test("the delays after failures are those of the contract, to the millisecond, and then the delivery is dead", () => {
  const delays = [0, 1, 2, 3, 4].map((failures) => {
    const step = nextStep(false, { failures, endedAt });
    return step.state === "pending" ? step.nextAttemptAt.getTime() - endedAt.getTime() : step.state;
  });

  assert.deepEqual(delays, [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000]);
  assert.deepEqual(nextStep(false, { failures: 5, endedAt }), { state: "dead" });
});

test("a success ends the schedule wherever it stands, and no number of failures makes it go on for ever", () => {
  fc.assert(
    fc.property(fc.nat(), (failures) => {
      assert.deepEqual(nextStep(true, { failures, endedAt }), { state: "delivered" });
      assert.equal(nextStep(false, { failures, endedAt }).state, failures < 5 ? "pending" : "dead");
    }),
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nextStep } from "./deliver.ts";

const success = { error: null };
const failure = { error: "timeout" } as const;

test("the delays after failures are those of the contract, and then the delivery is dead", () => {
  const delays = [0, 1, 2, 3, 4].map((failures) => nextStep(failure, failures).retryInS);

  assert.deepEqual(delays, [60, 300, 1_800, 7_200, 43_200]);
  assert.deepEqual(nextStep(failure, 5), { state: "dead", retryInS: null });
});

test("a success ends the schedule at any point, and it ends after any number of failures", () => {
  fc.assert(
    fc.property(fc.nat(), (failures) => {
      assert.deepEqual(nextStep(success, failures), { state: "delivered", retryInS: null });
      assert.equal(nextStep(failure, failures).state, failures < 5 ? "pending" : "dead");
    }),
  );
});

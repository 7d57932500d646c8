import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { GOOGLE_LENGTH, LARGER_WEIGHT } from "./fields.ts";
import { convert } from "./composite-values.ts";

test("lengths are converted to centimeters or inches exactly", () => {
  assert.deepEqual(convert("7", GOOGLE_LENGTH.mm), { value: "0.7", unit: "cm" });
  assert.deepEqual(convert("0.05", GOOGLE_LENGTH.m), { value: "5", unit: "cm" });
  assert.deepEqual(convert("2.25", GOOGLE_LENGTH.ft), { value: "27", unit: "in" });
  assert.deepEqual(convert("10.50", GOOGLE_LENGTH.in), { value: "10.50", unit: "in" });
});

test("a weight in its larger unit is the same weight", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000_000 }), (ounces) => {
      const { value } = convert(String(ounces), LARGER_WEIGHT.oz);
      return Number(value) * 16 === ounces;
    }),
  );
});

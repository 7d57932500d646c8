import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseDecimal, parseInteger, roundHalfUp, scaled, shiftDecimal, unscaled } from "./decimal.ts";
import { assertCases } from "../../test/assert-cases.ts";

test("every spelling of a decimal gives the same text", () => {
  assertCases(parseDecimal, [
    ["1.5", "1.5"],
    ["1,5", "1.5"],
    ["1.50", "1.5"],
    ["001.0", "1"],
    [".5", "0.5"],
    ["0", "0"],
    ["0.000", "0"],
    ["1.250", "1.25"],
    ["0,250", "0.25"],
    ["1,250", undefined],
    ["1,2,3", undefined],
    ["-1", undefined],
    ["1e3", undefined],
    ["", undefined],
    [".", undefined],
    ["1.", undefined],
    ["9".repeat(1_000_000), undefined],
  ]);
});

test("with a known decimal mark, three digits after the other mark are a group of thousands", () => {
  assert.equal(parseDecimal("1,250", "."), "1250");
  assert.equal(parseDecimal("1,250", ","), "1.25");
  assert.equal(parseDecimal("1.250", ","), "1250");
  assert.equal(parseDecimal("1.250", "."), "1.25");
  assert.equal(parseDecimal("1.25", ","), "1.25");
});

test("whole numbers are read with a sign and without a fraction", () => {
  const cases: [string, number | undefined][] = [
    ["12", 12],
    ["012", 12],
    ["+3", 3],
    ["-3", -3],
    ["-0", 0],
    ["12.0", 12],
    ["26.067,00", 26_067],
    ["-2,301.0", -2301],
    ["1.234.567,00", 1_234_567],
    ["26.067", undefined],
    ["26.067,50", undefined],
    ["26.067.00", undefined],
    ["12.5", undefined],
    ["1e3", undefined],
    ["ten", undefined],
    ["", undefined],
    ["9999999999", undefined],
  ];

  for (const [text, expected] of cases) assert.ok(Object.is(parseInteger(text), expected), text);
});

test("shifting the decimal point and shifting it back gives the same number", () => {
  const decimals = fc
    .tuple(fc.nat(), fc.nat({ max: 999_999 }))
    .map(([whole, fraction]) => parseDecimal(`${whole}.${fraction}`, ".") ?? "");

  fc.assert(
    fc.property(decimals, fc.integer({ min: -6, max: 6 }), (value, places) => {
      const moved = shiftDecimal(value, places);
      assert.equal(shiftDecimal(moved, -places), value);
      assert.equal(Number(moved), Number(`${value}e${places}`));
    }),
  );
});

test("halves are rounded up, to exactly the requested decimals", () => {
  assertCases(roundHalfUp, [
    ["19.995", 2, "20.00"],
    ["19.9949999", 2, "19.99"],
    ["0.005", 2, "0.01"],
    ["1.005", 2, "1.01"],
    ["12", 2, "12.00"],
    ["12.5", 0, "13"],
    ["99.5", 0, "100"],
    ["12.34", 4, "12.3400"],
    ["-1.5", 0, "-1.5"],
    ["1,5", 0, "1,5"],
    ["", 2, ""],
  ]);
});

test("a rounded number differs by at most half of its last digit", () => {
  fc.assert(
    fc.property(fc.nat({ max: 10 ** 9 }), fc.nat({ max: 6 }), fc.nat({ max: 6 }), (digits, scale, places) => {
      const value = shiftDecimal(String(digits), -scale);
      const rounded = roundHalfUp(value, places);
      assert.ok(
        Math.abs(Number(rounded) - Number(value)) <= 0.5 * 10 ** -places + 1e-9,
        `${value} ${rounded}`,
      );
      assert.equal(roundHalfUp(rounded, places), rounded);
    }),
  );
});

test("a scaled number is exact and can be scaled back", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n - 1n }), fc.nat({ max: 12 }), (amount, places) => {
      assert.equal(scaled(unscaled(amount, places), places), amount);
    }),
  );
  assert.equal(scaled("16.66679", 4), 166_667n);
  for (const other of ["", "-1", "1,5", "1.", ".5", "1e3"]) assert.equal(scaled(other, 2), undefined);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Checked } from "./checked.ts";
import { LENGTH_UNITS, type Measure, WEIGHT_UNITS } from "./item.ts";
import { areComparable, parseLength, parseQuantityMeasure, parseWeight } from "./measure.ts";
import { assertAll, assertCases } from "../../test/assert-cases.ts";

function stated(measure: Checked<Measure>): string {
  return measure.kind === "valid" ? `${measure.value.value} ${measure.value.unit}` : measure.reason;
}

test("weights are read with their unit, however it is spelled", () => {
  const weight = (text: string, unit?: string) => stated(parseWeight(text, { unit }));
  assertAll(weight, "1.5 kg", ["1.5 kg", "1,5kg"]);
  assert.equal(weight("2 Kilograms"), "2 kg");
  assert.equal(weight("12 LBS."), "12 lb");
  assert.equal(weight("250 mg"), "0.25 g");
  assert.equal(weight("1.2 t"), "1200 kg");
  for (const unit of ["g", "GRAMS"]) assert.equal(weight("350", unit), "350 g");
  assert.equal(weight("3 oz", "kg"), "3 oz");
  assert.equal(weight("350", "bananas"), "unknown_unit");
  assert.equal(weight("350"), "missing_unit");
  assertAll(weight, "zero", ["0 kg", "0"]);
  assertAll(weight, "unknown_unit", ["350 stones", "2 lb 3 oz", "1 constructor"]);
  assertAll(weight, "not_a_measure", ["1,250 g", "-1 kg", "heavy", "", `1 ${"k".repeat(1_000_000)}`]);
  assert.equal(stated(parseWeight("1,250 g", { decimalMark: "." })), "1250 g");
  assert.equal(stated(parseWeight("1,250 kg", { decimalMark: "," })), "1.25 kg");
});

test("inches and feet are recognized by their signs", () => {
  assertCases(
    (text) => stated(parseLength(text, {})),
    [
      ['12"', "12 in"],
      ["12″", "12 in"],
      ["12 inches", "12 in"],
      ["6'", "6 ft"],
      ["20 cm", "20 cm"],
      ["2 dm", "20 cm"],
      ["1.5 Meter", "1.5 m"],
      ["300 mm", "300 mm"],
      ["10 x 20 x 30 cm", "unknown_unit"],
      ["1 kg", "unknown_unit"],
    ],
  );
});

test("quantities of unit prices are read with or without a space", () => {
  assertCases(
    (text) => stated(parseQuantityMeasure(text)),
    [
      ["750ml", "750 ml"],
      ["1.5 kg", "1.5 kg"],
      ["100 g", "100 g"],
      ["0,75 l", "0.75 l"],
      ["12 fl. oz", "12 floz"],
      ["12 fl oz", "12 floz"],
      ["2 m²", "2 sqm"],
      ["6 pcs", "6 ct"],
      ["75cl", "75 cl"],
      ["750", "missing_unit"],
    ],
  );
});

test("a unit price needs two quantities of one kind", () => {
  assert.ok(areComparable({ value: "750", unit: "ml" }, { value: "1", unit: "l" }));
  assert.ok(areComparable({ value: "1", unit: "kg" }, { value: "100", unit: "g" }));
  assert.ok(!areComparable({ value: "750", unit: "ml" }, { value: "1", unit: "kg" }));
  assert.ok(!areComparable({ value: "1", unit: "m" }, { value: "1", unit: "sqm" }));
});

test("a formatted measure is read back unchanged", () => {
  const decimals = fc
    .tuple(fc.integer({ min: 1 }), fc.nat({ max: 99 }))
    .map(([whole, part]) => `${whole}.${part}1`);

  fc.assert(
    fc.property(
      decimals,
      fc.constantFrom(...WEIGHT_UNITS),
      fc.constantFrom(...LENGTH_UNITS),
      (value, weight, length) => {
        assert.equal(stated(parseWeight(`${value} ${weight}`, { decimalMark: "." })), `${value} ${weight}`);
        assert.equal(stated(parseLength(`${value} ${length}`, { decimalMark: "." })), `${value} ${length}`);
      },
    ),
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { median, percentile } from "./statistics.ts";
import { markdownTable, type Row } from "./table.ts";

const cellsOf = (row: Row): readonly string[] =>
  (markdownTable([row]).split("\n")[2] ?? "").split("|").map((cell) => cell.trim());
const row: Row = { what: "sync", items: 100_000, figure: "6.74 s" };

test("a target is compared with the median ratio, and a missed one is marked", () => {
  const target = { sign: "≥", value: 0.5 } as const;
  assert.equal(cellsOf({ ...row, ratios: [0.1, 0.5, 0.9], target }).at(-2), "yes");
  assert.equal(cellsOf({ ...row, ratios: [0.1, 0.49, 0.9], target }).at(-2), "**no**");
  assert.equal(cellsOf({ ...row, ratios: [0.36], target: { sign: "≤", value: 0.35 } }).at(-2), "**no**");
});

test("if a figure is given, it is compared instead of the ratio", () => {
  const target = { sign: "≤", value: 512, unit: " MB" } as const;
  assert.equal(cellsOf({ ...row, ratios: [9_999], target, judged: 511 }).at(-2), "yes");
  assert.equal(cellsOf({ ...row, target, judged: 513 }).at(-2), "**no**");
});

test("several rounds show their spread", () => {
  assert.ok(cellsOf({ ...row, ratios: [0.2, 0.3, 0.4] }).includes("0.30 × (0.20–0.40)"));
});

test("without a target there is no verdict, and every row has all its cells", () => {
  assert.equal(cellsOf(row).at(-2), "–");
  const widths = markdownTable([row, { ...row, ratios: [1] }])
    .trimEnd()
    .split("\n")
    .map((line) => line.split("|").length);
  assert.equal(new Set(widths).size, 1);
});

test("a percentile is one of the numbers, and that share of them does not exceed it", () => {
  const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 });
  fc.assert(
    fc.property(numbers, fc.double({ min: 0, max: 1, noNaN: true }), (measured, share) => {
      const value = percentile(measured, share);
      const notAbove = measured.filter((one) => one <= value).length;
      return measured.includes(value) && notAbove >= measured.length * share;
    }),
  );
  assert.equal(median([3, 1, 2]), 2);
});

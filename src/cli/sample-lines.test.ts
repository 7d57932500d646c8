import assert from "node:assert/strict";
import { test } from "node:test";
import { minimalItem } from "../../test/item.ts";
import type { Sampled } from "../pipeline/sync/sample.ts";
import { sampleLines } from "./sample-lines.ts";

const ITEM = minimalItem({ id: "a", price: { amount: "5.00", currency: "USD" }, availability: "unknown" });
const NO_BRAND = { code: "missing_brand", count: 2, message: "No brand. Set one." };
const NO_STOCK = { code: "unknown_availability", count: 1, message: "No availability." };

test("refusals of the files come last, and the same refusal of two files is listed once", () => {
  const sampled: Sampled = {
    probe: null,
    format: null,
    items: [ITEM, { ...ITEM, id: "b" }],
    rejections: [],
    warnings: [],
    suggestion: null,
    effect: { added: ["a", "b"], changed: [], unchanged: [], deleted: [] },
    cleared: [],
    feeds: [
      { file: "acp.csv", written: 2, excluded: 0, refused: 2, reasons: [NO_BRAND] },
      { file: "acp.json", written: 2, excluded: 0, refused: 2, reasons: [NO_BRAND] },
      { file: "gmc.tsv", written: 1, excluded: 1, refused: 0, reasons: [NO_STOCK] },
      { file: "jsonld.json", written: 2, excluded: 0, refused: 0, reasons: [] },
    ],
    isWhole: false,
  };

  assert.deepEqual(sampleLines(sampled).slice(-5), [
    "2 good, 0 rejected, 0 warnings in the first rows.",
    "acp.csv, acp.json: 2 of 2 items would be refused.",
    "  2 × missing_brand: No brand. Set one.",
    "gmc.tsv: 1 of 2 items would be refused or left out.",
    "  1 × unknown_availability: No availability.",
  ]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { minimalItem } from "../../test/item.ts";
import type { Sampled } from "../pipeline/sync/sample.ts";
import { sampleLines } from "./sample-lines.ts";

const ITEM = minimalItem({ id: "a", price: { amount: "5.00", currency: "USD" }, availability: "unknown" });
const NO_BRAND = { code: "missing_brand", count: 2, message: "No brand. Set one." };
const NO_STOCK = { code: "unknown_availability", count: 1, message: "No availability." };

test("exclusions of the files come last, and the same exclusion of two files is listed once", () => {
  const sampled: Sampled = {
    probe: null,
    format: null,
    items: [ITEM, { ...ITEM, id: "b" }],
    rejections: [],
    warnings: [],
    suggestion: null,
    effect: { added: ["a", "b"], changed: [], unchanged: [], deleted: [] },
    feeds: [
      { file: "acp.csv", written: 0, excluded: 2, reasons: [NO_BRAND] },
      { file: "acp.json", written: 0, excluded: 2, reasons: [NO_BRAND] },
      { file: "gmc.tsv", written: 1, excluded: 1, reasons: [NO_STOCK] },
      { file: "jsonld.json", written: 2, excluded: 0, reasons: [] },
    ],
    isWhole: false,
  };

  assert.deepEqual(sampleLines(sampled).slice(-5), [
    "2 good, 0 rejected, 0 warnings in the first rows.",
    "acp.csv, acp.json: 0 of 2 items would be written.",
    "  2 excluded: No brand. Set one. (missing_brand)",
    "gmc.tsv: 1 of 2 items would be written.",
    "  1 excluded: No availability. (unknown_availability)",
  ]);
});

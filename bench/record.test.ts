import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { SaxesParser } from "saxes";
import { shareChart, sizeChart, withRun } from "./record.ts";
import type { BenchResult } from "./result.ts";

const RESULT: BenchResult = {
  at: "2026-11-16T07:00:00.000Z",
  node: "v26.10.0",
  cores: 2,
  processor: "A & B <fast>",
  load: [0.1, 2],
  sizes: [
    { items: 1_000, sync: 200, render: 180, changed: 400 },
    { items: 100_000, sync: 100, render: 117, changed: 20 },
  ],
  shares: {
    items: 100_000,
    firstMs: 20_000,
    pushMs: 900,
    costs: [
      { share: 0, ms: 900 },
      { share: 0.01, ms: 2_000 },
      { share: 1, ms: 21_000 },
    ],
  },
  rows: [{ what: "sync", items: 1_000, figure: "1 s" }],
};

test("the page has a place for the run, and recording again replaces it", async () => {
  const page = await readFile(join(import.meta.dirname, "../docs/performance.md"), "utf8");

  const once = withRun(page, RESULT);

  assert.match(once, /2026-11-16: 2 cores/);
  assert.match(once, /\| sync \| 1,000 \| 1 s \|/);
  assert.equal(withRun(once, RESULT), once);
});

test("the charts are well-formed, with a line and a name for each series and no point outside", () => {
  for (const [svg, names] of [
    [sizeChart(RESULT), ["first sync", "render, 4 feeds", "cycle, 1 % changed"]],
    [shareChart(RESULT.shares ?? assert.fail()), ["this cycle", "first cycle"]],
  ] as const) {
    new SaxesParser().write(svg).close();
    for (const name of names) assert.ok(svg.includes(`>${name}</text>`), name);
    assert.match(svg, /prefers-color-scheme: dark/);
    const numbers = [...svg.matchAll(/ (?:cx|cy|x|y)="([^"]*)"/g)].map(([, value]) => Number(value));
    assert.ok(numbers.every((value) => value >= 0 && value <= 640));
  }
});

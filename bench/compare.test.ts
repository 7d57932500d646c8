import assert from "node:assert/strict";
import { test } from "node:test";
import { compareRows } from "./compare.ts";
import type { Row } from "./table.ts";

const row = (more: Partial<Row>): Row => ({ what: "sync", items: 1_000, figure: "1 s", ...more });
const verdicts = (before: Partial<Row>, after: Partial<Row>) =>
  compareRows([row(before)], [row(after)]).changes.map(({ verdict }) => verdict);

test("a ratio that moves in the wrong direction by more than the tolerance is worse", () => {
  const faster = { better: "higher" } as const;
  assert.deepEqual(verdicts({ ...faster, ratios: [1] }, { ...faster, ratios: [0.7] }), ["worse"]);
  assert.deepEqual(verdicts({ ...faster, ratios: [1] }, { ...faster, ratios: [0.8] }), ["same"]);
  assert.deepEqual(verdicts({ ...faster, ratios: [1] }, { ...faster, ratios: [1.4] }), ["better"]);
  const cheaper = { better: "lower" } as const;
  assert.deepEqual(verdicts({ ...cheaper, ratios: [1] }, { ...cheaper, ratios: [1.4] }), ["worse"]);
  assert.deepEqual(verdicts({ ...cheaper, ratios: [1] }, { ...cheaper, ratios: [0.7] }), ["better"]);
});

test("without a direction the target has it", () => {
  const target = { sign: "≤", value: 512, unit: " MB" } as const;
  assert.deepEqual(verdicts({ target, judged: 300 }, { target, judged: 450 }), ["worse"]);
  assert.deepEqual(verdicts({ target, judged: 300 }, { target, judged: 310 }), ["same"]);
});

test("rounds that overlap are no difference", () => {
  const better = "higher";
  assert.deepEqual(verdicts({ better, ratios: [0.6, 1, 1.1] }, { better, ratios: [0.5, 0.6, 0.7] }), [
    "same",
  ]);
  assert.deepEqual(verdicts({ better, ratios: [0.9, 1, 1.1] }, { better, ratios: [0.5, 0.6, 0.7] }), [
    "worse",
  ]);
});

test("rows are compared by what they measure, at which size and against what; missing ones are named", () => {
  const before = [
    row({ ratios: [1] }),
    row({ items: 10_000, ratios: [1] }),
    row({ against: "nginx", ratios: [1] }),
  ];
  const after = [row({ ratios: [1] }), row({ items: 10_000, ratios: [0.1] })];

  const { changes, missing } = compareRows(before, after);

  assert.deepEqual(
    changes.map(({ name, verdict }) => [name, verdict]),
    [
      ["sync, 1,000 items", "same"],
      ["sync, 10,000 items", "worse"],
    ],
  );
  assert.deepEqual(missing, ["sync, 1,000 items, against nginx"]);
});

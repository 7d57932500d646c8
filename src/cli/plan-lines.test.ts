/** What a dry run says about the score, with and without its ceiling. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlanFigures } from "../contract/plans.ts";
import { figureLines } from "./plan-lines.ts";

const figures = (more: Partial<PlanFigures>): PlanFigures => ({
  items: 48,
  files: {},
  score: 69,
  grade: "D",
  points: "1424/20",
  ceiling: { limit: 69, reason: "12 of 48 items are refused by a channel (25 %)." },
  findings: {},
  ...more,
});

test("points that a ceiling hides are named with the ceiling and its reason", () => {
  const [score, ceiling] = figureLines({
    before: figures({}),
    after: figures({ points: "1457/20" }),
    gain: 1.65,
  });

  assert.equal(score, "Score 69 → 69 (+1.65 points before the ceiling)");
  assert.equal(
    ceiling,
    "The score is at most 69: 12 of 48 items are refused by a channel (25 %). Without this ceiling: 71.20 → 72.85.",
  );
});

test("a ceiling that the change lifts is named, and one that limits nothing is not", () => {
  const lifted = figureLines({
    before: figures({}),
    after: figures({ score: 72, points: "1457/20", ceiling: null }),
    gain: 1.65,
  });
  assert.match(lifted[1] ?? "", /^The score was at most 69: /);

  const low = figureLines({
    before: figures({ score: 50, points: "1000/20" }),
    after: figures({ score: 51, points: "1020/20" }),
    gain: 1,
  });
  assert.equal(low[0], "Score 50 → 51 (+1.00 points)");
  assert.doesNotMatch(low.join("\n"), /ceiling|at most/);
});

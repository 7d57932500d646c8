/** What a dry run says about the score. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlanFigures } from "../contract/plans.ts";
import { figureLines } from "./plan-lines.ts";

const figures = (more: Partial<PlanFigures>): PlanFigures => ({
  items: 48,
  files: {},
  score: 69,
  grade: "D",
  points: "1388/20",
  ceiling: { limit: 75, reason: "12 of 48 items are refused by a channel (25 %)." },
  findings: {},
  ...more,
});

test("a gain of less than a point shows beside the score", () => {
  const [score] = figureLines({ before: figures({}), after: figures({ points: "1397/20" }), gain: 0.45 });

  assert.equal(score, "Score 69 → 69 (+0.45 points)");
});

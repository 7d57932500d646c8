/** Which problems the audit page lists as the first to fix. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstFixes } from "../../console/src/first-fixes.ts";

const rule = (id: string, figures: { gain?: number; lost?: number; refused?: number }) => ({
  id,
  gain: 0,
  lost: 0,
  refused: 0,
  ...figures,
});
const listed = (...given: Parameters<typeof firstFixes>) => firstFixes(...given).map(({ id }) => id);

test("the best gains come first in order, and problems for which items are refused follow them", () => {
  const gaining = [9, 6, 3, 3, 3, 3, 2].map((gain, at) => rule(`gains-${at}`, { gain, lost: gain }));
  const rules = [
    ...gaining,
    rule("refuses-1", { gain: 1, refused: 2 }),
    rule("refuses-0", { refused: 1 }),
    rule("critical, but nothing is refused", { lost: 0.1 }),
  ];
  const order = "gains-0 gains-1 gains-2 gains-3 gains-4 refuses-1 refuses-0";
  assert.deepEqual(listed({ rules, refusals: null }), order.split(" "));
  const first = rule("refuses and gains", { gain: 10, refused: 4 });
  assert.deepEqual(listed({ rules: [first, ...gaining], refusals: null }).slice(0, 2), [first.id, "gains-0"]);
  assert.equal(listed({ rules: [first, ...gaining], refusals: null }).length, 5, "it is listed once");
});

test("if no fix gains anything, the problems that cost most are listed, without those that limit the score", () => {
  const rules = [
    ...[1, 7, 3, 2, 5, 6, 4].map((lost) => rule(`costs-${lost}`, { lost })),
    rule("free", {}),
    rule("limits", { lost: 8, refused: 3 }),
  ];
  const most = ["costs-7", "costs-6", "costs-5", "costs-4"];
  assert.deepEqual(listed({ rules, refusals: { gain: 12, rules: ["limits"] } }), [...most, "costs-3"]);
  assert.deepEqual(listed({ rules, refusals: { gain: 0, rules: ["limits"] } }), ["limits", ...most]);
});

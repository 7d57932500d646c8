/** `score_if_fixed` must be the score after the fix. Expected scores are computed by a slow reference implementation. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCatalog } from "./any-catalog.fixture.ts";
import { openAudit } from "./audit.ts";
import { catalogScope } from "./audit-scope.ts";
import { FAIL, PASS, type Outcome } from "./outcome.ts";
import { type Catalog, describe, groupsOf, item, patched, PERFECT, STOOL } from "./perfect.fixture.ts";
import type { RejectedRows } from "./audit-context.ts";
import type { AuditReport } from "./report.ts";
import { type Format, FORMATS, type ItemRule } from "./rule.ts";
import { ITEM_RULES } from "./ruleset.ts";
import { CatalogTables } from "./catalog-tables.ts";
import { ItemScore } from "./item-score.ts";

/** By item, then by rule. */
type Outcomes = readonly (readonly Outcome[])[];

function outcomesOf({ context, items }: Catalog): Outcomes {
  const scope = catalogScope(context, new CatalogTables());
  const score = new ItemScore();
  return groupsOf(items).flatMap((group) => {
    scope.startGroup(group);
    return group.items.map((one) => {
      score.evaluate(one, scope.contextOf(one));
      return score.results.map(({ outcome }) => outcome);
    });
  });
}

const LIMITS = [
  [50, 59],
  [20, 69],
  [5, 79],
  [1, 89],
] as const;

/** The score in fractions over one large denominator, item by item. */
function slowScore(outcomes: Outcomes, rejected: number): number {
  const total = outcomes.length + rejected;
  if (total === 0) return 0;
  const one = Array.from({ length: 100 }, (_, i) => BigInt(i + 1)).reduce((a, b) => a * b, 1n);
  let kept = 0n;
  let refused = rejected;
  for (const item of outcomes) {
    let [stake, earned] = [0n, 0n];
    let isRefused = false;
    for (const [at, outcome] of item.entries()) {
      const { points, blocks } = ITEM_RULES[at] ?? { points: 0, blocks: [] };
      if (outcome < 0) continue;
      stake += 12n * BigInt(points);
      earned += BigInt(outcome * points);
      if (outcome === FAIL && blocks.length > 0) isRefused = true;
    }
    kept += (100n * 12n * one * earned) / stake;
    if (isRefused) refused++;
  }
  const raw = Number(kept / (12n * one * BigInt(total)));
  const [, limit = 100] = LIMITS.find(([percent]) => refused * 100 > total * percent) ?? [];
  return Math.min(raw, limit);
}

const fixing = (outcomes: Outcomes, isFixed: (rule: ItemRule, outcome: Outcome) => boolean): Outcomes =>
  outcomes.map((all) =>
    all.map((outcome, at) => {
      const rule = ITEM_RULES[at];
      return rule !== undefined && outcome >= 0 && isFixed(rule, outcome) ? PASS : outcome;
    }),
  );

const rejectedRows = (count: number): RejectedRows => ({
  count,
  reasons: [{ code: "missing_price", rows: count, message: "The item has no price." }],
  examples: [{ item_id: null, message: "Row 7: The item has no price." }],
});

function report({ context, items }: Catalog, rejected = 0): AuditReport {
  const audit = openAudit({ ...context, rejected: rejectedRows(rejected) });
  for (const group of groupsOf(items)) audit.group(group);
  return audit.finish();
}

const anyRejected = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 8 }));

test("fixing a rule on every item gives exactly the announced score", () => {
  fc.assert(
    fc.property(anyCatalog, anyRejected, (catalog, rejected) => {
      const { rules, score } = report(catalog, rejected);
      const outcomes = outcomesOf(catalog);
      assert.equal(score, slowScore(outcomes, rejected));

      for (const { id, score_if_fixed, gain } of rules) {
        const isRejection = id === "eligibility.rejected";
        const fixed = fixing(outcomes, (rule) => rule.id === id);
        assert.equal(score_if_fixed, slowScore(fixed, isRejection ? 0 : rejected), id);
        assert.equal(gain, score_if_fixed - score, id);
      }
    }),
    { numRuns: 30 },
  );
});

test("fixing all refusals, of one channel or of all, gives exactly the announced score", () => {
  fc.assert(
    fc.property(anyCatalog, anyRejected, (catalog, rejected) => {
      const { refusals, formats, score, blocked } = report(catalog, rejected);
      const outcomes = outcomesOf(catalog);
      const without = (refuses: (rule: ItemRule) => boolean): number =>
        slowScore(
          fixing(outcomes, (rule, outcome) => outcome === FAIL && refuses(rule)),
          0,
        );

      assert.equal(refusals?.items ?? 0, blocked + rejected);
      if (refusals !== null)
        assert.equal(
          refusals.score_if_fixed,
          without(({ blocks }) => blocks.length > 0),
        );
      for (const { id, refusals: own, ready, total } of formats) {
        assert.equal(own?.items ?? 0, total - ready);
        if (own === null) continue;
        const after = without(({ blocks }) => blocks.includes(id));
        assert.deepEqual([own.score_if_fixed, own.gain], [after, after - score], id);
      }
    }),
    { numRuns: 30 },
  );
});

test("rules are sorted by what fixing them brings", () => {
  fc.assert(
    fc.property(anyCatalog, anyRejected, (catalog, rejected) => {
      const gains = report(catalog, rejected).rules.map(({ gain }) => gain);

      assert.deepEqual(
        gains,
        gains.toSorted((a, b) => b - a),
      );
    }),
    { numRuns: 20 },
  );
});

test("a channel never scores higher than its share of items that are ready, and 0 when none is", () => {
  fc.assert(
    fc.property(anyCatalog, anyRejected, (catalog, rejected) => {
      for (const { score, ready, total } of report(catalog, rejected).formats)
        assert.ok(total === 0 ? score === 0 : score * total <= 100 * ready, `${score}: ${ready} of ${total}`);
    }),
    { numRuns: 20 },
  );
  const { formats } = report({
    ...PERFECT,
    items: PERFECT.items.map((one) => patched(one, { brand: undefined })),
  });
  assert.deepEqual([formats[0]?.id, formats[0]?.ready, formats[0]?.score], ["acp", 0, 0]);
});

/** Good items, so that a few refusals limit the score. */
function stools(count: number): Catalog {
  const items = Array.from({ length: count }, (_, i) =>
    patched(STOOL, {
      id: `stool-${i}`,
      gtin: undefined,
      identifierExists: false,
      categories: undefined,
      description: describe(`Stool number ${i}`),
      link: `https://shop.example/stool-${i}`,
      images: [1, 2, 3].map((view) => `https://cdn.shop.example/stool-${i}-${view}.jpg`),
    }),
  );
  return { ...PERFECT, items };
}

const mutated = [
  item("stool-0", { brand: undefined }),
  item("stool-1", { images: undefined }),
  item("stool-2", { price: { amount: "0.00", currency: "EUR" } }),
].reduce((catalog, mutate) => mutate(catalog), stools(40));

test("under the ceiling, rules that refuse items come first, and the report has the gain of fixing all of them", () => {
  const { score, summary, rules, refusals } = report(mutated);

  assert.equal(score, 79);
  assert.equal(summary, "79 (C). It would be 98, but 3 of 40 items are refused by a channel.");
  assert.deepEqual(
    rules.slice(0, 4).map(({ id, gain }) => [id, gain]),
    [
      ["eligibility.image", 10],
      ["eligibility.price", 10],
      ["eligibility.brand", 10],
      ["class.product_type", 0],
    ],
  );
  assert.deepEqual([refusals?.items, refusals?.gain, refusals?.score_if_fixed], [3, 19, 98]);
});

test("a rejected row has no points and is refused by every channel", () => {
  const { score, grade, items, rejected, raw, formats, rules, dimensions, summary } = report(PERFECT, 6);

  assert.deepEqual([score, grade, items, rejected, raw], [50, "F", 6, 6, 50]);
  assert.equal(summary, "50 (F). 6 of 12 rows could not be stored.");
  for (const format of formats) assert.deepEqual([format.ready, format.total, format.score], [6, 12, 50]);
  const [first] = rules;
  assert.deepEqual(
    [first?.id, first?.lost, first?.items, first?.gain, first?.score_if_fixed],
    ["eligibility.rejected", 50, 6, 50, 100],
  );
  assert.equal(first?.message, "6 of 12 rows could not be stored. The item has no price. (6 rows)");
  assert.deepEqual(first?.examples, [
    { item_id: null, earned: "0/12", message: "Row 7: The item has no price." },
  ]);
  assert.equal(dimensions[0]?.lost, 50);
});

test("the summary says when no row could be stored", () => {
  const { score, grade, summary } = report({ ...PERFECT, items: [] }, 9);

  assert.deepEqual([score, grade, summary], [0, "F", "0 (F). None of 9 rows could be stored."]);
});

test("rejected rows limit the score as refused items do", () => {
  const { score, ceiling, summary } = report(stools(97), 3);

  assert.deepEqual([score, ceiling?.limit], [89, 89]);
  assert.equal(ceiling?.reason, "3 of 100 rows could not be stored (3 %).");
  assert.equal(summary, "89 (B). It would be 95, but 3 of 100 rows could not be stored.");
  const both = report(mutated, 4);
  assert.equal(
    both.ceiling?.reason,
    "Of 44 items 3 are refused by a channel and 4 could not be stored (15.9 %).",
  );
});

test("every format has a rule that makes it refuse items", () => {
  for (const format of Object.keys(FORMATS) as Format[])
    assert.ok(ITEM_RULES.some(({ blocks }) => blocks.includes(format)));
});

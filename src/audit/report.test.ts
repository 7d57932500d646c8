import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCatalog, auditAll } from "./any-catalog.fixture.ts";
import { openAudit } from "./audit.ts";
import { describe, item, patched, PERFECT, STOOL } from "./perfect.fixture.ts";
import { completedData } from "./report.ts";
import { decodeVerdict } from "./verdict.ts";

const sum = (numbers: readonly number[]) => Math.round(numbers.reduce((a, b) => a + 100 * b, 0)) / 100;
const total = (numbers: readonly bigint[]) => numbers.reduce((a, b) => a + b, 0n);

/** A common denominator of all possible losses. */
const D = 12n * Array.from({ length: 100 }, (_, i) => BigInt(i + 1)).reduce((a, b) => a * b, 1n);

/** The raw score from the verdicts, as a fraction over D × items. */
function rawFrom(verdicts: readonly Uint8Array[], items: number): bigint {
  let raw = 100n * D * BigInt(items);
  for (const verdict of verdicts) {
    const { stake, findings } = decodeVerdict(verdict);
    for (const { points, earned } of findings)
      raw -= (100n * BigInt(points) * BigInt(12 - earned) * D) / (12n * BigInt(stake));
  }
  return raw;
}

test("the raw score is exactly the mean of the items' scores", () => {
  fc.assert(
    fc.property(anyCatalog, (catalog) => {
      const { report, verdicts } = auditAll(catalog);
      const items = catalog.items.length;
      fc.pre(items > 0);

      const raw = rawFrom(
        verdicts.map(({ encoded }) => encoded),
        items,
      );
      assert.equal(BigInt(report.exact.raw) * D * BigInt(items), raw * BigInt(report.exact.denominator));
    }),
    { numRuns: 30 },
  );
});

test("raw score and losses add up to 100, both as fractions and as shown", () => {
  fc.assert(
    fc.property(anyCatalog, (catalog) => {
      const { report } = auditAll(catalog);
      fc.pre(report.items > 0);

      const lost = total(Object.values(report.exact.lost).map(BigInt));
      assert.equal(lost + BigInt(report.exact.raw), 100n * BigInt(report.exact.denominator));
      assert.equal(sum(report.rules.map((rule) => rule.lost)), sum([100, -report.raw]));
      assert.equal(sum(report.dimensions.map((dimension) => dimension.lost)), sum([100, -report.raw]));
      assert.equal(sum(report.dimensions.map(({ stake }) => stake)), 100);
    }),
    { numRuns: 30 },
  );
});

test("every rule counts every item as judged, unknown or not applicable", () => {
  fc.assert(
    fc.property(anyCatalog, (catalog) => {
      const { report, verdicts } = auditAll(catalog);

      for (const { id, judged, unknown, not_applicable, items, examples } of report.rules) {
        const rows = id === "eligibility.rejected" ? report.items + report.rejected : report.items;
        assert.equal(judged + unknown + not_applicable, rows);
        assert.ok(items <= judged && examples.length <= items);
      }
      const findings = verdicts.flatMap(({ encoded }) => decodeVerdict(encoded).findings);
      const aboutItems = report.rules.filter(({ message }) => message === null);
      assert.equal(
        findings.length,
        aboutItems.reduce((count, { items }) => count + items, 0),
      );
    }),
    { numRuns: 20 },
  );
});

test("the score is the raw score under the ceiling, cut and never rounded up", () => {
  fc.assert(
    fc.property(anyCatalog, (catalog) => {
      const { report } = auditAll(catalog);

      const limit = report.ceiling?.limit ?? 100;
      assert.equal(report.score, Math.min(Math.floor(report.raw), limit));
      assert.ok(Number.isInteger(report.score));
    }),
    { numRuns: 20 },
  );
});

test("a report is the same after JSON, and the same catalog has the same report", () => {
  fc.assert(
    fc.property(anyCatalog, (catalog) => {
      const { report, verdicts } = auditAll(catalog);

      assert.deepEqual(JSON.parse(JSON.stringify(report)), report);
      assert.deepEqual(auditAll(catalog), { report, verdicts });
    }),
    { numRuns: 15 },
  );
});

test("fixing a rule on all items brings exactly its cost, unless other rules begin to apply", () => {
  const mutated = ["lamp", "oil", "stool"].reduce(
    (catalog, id) => item(id, { categories: undefined })(catalog),
    PERFECT,
  );
  const { report } = auditAll(mutated);

  const fixed = auditAll(PERFECT).report;
  const cost = report.rules.find(({ id }) => id === "class.product_type")?.lost ?? 0;
  assert.ok(cost > 0);
  assert.equal(sum([report.raw, cost]), fixed.raw);
});

test("the ready count of a format is the number of items that no rule makes it refuse", () => {
  const mutated = [
    item("lamp", { brand: undefined }),
    item("oil", { availability: "unknown", quantity: undefined }),
    item("stool", { images: undefined }),
  ].reduce((catalog, mutate) => mutate(catalog), PERFECT);

  const { report } = auditAll(mutated);

  assert.deepEqual(
    report.formats.map(({ id, ready, total }) => [id, ready, total]),
    [
      ["acp", 4, 6],
      ["gmc", 4, 6],
      ["jsonld", 5, 6],
    ],
  );
  assert.equal(report.blocked, 3);
});

test("a finding for one format does not change the scores of the others", () => {
  const { report } = auditAll(item("lamp", { expiresAt: "2026-11-14T00:00:00.000Z" })(PERFECT));

  const scores = Object.fromEntries(report.formats.map(({ id, score }) => [id, score]));
  assert.deepEqual([scores["acp"], scores["jsonld"]], [100, 100]);
  assert.equal(scores["gmc"], 83, "five of six items are ready");
});

test("refused items limit the score when they are more than one percent", () => {
  const scored = (blocked: number, items: number) => {
    const audit = openAudit(PERFECT.context);
    for (let i = 0; i < items; i++) {
      const one = patched(STOOL, {
        id: `stool-${i}`,
        gtin: undefined,
        identifierExists: false,
        brand: i < blocked ? undefined : STOOL.brand,
        description: describe(`Stool number ${i}`),
        link: `https://shop.example/stool-${i}`,
        images: [1, 2, 3].map((view) => `https://cdn.shop.example/stool-${i}-${view}.jpg`),
      });
      audit.group({ groupId: null, items: [one], isWhole: true });
    }
    const { score, grade, ceiling } = audit.finish();
    return [score, grade, ceiling?.limit ?? null];
  };

  assert.deepEqual(scored(1, 100), [99, "A", null]);
  assert.deepEqual(scored(2, 100), [89, "B", 89]);
  assert.deepEqual(scored(5, 100), [89, "B", 89]);
  assert.deepEqual(scored(6, 100), [79, "C", 79]);
  assert.deepEqual(scored(21, 100), [69, "D", 69]);
  assert.deepEqual(scored(51, 100), [59, "F", 59]);
});

test("the ceiling has a reason with the number of refused items", () => {
  const { report } = auditAll(item("stool", { brand: undefined })(PERFECT));

  assert.deepEqual(report.ceiling, {
    limit: 79,
    reason: "1 of 6 items is refused by a channel (16.6 %).",
  });
  assert.equal(report.summary, "79 (C). It would be 99, but 1 of 6 items is refused by a channel.");
});

test("an empty catalog has score 0 and grade F, with a reason", () => {
  const { report, verdicts } = auditAll({ ...PERFECT, items: [] });

  assert.deepEqual([report.score, report.grade, report.items], [0, "F", 0]);
  assert.equal(report.summary, "0 (F). The catalog has no items.");
  assert.equal(report.ceiling?.reason, "The catalog has no items.");
  assert.ok(report.rules.every(({ lost, items }) => lost === 0 && items === 0));
  assert.ok(report.dimensions.every(({ score }) => score === null));
  assert.deepEqual(verdicts, []);
});

test("a rule has the first twenty items with findings as examples", () => {
  const audit = openAudit(PERFECT.context);
  for (let i = 0; i < 30; i++) {
    const one = patched(STOOL, { id: `s${i}`, brand: undefined });
    audit.group({ groupId: null, items: [one], isWhole: true });
  }

  const rule = audit.finish().rules.find(({ id }) => id === "eligibility.brand");
  assert.equal(rule?.items, 30);
  assert.deepEqual(
    rule?.examples.map((example) => example.item_id),
    Array.from({ length: 20 }, (_, i) => `s${i}`),
  );
});

test("unknown and not applicable are counted separately, and cost nothing", () => {
  const { report } = auditAll({
    ...PERFECT,
    context: { ...PERFECT.context, freshness: { lastSyncAt: null, intervalS: 3_600 } },
  });

  const sync = report.rules.find(({ id }) => id === "fresh.sync");
  const published = report.rules.find(({ id }) => id === "fresh.published");
  assert.deepEqual([sync?.unknown, sync?.judged], [6, 0]);
  assert.deepEqual([published?.not_applicable, published?.judged], [6, 0]);
  assert.equal(report.coverage.unknown, 6);
  assert.equal(report.score, 100);
});

test("the completed event has score, grade, previous score and number of items", () => {
  const { report } = auditAll(PERFECT);

  assert.deepEqual(completedData(report, 84), {
    catalog_score: 100,
    grade: "A",
    previous_score: 84,
    items: 6,
  });
});

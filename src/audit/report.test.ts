import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCatalog, auditAll } from "./any-catalog.fixture.ts";
import { openAudit } from "./audit.ts";
import { describe, item, type Patch, patched, PERFECT, STOOL } from "./perfect.fixture.ts";
import { completedData } from "./report.ts";
import { FORMATS } from "./rule.ts";
import { ruleByNumber } from "./ruleset.ts";
import { decodeVerdict } from "./verdict.ts";

const sum = (numbers: readonly number[]) => Math.round(numbers.reduce((a, b) => a + 100 * b, 0)) / 100;
const total = (numbers: readonly bigint[]) => numbers.reduce((a, b) => a + b, 0n);

/** A common denominator of all possible losses. */
const D = 240n * Array.from({ length: 100 }, (_, i) => BigInt(i + 1)).reduce((a, b) => a * b, 1n);

/** The raw score from the verdicts, as a fraction over D × items. */
function rawFrom(verdicts: readonly Uint8Array[], items: number): bigint {
  let raw = 100n * D * BigInt(items);
  for (const verdict of verdicts) {
    const { stake, findings } = decodeVerdict(verdict);
    const refusing = findings.filter(({ earned }) => earned === 0).map(({ number }) => ruleByNumber(number));
    const formats = new Set(refusing.flatMap((rule) => rule?.blocks ?? []));
    const refused = BigInt([...formats].reduce((sum, format) => sum + FORMATS[format].weight, 0));
    raw -= (100n * refused * D) / 20n;
    for (const { points, earned } of findings)
      raw -=
        (100n * BigInt(points) * BigInt(12 - earned) * (20n - refused) * D) / (12n * 20n * BigInt(stake));
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

test("the score is the raw score, cut and never rounded up, and never above the ceiling", () => {
  fc.assert(
    fc.property(anyCatalog, (catalog) => {
      const { report } = auditAll(catalog);

      const limit = report.ceiling?.limit ?? 100;
      assert.equal(report.score, Math.floor(report.raw));
      assert.ok(report.score <= limit);
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
    item("stool", { link: "http://localhost/stool" }),
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

/** Every channel refuses it. */
const PRIVATE = { images: ["https://localhost/1.jpg", "https://a.example/2.jpg", "https://a.example/3.jpg"] };

/** Good items, the first of which have a fault. */
function scored(without: number, fault: Patch, items = 100) {
  const audit = openAudit(PERFECT.context);
  for (let i = 0; i < items; i++) {
    const one = patched(STOOL, {
      id: `stool-${i}`,
      gtin: undefined,
      identifierExists: false,
      description: describe(`Stool number ${i}`),
      link: `https://shop.example/stool-${i}`,
      images: [1, 2, 3].map((view) => `https://cdn.shop.example/stool-${i}-${view}.jpg`),
      ...(i < without && fault),
    });
    audit.group({ groupId: null, items: [one], isWhole: true });
  }
  return audit.finish();
}

test("an item that every channel refuses weighs like a lost item", () => {
  const { score, grade, formats, ceiling, rules, refusals, summary } = scored(50, PRIVATE);

  assert.deepEqual([score, grade], [50, "F"]);
  assert.deepEqual(
    formats.map((format) => format.score),
    [50, 50, 50],
  );
  assert.deepEqual(ceiling, { limit: 50, reason: "50 of 100 items are refused by a channel (50 %)." });
  assert.deepEqual([rules[0]?.id, rules[0]?.gain, refusals?.gain], ["eligibility.public_host", 50, 50]);
  assert.equal(summary, "50 (F). 50 of 100 items are refused by a channel.");
});

test("an item that one channel refuses weighs as much as that channel", () => {
  const { score, formats, ceiling, rules } = scored(100, { brand: undefined });

  assert.deepEqual(
    [score, ceiling?.limit, ...formats.map(({ ready }) => ready)],
    [53, 55, 0, 100, 100],
    "OpenAI is 45 of 100",
  );
  assert.deepEqual([rules[0]?.id, rules[0]?.gain], ["eligibility.brand", 47]);
});

test("a catalog of which nothing can be listed has at most 10", () => {
  for (const fault of [PRIVATE, { images: undefined }, { description: undefined }]) {
    const { score, ceiling } = scored(40, fault, 40);
    assert.ok(score <= 10 && (ceiling?.limit ?? 100) <= 10, `${Object.keys(fault).join()}: ${score}`);
  }
});

test("the summary names what makes a channel refuse every item", () => {
  assert.equal(
    scored(40, PRIVATE, 40).summary,
    "0 (F). OpenAI, Google Merchant Center and Google merchant listings (JSON-LD) refuse every item: Link or image cannot be opened from the internet.",
  );
});

test("a missing seller name, for which OpenAI refuses every item, is named first", () => {
  const { sellerName: _, ...settings } = PERFECT.context.settings;
  const items = PERFECT.items.map((one) => patched(one, { gtin: undefined, mpn: undefined }));
  const { report } = auditAll({ context: { ...PERFECT.context, settings }, items });

  assert.equal(report.rules[0]?.id, "eligibility.seller_name");
  assert.equal(
    report.summary,
    `${report.score} (${report.grade}). OpenAI refuses every item: Seller name is not set.`,
  );
  assert.deepEqual(
    report.formats.map(({ ready }) => ready),
    [0, items.length, items.length],
  );
  assert.ok(report.rules[0].refused === items.length && report.rules[0].gain > 30);
});

test("the score is at most the mean share of items that the channels accept", () => {
  fc.assert(
    fc.property(anyCatalog, (catalog) => {
      const { report } = auditAll(catalog);
      fc.pre(report.items > 0);

      const accepted = report.formats.reduce((sum, { id, ready }) => sum + FORMATS[id].weight * ready, 0);
      assert.ok(report.score <= (5 * accepted) / report.items);
      assert.equal(report.ceiling?.limit ?? 100, Math.floor((5 * accepted) / report.items));
    }),
    { numRuns: 30 },
  );
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

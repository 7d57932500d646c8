/**
 * `score_if_fixed` must be the score after the fix. Expected scores are computed by a slow reference implementation.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../../test/long.ts";
import { anyCatalog } from "./any-catalog.fixture.ts";
import { openAudit } from "./audit.ts";
import { catalogScope } from "./audit-scope.ts";
import { FAIL, PASS, type Outcome } from "./outcome.ts";
import {
  type PerfectCatalog,
  describe,
  groupsOf,
  item,
  type Patch,
  patched,
  PERFECT,
  STOOL,
} from "./perfect.fixture.ts";
import type { RejectedRows } from "./audit-context.ts";
import type { AuditReport } from "./report.ts";
import { type AuditFormat, FORMATS, type ItemRule } from "./rule.ts";
import { ITEM_RULES } from "./ruleset.ts";
import { CatalogTables } from "./catalog-tables.ts";
import { ItemScore } from "./item-score.ts";
import type { Item } from "../catalog/item.ts";
import { gtin } from "./calibration-shop.fixture.ts";
import { ruleNumbersOf } from "./verdict.ts";

/** By item, then by rule. */
type Outcomes = readonly (readonly Outcome[])[];

function outcomesOf({ context, items }: PerfectCatalog): Outcomes {
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

/** The score in fractions over one large denominator, item by item. */
function slowScore(outcomes: Outcomes, rejected: number): number {
  const total = outcomes.length + rejected;
  if (total === 0) return 0;
  const one = Array.from({ length: 100 }, (_, i) => BigInt(i + 1)).reduce((a, b) => a * b, 1n);
  let kept = 0n;
  for (const item of outcomes) {
    let [stake, earned] = [0n, 0n];
    const refusing = new Set<AuditFormat>();
    for (const [at, outcome] of item.entries()) {
      const { points, blocks } = ITEM_RULES[at] ?? { points: 0, blocks: [] };
      if (outcome < 0) continue;
      stake += 12n * BigInt(points);
      earned += BigInt(outcome * points);
      if (outcome === FAIL) for (const format of blocks) refusing.add(format);
    }
    const accepted = 20 - [...refusing].reduce((sum, format) => sum + FORMATS[format].weight, 0);
    kept += (100n * 12n * one * earned * BigInt(accepted)) / stake;
  }
  return Number(kept / (20n * 12n * one * BigInt(total)));
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

function report({ context, items }: PerfectCatalog, rejected = 0): AuditReport {
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
function stools(count: number): PerfectCatalog {
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

test("rules that refuse items come first, and the report has the gain of fixing all of them", () => {
  const { score, summary, rules, refusals } = report(mutated);

  assert.equal(score, 92);
  assert.equal(summary, "92 (A). 3 of 40 items are refused by a channel.");
  assert.deepEqual(
    rules.slice(0, 4).map(({ id, gain }) => [id, gain]),
    [
      ["eligibility.price", 2],
      ["eligibility.image", 2],
      ["class.product_type", 1],
      ["eligibility.brand", 1],
    ],
  );
  assert.deepEqual([refusals?.items, refusals?.gain, refusals?.score_if_fixed], [3, 6, 98]);
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

  assert.deepEqual([score, ceiling?.limit], [95, 97]);
  assert.equal(ceiling?.reason, "3 of 100 rows could not be stored (3 %).");
  assert.equal(summary, "95 (A). 3 of 100 rows could not be stored.");
  const both = report(mutated, 4);
  assert.equal(
    both.ceiling?.reason,
    "Of 44 items 3 are refused by a channel and 4 could not be stored (15.9 %).",
  );
});

/** Ways to fix a rule on an item, from poor to good. `number` differs for every item. */
type Way = (item: Item, number: number, group: readonly Item[]) => Patch;

const imagesOf = (number: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, view) => `https://cdn.shop.example/new-${number}-${view}.jpg`);
const newLink: Way = (_, number) => ({ link: `https://shop.example/new-${number}` });
const newGtin: Way = (_, number) => ({ gtin: gtin("4006382", number), barcode: undefined });
const newText: Way = (_, number) => ({ description: describe(`${number} times the new text`) });
const newImages: Way = (_, number) => ({ images: imagesOf(number, 3) });
const newPrice: Way = () => ({ price: { amount: "59.00", currency: "EUR" }, salePrice: undefined });
const SOON = "2026-12-01T00:00:00.000Z";

const newAddresses: Way = (one, number, group) => ({
  ...newLink(one, number, group),
  ...newImages(one, number, group),
});

const WAYS: Readonly<Record<string, readonly Way[]>> = {
  "eligibility.description": [(_, number) => ({ description: `Text ${number} is short.` }), newText],
  "eligibility.link": [newLink],
  "eligibility.link_domain": [newLink],
  "eligibility.public_host": [newAddresses],
  "eligibility.url_length": [newAddresses],
  "eligibility.image": [(_, number) => ({ images: imagesOf(number, 1) }), newImages],
  "eligibility.image_placeholder": [
    ({ images = [] }, number) => ({ images: [...imagesOf(number, 1), ...images.slice(1)] }),
    newImages,
  ],
  "eligibility.price": [newPrice],
  "eligibility.subscription_price": [newPrice],
  "eligibility.availability": [
    () => ({ availability: "in_stock" }),
    () => ({ availability: "backorder", availabilityDate: undefined }),
  ],
  "eligibility.brand": [
    (_, __, group) => ({ brand: group.find(({ brand }) => brand !== undefined)?.brand ?? "Fjellgarn" }),
  ],
  "identity.gtin_valid": [newGtin],
  "identity.gtin_unique": [newGtin],
  "identity.gtin_check_digit": [newGtin],
  "identity.identifier_present": [newGtin, () => ({ identifierExists: false })],
  "offer.sale_below_price": [() => ({ salePrice: undefined, saleTo: undefined })],
  "offer.stock_consistent": [({ availability }) => ({ quantity: availability === "in_stock" ? 3 : 0 })],
  "offer.availability_date": [() => ({ availabilityDate: SOON })],
  "content.description_depth": [newText],
  "content.description_unique": [newText],
  "content.images_extra": [({ images = [] }, number) => ({ images: [...images, ...imagesOf(number, 2)] })],
  "class.category": [() => ({ googleCategory: "443" }), () => ({ googleCategory: "212" })],
  "class.apparel": [
    (_, number) => ({ color: "Red", size: `${30 + number}`, gender: "unisex", ageGroup: "adult" }),
  ],
  "class.attributes": [
    (_, number) => ({
      condition: "new",
      material: `Oak ${number}`,
      weight: { value: "1", unit: "kg" },
      details: [{ name: "Origin", value: "Norway" }],
    }),
  ],
  "class.product_type": [() => ({ categories: [["Home"]] })],
  "fresh.expiry": [() => ({ expiresAt: undefined }), () => ({ expiresAt: SOON })],
};

const numberOf = (id: string): number => ITEM_RULES.find((rule) => rule.id === id)?.number ?? 0;

function fixedBy(way: Way, id: string, catalog: PerfectCatalog): PerfectCatalog {
  const audit = openAudit(catalog.context);
  const verdicts = groupsOf(catalog.items).flatMap((group) => audit.group(group));
  const found = new Set(
    verdicts
      .filter(({ encoded }) => ruleNumbersOf(encoded).includes(numberOf(id)))
      .map(({ itemId }) => itemId),
  );
  const items = catalog.items.map((one, at) => {
    const group =
      one.groupId === undefined ? [] : catalog.items.filter((other) => other.groupId === one.groupId);
    return found.has(one.id) ? patched(one, way(one, at, group)) : one;
  });
  return { ...catalog, items };
}

const itemsWith = (rules: AuditReport["rules"], id: string) => rules.find((rule) => rule.id === id)?.items;

test("a fix that is applied gains what was announced for it", () => {
  fc.assert(
    fc.property(anyCatalog, (catalog) => {
      const { rules, score } = report(catalog);
      for (const { id, gain_min, gain_max, gain } of rules) {
        assert.ok(gain_min <= gain && gain <= gain_max, id);
        for (const way of WAYS[id] ?? []) {
          const after = report(fixedBy(way, id, catalog));
          if (itemsWith(after.rules, id) !== 0) continue;
          const gained = after.score - score;
          assert.ok(
            gain_min <= gained && gained <= gain_max,
            `${id}: +${gained}, announced ${gain_min} to ${gain_max}`,
          );
        }
      }
    }),
    { numRuns: cases(150) },
  );
});

test("a gain is exact if no other rule depends on what is fixed", () => {
  for (const patch of [{ categories: undefined }, { images: imagesOf(1, 2) }]) {
    const { rules, score } = report(item("stool", patch)(PERFECT));
    const [first] = rules;
    assert.ok(first && first.gain > 0);
    assert.deepEqual([first.gain_min, first.gain_max], [first.gain, first.gain]);
    assert.equal(report(PERFECT).score, score + first.gain);
  }
});

test("every format has a rule that makes it refuse items", () => {
  for (const format of Object.keys(FORMATS) as AuditFormat[])
    assert.ok(ITEM_RULES.some(({ blocks }) => blocks.includes(format)));
});

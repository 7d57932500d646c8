import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCatalog, auditAll } from "./any-catalog.fixture.ts";
import { auditItem } from "./audit-item.ts";
import { item, PERFECT, STOOL } from "./perfect.fixture.ts";

const SIBLINGS = PERFECT.items.filter(({ groupId }) => groupId === "tee");

function siblingsOf(items: typeof PERFECT.items, groupId: string | undefined) {
  return items.filter((one) => groupId !== undefined && one.groupId === groupId);
}

test("auditItem with siblings and stored verdict has the score and findings of the whole audit", () => {
  fc.assert(
    fc.property(anyCatalog, (catalog) => {
      const { verdicts } = auditAll(catalog);

      for (const one of catalog.items) {
        const stored = verdicts.find(({ itemId }) => itemId === one.id);
        const siblings = siblingsOf(catalog.items, one.groupId);
        const report = auditItem(one, catalog.context, { siblings, verdict: stored?.encoded ?? null });
        const found = report.rules.filter(({ outcome }) => outcome === "failed" || outcome === "partial");
        assert.equal(found.length, stored === undefined ? 0 : (stored.encoded.length - 1) / 2);
        assert.equal(report.score, stored?.score ?? 100);
      }
    }),
    { numRuns: 30 },
  );
});

test("a finding has a message, its cost, the formats that refuse the item, and advice", () => {
  const [stool = STOOL] = item("stool", { brand: undefined })(PERFECT).items.filter(
    ({ id }) => id === "stool",
  );

  const { rules, blocks, grade } = auditItem(stool, PERFECT.context);

  const [finding] = rules;
  assert.equal(finding?.id, "eligibility.brand");
  assert.equal(finding?.outcome, "failed");
  assert.equal(finding?.earned, "0/12");
  assert.equal(finding?.severity, "critical");
  assert.equal(finding?.message, "The item has no brand.");
  assert.ok((finding?.lost ?? 0) > 45, "the share of OpenAI, and points with the others");
  assert.deepEqual([finding?.blocks, blocks, grade], [["acp"], ["acp"], "F"]);
});

test("an item that earns some points of a critical rule is refused by no format", () => {
  const report = auditItem(
    { ...STOOL, brand: "Generic", title: "Generic stool of solid oak, oiled" },
    PERFECT.context,
  );

  const [finding] = report.rules;
  assert.deepEqual([finding?.outcome, finding?.severity, report.blocks], ["partial", "major", []]);
});

test("rules that compare with the catalog are unknown for a single item", () => {
  const { rules, score } = auditItem(STOOL, PERFECT.context);

  const unknown = rules.filter(({ outcome }) => outcome === "unknown").map(({ id }) => id);
  assert.deepEqual(unknown, [
    "eligibility.link",
    "eligibility.image_placeholder",
    "identity.gtin_unique",
    "content.description_unique",
  ]);
  assert.equal(score, 100);
});

test("rules that compare siblings are unknown without them, and evaluated with them", () => {
  const [first, second] = SIBLINGS;
  assert.ok(first && second);
  const twin = { ...second, link: first.link ?? "" };
  const answer = (options: Parameters<typeof auditItem>[2]) =>
    auditItem(twin, PERFECT.context, options).rules.find(({ id }) => id === "identity.variant_link")?.outcome;

  assert.equal(answer({}), "unknown");
  assert.equal(answer({ siblings: SIBLINGS }), "failed");
  assert.equal(answer({ siblings: [first] }), "failed");
});

test("the finding about an unknown category names the nearest one, where there is one", () => {
  const message = (googleCategory: string) =>
    auditItem({ ...STOOL, googleCategory }, PERFECT.context).rules.find(({ id }) => id === "class.category")
      ?.message;

  assert.equal(
    message("Furniture > Folding Stools"),
    'The Google category "Furniture > Folding Stools" is not in Google\'s taxonomy. The nearest one is 3358, Furniture > Chairs > Folding Chairs & Stools.',
  );
  assert.equal(message("999999"), 'The Google category "999999" is not in Google\'s taxonomy.');
  assert.equal(
    message("Möbler > Pallar"),
    'The Google category "Möbler > Pallar" is a path in none of the ten languages of the taxonomy that are known here. Use its id, which is the same in every language.',
  );
});

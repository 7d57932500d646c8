import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../catalog/item.ts";
import { auditAll } from "./any-catalog.fixture.ts";
import { openAudit } from "./audit.ts";
import { describe, patched, PERFECT, settings, STOOL } from "./perfect.fixture.ts";
import type { RuleReport } from "./report.ts";

function rule(rules: readonly RuleReport[], id: string): RuleReport {
  const found = rules.find((one) => one.id === id);
  assert.ok(found);
  return found;
}

function variant(number: number, rest: Partial<Item> = {}): Item {
  return {
    ...STOOL,
    id: `stool-${String(number).padStart(5, "0")}`,
    groupId: "stools",
    link: `https://shop.example/stool?n=${number}`,
    options: [{ name: "Number", value: String(number) }],
    ...rest,
  };
}

/** One group in parts, as a render passes a large one. */
function inParts(items: readonly Item[], size: number) {
  const audit = openAudit(PERFECT.context);
  for (let at = 0; at < items.length; at += size)
    audit.group({ groupId: "stools", items: items.slice(at, at + size), isWhole: items.length <= size });
  return audit.finish().rules;
}

test("repeated options and links are found across the parts of a large group", () => {
  const items = Array.from({ length: 12 }, (_, i) => variant(i));
  const twin = variant(99, { options: items[0]?.options ?? [], link: items[1]?.link ?? "" });

  const rules = inParts([...items, twin], 5);

  assert.equal(rule(rules, "identity.group_consistent").items, 1);
  assert.equal(rule(rules, "identity.variant_link").items, 1);
  assert.equal(rule(rules, "identity.group_single").items, 0);
});

test("one item in the last part of a large group is not a single item", () => {
  const rules = inParts(
    Array.from({ length: 6 }, (_, i) => variant(i)),
    5,
  );

  assert.equal(rule(rules, "identity.group_single").items, 0);
  assert.equal(rule(rules, "identity.variant_axes").judged, 6);
});

test("items after the first 5,000 of a group fail if they repeat one of those, else they are unknown", () => {
  const items = Array.from({ length: 5_000 }, (_, i) => variant(i));
  const repeated = variant(5_001, { link: items[7]?.link ?? "", options: items[7]?.options ?? [] });

  const rules = inParts([...items, repeated, variant(5_002)], 500);

  const links = rule(rules, "identity.variant_link");
  assert.deepEqual([links.items, links.unknown], [1, 1]);
  const choices = rule(rules, "identity.group_consistent");
  assert.deepEqual([choices.items, choices.unknown], [1, 1]);
});

test("items of different groups are not compared as siblings", () => {
  const items = [variant(1, { groupId: "a" }), variant(2, { groupId: "a" })];
  const others = items.map((one) => ({ ...one, id: `${one.id}-b`, groupId: "b" }));

  const { report } = auditAll({ ...PERFECT, items: [...items, ...others] });

  assert.equal(rule(report.rules, "identity.variant_link").items, 0);
  assert.equal(rule(report.rules, "identity.group_consistent").items, 0);
});

test("siblings may share a description; every variant of another product with it fails", () => {
  const first = [variant(1, { groupId: "a" }), variant(2, { groupId: "a" })];
  const second = [variant(3, { groupId: "b" }), variant(4, { groupId: "b" })];

  const { report } = auditAll({ ...PERFECT, items: [...first, ...second] });

  const { items, examples } = rule(report.rules, "content.description_unique");
  assert.equal(items, 2);
  assert.deepEqual(
    examples.map((example) => example.item_id),
    ["stool-00003", "stool-00004"],
  );
});

test("a group with many descriptions does not fail by itself, and those beyond the limit are unknown", () => {
  const items = Array.from({ length: 70 }, (_, i) =>
    variant(i, { description: describe(`Stool ${i % 68}`) }),
  );

  const { items: faults, unknown } = rule(inParts(items, 100), "content.description_unique");

  assert.equal(faults, 0);
  assert.equal(unknown, 4);
});

test("a used item may have the GTIN of the new one, and a multipack that of its content", () => {
  const copies = [
    STOOL,
    { ...STOOL, id: "used", condition: "used" },
    { ...STOOL, id: "pack", multipack: 3 },
    { ...STOOL, id: "twin" },
  ] as const;

  const { report } = auditAll({ ...PERFECT, items: copies });

  const { items, examples } = rule(report.rules, "identity.gtin_unique");
  assert.equal(items, 1);
  assert.equal(examples[0]?.item_id, "twin");
});

test("without a configured currency, the first item of each country sets it", () => {
  const dollars = { amount: "59.00", currency: "USD" } as const;
  const items = [
    STOOL,
    { ...STOOL, id: "us-1", country: "US", price: dollars },
    { ...STOOL, id: "us-2", country: "US" },
    { ...STOOL, id: "de-2", price: dollars },
  ];
  const { context } = settings({ currency: undefined })(PERFECT);

  const { report } = auditAll({ context, items });

  const found = rule(report.rules, "offer.single_currency");
  assert.deepEqual(
    found.examples.map((example) => example.item_id),
    ["us-2", "de-2"],
  );
});

test("a price is an outlier only by the median of at least three siblings in its currency", () => {
  const outliers = (amounts: readonly string[]) => {
    const items = amounts.map((amount, i) => variant(i, { price: { amount, currency: "EUR" } }));
    return rule(inParts(items, 100), "offer.price_plausible").examples.map((example) => example.item_id);
  };

  assert.deepEqual(outliers(["1.00", "900.00"]), []);
  assert.deepEqual(outliers(["10.00", "12.00", "200.00"]), []);
  assert.deepEqual(outliers(["10.00", "12.00", "1200.00"]), ["stool-00002"]);
  assert.deepEqual(outliers(["0.00", "10.00", "12.00", "13.00", "0.12"]), ["stool-00004"]);
});

test("items without a group that arrive together are not compared as siblings", () => {
  const audit = openAudit(PERFECT.context);
  audit.group({
    groupId: null,
    items: [STOOL, patched(STOOL, { id: "copy", gtin: undefined, identifierExists: false })],
    isWhole: true,
  });

  const { rules } = audit.finish();
  assert.equal(rule(rules, "content.description_unique").items, 1);
  assert.equal(rule(rules, "identity.variant_link").judged, 0);
});

const KINDS = ["Lamp", "Chair", "Vase", "Clock", "Shelf", "Kettle", "Mirror", "Candle"];

/** Eight unrelated products with the same change. */
function products(change: (kind: string, at: number) => Partial<Item>): readonly RuleReport[] {
  const items = KINDS.map((kind, at) =>
    patched(STOOL, {
      id: kind.toLowerCase(),
      gtin: undefined,
      identifierExists: false,
      title: `Fjellgarn ${kind} of solid oak, oiled`,
      description: describe(`The ${kind}`),
      link: `https://shop.example/${kind}`,
      images: [1, 2, 3].map((view) => `https://cdn.shop.example/${kind}-${view}.jpg`),
      ...change(kind, at),
    }),
  );
  return auditAll({ ...PERFECT, items }).report.rules;
}

test("an image that many products share is found from the sixth product on", () => {
  const rules = products((kind) => ({
    images: [
      "https://cdn.shop.example/logo.png",
      `https://a.example/${kind}-2.jpg`,
      `https://a.example/${kind}-3.jpg`,
    ],
  }));

  const { items, refused, examples } = rule(rules, "eligibility.image_placeholder");
  assert.deepEqual([items, refused, examples[0]?.item_id], [3, 0, "kettle"]);
  assert.match(examples[0]?.message ?? "", /^Unrelated products have the same image/);
});

test("a link to the home page fails from the second product on", () => {
  const home = rule(
    products(() => ({ link: "https://shop.example/?utm_source=feed" })),
    "eligibility.link",
  );
  const one = rule(
    products((_, at) => (at === 0 ? { link: "https://shop.example/" } : {})),
    "eligibility.link",
  );

  assert.deepEqual([home.items, one.items], [7, 0]);
});

test("a link that many unrelated products share fails from the sixth product on", () => {
  const rules = products(() => ({ link: "https://shop.example/category/oak" }));

  assert.equal(rule(rules, "eligibility.link").items, 3);
});

test("sizes of one product that a feed lists without a group may share image and link", () => {
  const rules = products((_, at) => ({
    title: `Fjellgarn Wool Socks ${36 + at}`,
    link: "https://shop.example/socks",
    images: ["https://a.example/1.jpg", "https://a.example/2.jpg", "https://a.example/3.jpg"],
  }));

  assert.equal(rule(rules, "eligibility.link").items, 0);
  assert.equal(rule(rules, "eligibility.image_placeholder").items, 0);
});

test("variants of a product that share its image count once", () => {
  const items = KINDS.flatMap((kind) =>
    ["S", "M", "L"].map((size) =>
      patched(STOOL, {
        id: `${kind}-${size}`,
        groupId: kind,
        title: `Fjellgarn ${kind} of solid oak, ${size}`,
        link: `https://shop.example/${kind}?size=${size}`,
        images: ["https://cdn.shop.example/logo.png"],
        options: [{ name: "Size", value: size }],
      }),
    ),
  );

  const { rules } = auditAll({ ...PERFECT, items }).report;

  assert.equal(rule(rules, "eligibility.image_placeholder").items, 3 * 3);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Draft, LIST_FIELDS, TEXT_FIELDS } from "./draft.ts";
import type { Item } from "./item.ts";
import { ITEM_FIELDS, normalize } from "./normalize.ts";
import { clearedFields, draftFieldsOf, type ItemPatch, patchItem } from "./patch.ts";

const CONTEXT = { position: 7, settings: {}, decimalMark: "." } as const;

function itemOf(draft: Draft): Item {
  const result = normalize(draft, CONTEXT);
  assert.ok(result.kind === "item", JSON.stringify(result));
  return result.item;
}

/** Everything an item can have. */
const FULL: Draft = {
  id: "p50",
  groupId: "p",
  sku: "S-50",
  gtin: "4006381333931",
  mpn: "M-50",
  brand: "Kiln",
  identifierExists: "yes",
  title: "Mug &lt;b&gt; & saucer",
  groupTitle: "Mug",
  shortTitle: "Mug",
  description: "Holds 5 &lt; 6 dl.",
  highlights: ["Glazed"],
  details: [{ name: "Glaze", value: "Ash" }],
  link: "https://shop.example/p/50",
  canonicalLink: "https://shop.example/p/50c",
  mobileLink: "https://m.shop.example/p/50",
  image: "https://shop.example/i/1.jpg",
  additionalImages: ["https://shop.example/i/2.jpg", "https://shop.example/i/3.jpg"],
  videos: ["https://shop.example/v/1.mp4"],
  price: "10.00 EUR",
  salePrice: "8.00 EUR",
  saleFrom: "2026-11-01T00:00:00Z",
  saleTo: "2026-11-30T00:00:00Z",
  priceIncludesTax: "yes",
  cost: "4.00 EUR",
  unitPricingMeasure: "750 ml",
  unitPricingBaseMeasure: "1 l",
  availability: "in_stock",
  quantity: "5",
  expiresAt: "2027-01-01T00:00:00Z",
  condition: "new",
  googleCategory: "2169",
  categories: ["Kitchen > Mugs"],
  tags: ["gift"],
  options: [{ name: "Color", value: "Teal" }],
  size: "M",
  sizeSystem: "EU",
  sizeType: "regular",
  material: "Clay",
  pattern: "Plain",
  gender: "unisex",
  ageGroup: "adult",
  adult: "no",
  multipack: "2",
  isBundle: "no",
  isDigital: "no",
  energyClass: "A",
  minEnergyClass: "A",
  maxEnergyClass: "C",
  certifications: [{ authority: "EC", name: "EPREL", code: "1" }],
  customLabel0: "zero",
  customLabel2: "two",
  weight: "2 kg",
  length: "10 cm",
  width: "11 cm",
  height: "12 cm",
  shippingWeight: "3 kg",
  shippingLength: "20 cm",
  shippingWidth: "21 cm",
  shippingHeight: "22 cm",
  shipping: [{ country: "DE", price: "4.00 EUR" }],
  shippingLabel: "small",
  acceptsReturns: "yes",
  returnDays: "30",
  returnPolicyUrl: "https://shop.example/returns",
  ratingValue: "4.5",
  ratingCount: "12",
  country: "DE",
  language: "de",
  google: {
    pause: ["ads"],
    excluded_destination: ["Shopping_ads", "Free_listings"],
    installment: [{ months: "3", amount: "4.00 EUR" }],
  },
};
const STORED = itemOf(FULL);

const patched = (stored: Item, draft: Draft, cleared: ItemPatch["cleared"] = []) =>
  patchItem(stored, { draft: { id: stored.id, ...draft }, cleared }, CONTEXT);

function itemAfter(stored: Item, draft: Draft, cleared: ItemPatch["cleared"] = []): Item {
  const result = patched(stored, draft, cleared);
  assert.ok(result.kind === "item", JSON.stringify(result));
  return result.item;
}

const warningsAfter = (stored: Item, draft: Draft, cleared: ItemPatch["cleared"] = []) => {
  const result = patched(stored, draft, cleared);
  return result.kind === "item" ? result.warnings.map(({ code }) => code) : [result.rejection.code];
};

test("the table has every field of an item, in the order in which they are filled", () => {
  const listed = itemOf({ ...FULL, price: "8.00 EUR", listPrice: "10.00 EUR", salePrice: "" });
  const ahead = itemOf({ ...FULL, availability: "preorder", availabilityDate: "2026-12-01T00:00:00Z" });
  const coded = itemOf({ ...FULL, gtin: "KL-2041" });
  const all = new Set([STORED, listed, ahead, coded].flatMap((item) => Object.keys(item)));

  assert.deepEqual([...all].toSorted(), ITEM_FIELDS.toSorted());
  for (const item of [STORED, listed, ahead, coded]) {
    const order = ITEM_FIELDS.filter((field) => Object.hasOwn(item, field));
    assert.deepEqual(Object.keys(item), order);
  }
});

test("every field of a draft changes a field of an item, except units and the published flag", () => {
  const used = new Set(ITEM_FIELDS.flatMap(draftFieldsOf));
  const draftFields = [
    ...TEXT_FIELDS,
    ...LIST_FIELDS,
    "options",
    "details",
    "shipping",
    "certifications",
  ] as const;

  assert.deepEqual(
    draftFields.filter((field) => !used.has(field)),
    ["weightUnit", "dimensionsUnit", "published"],
  );
});

test("a patch with only an id changes nothing, and has no warnings", () => {
  assert.equal(JSON.stringify(itemAfter(STORED, {})), JSON.stringify(STORED));
  assert.deepEqual(warningsAfter(STORED, {}), []);
});

test("a patched field is the same as in a full item", () => {
  const changes: Draft = {
    groupId: "q",
    gtin: "96385074",
    brand: "Oven",
    title: "Cup",
    description: "New.",
    highlights: ["Large", "Blue"],
    link: "https://shop.example/p/51",
    image: "https://shop.example/i/9.jpg",
    additionalImages: ["https://shop.example/i/8.jpg"],
    price: "9.00 EUR",
    salePrice: "7.50 EUR",
    saleTo: "2026-12-24T00:00:00Z",
    unitPricingMeasure: "500 ml",
    quantity: "9",
    condition: "used",
    color: "Red",
    multipack: "3",
    customLabel1: "one",
    weight: "4 kg",
    shipping: [{ country: "FR", price: "6.00 EUR" }],
    returnDays: "14",
    ratingValue: "3.9",
    language: "fr",
  };
  const names = Object.keys(changes) as (keyof Draft)[];
  fc.assert(
    fc.property(fc.subarray(names), (fields) => {
      const change = Object.fromEntries(fields.map((field) => [field, changes[field]])) as Draft;

      const item = itemAfter(STORED, change);

      // Title and description of FULL have entities: read twice they would be other texts.
      assert.equal(JSON.stringify(item), JSON.stringify(itemOf({ ...FULL, ...change })));
      assert.equal(JSON.stringify(itemAfter(item, change)), JSON.stringify(item), "the same again");
    }),
  );
});

test("null clears a field, the link with a warning; a required one cannot be cleared", () => {
  const item = itemAfter(STORED, {}, ["salePrice", "brand", "customLabel0", "color"]);

  assert.equal(item.salePrice, undefined);
  assert.equal(item.saleTo, undefined);
  assert.equal(item.brand, undefined);
  assert.deepEqual(item.customLabels, [null, null, "two"]);
  // The option still says it.
  assert.equal(item.color, "Teal");
  assert.equal(itemAfter(STORED, {}, ["link"]).link, undefined);
  for (const [field, code] of [
    ["title", "missing_title"],
    ["link", "missing_link"],
    ["price", "missing_price"],
  ] as const) {
    assert.deepEqual(warningsAfter(STORED, {}, [field]), [code]);
  }
});

test("a patch of the price keeps the sale price while it is below the price", () => {
  const raised = itemAfter(STORED, { price: "12.00 EUR" });
  assert.deepEqual(
    [raised.price.amount, raised.salePrice?.amount, raised.saleTo],
    ["12.00", "8.00", STORED.saleTo],
  );

  const lowered = itemAfter(STORED, { price: "7.00 EUR" });
  assert.deepEqual([lowered.price.amount, lowered.salePrice, lowered.saleTo], ["7.00", undefined, undefined]);
  assert.deepEqual(warningsAfter(STORED, { price: "7.00 EUR" }), ["sale_price_not_lower"]);

  assert.deepEqual(warningsAfter(STORED, { price: "12.00 USD" }), ["currency_differs"]);
  assert.deepEqual(warningsAfter(STORED, { salePrice: "11.00 EUR" }), ["sale_price_not_lower"]);
});

test("with a list price, the price is the current price, and a patch of it changes the sale price", () => {
  const stored = itemOf({ ...FULL, price: "8.00 EUR", salePrice: "", listPrice: "10.00 EUR" });

  const now = (draft: Draft, cleared: ItemPatch["cleared"] = []) => {
    const { price, salePrice } = itemAfter(stored, draft, cleared);
    return [price.amount, salePrice?.amount];
  };
  assert.deepEqual(now({ price: "9.00 EUR" }), ["10.00", "9.00"]);
  assert.deepEqual(now({ price: "11.00 EUR" }), ["11.00", undefined]);
  assert.deepEqual(now({ listPrice: "20.00 EUR" }), ["20.00", "8.00"]);
  assert.deepEqual(now({}, ["listPrice"]), ["8.00", undefined]);
});

test("an amount without a currency has the item's currency", () => {
  assert.deepEqual(itemAfter(STORED, { price: "9.10" }).price, { amount: "9.10", currency: "EUR" });
  assert.deepEqual(itemAfter(STORED, { price: "9.10", currency: "CHF" }).price, {
    amount: "9.10",
    currency: "CHF",
  });
});

test("a quantity changes in stock and out of stock, but not preorder and backorder", () => {
  const stock = (draft: Draft, stored = STORED, cleared: ItemPatch["cleared"] = []) => {
    const { availability, quantity, availabilityDate } = itemAfter(stored, draft, cleared);
    return [availability, quantity, availabilityDate];
  };
  assert.deepEqual(stock({ quantity: "0" }), ["out_of_stock", 0, undefined]);
  assert.deepEqual(stock({ quantity: "3" }), ["in_stock", 3, undefined]);
  // The count was that of an item in stock.
  assert.deepEqual(stock({ availability: "out of stock" }), ["out_of_stock", undefined, undefined]);
  assert.deepEqual(stock({ availability: "in stock" }), ["in_stock", 5, undefined]);
  assert.deepEqual(stock({ availability: "out of stock", quantity: "0" }), ["out_of_stock", 0, undefined]);
  assert.deepEqual(stock({}, STORED, ["quantity"]), ["in_stock", undefined, undefined]);

  const date = "2026-12-01T00:00:00.000Z";
  const ahead = itemOf({ ...FULL, availability: "preorder", quantity: "0", availabilityDate: date });
  assert.deepEqual(stock({ quantity: "3" }, ahead), ["preorder", 3, date]);
  assert.deepEqual(stock({ availability: "in_stock" }, ahead), ["in_stock", undefined, undefined]);
});

test("a new main image precedes the stored additional ones, and a number without a unit has the stored unit", () => {
  assert.deepEqual(itemAfter(STORED, { image: "https://shop.example/i/9.jpg" }).images, [
    "https://shop.example/i/9.jpg",
    "https://shop.example/i/2.jpg",
    "https://shop.example/i/3.jpg",
  ]);
  assert.deepEqual(itemAfter(STORED, { weight: "5" }).weight, { value: "5", unit: "kg" });
});

test("new options replace the fields that the old options filled, and no others", () => {
  const item = itemAfter(STORED, { options: [{ name: "Material", value: "Glass" }] });

  assert.deepEqual([item.color, item.size, item.material], [undefined, "M", "Clay"]);
});

test("an invalid value is left out with a warning, as in a full item", () => {
  assert.equal(itemAfter(STORED, { gtin: "123" }).gtin, undefined);
  assert.deepEqual(warningsAfter(STORED, { gtin: "123" }), ["invalid_gtin"]);
  assert.deepEqual(warningsAfter(STORED, { price: "free" }), ["invalid_price"]);
});

test("the fields that a change takes from an item are its cleared fields, an unknown availability included", () => {
  const { brand: _brand, description: _description, ...rest } = STORED;

  assert.deepEqual(clearedFields(STORED, { ...rest, availability: "unknown" }), [
    "availability",
    "brand",
    "description",
  ]);
  assert.deepEqual(clearedFields(rest, STORED), []);
});

test("attributes for Google are changed and cleared one by one", () => {
  const stored = itemOf({ ...FULL, google: { ...FULL.google, gtin: ["4006381333948"] } });
  const patched = (patch: ItemPatch): Item => {
    const result = patchItem(stored, patch, CONTEXT);
    assert.ok(result.kind === "item", JSON.stringify(result));
    return result.item;
  };

  const { pause: _pause, ...running } = stored.google ?? {};
  assert.deepEqual(patched({ draft: {}, cleared: ["pause"] }).google, running);
  const moved = patched({ draft: { google: { excluded_destination: ["Display_ads"] } }, cleared: [] });
  assert.deepEqual(moved.google, { ...stored.google, excluded_destination: ["Display_ads"] });
  const renumbered = patched({ draft: { gtin: "96385074" }, cleared: [] });
  const { gtin: _gtin, ...others } = stored.google ?? {};
  assert.deepEqual(renumbered.google, others);
});

test("a barcode that is no GTIN goes when a GTIN comes, or when the field is cleared", () => {
  const coded = itemOf({ ...FULL, gtin: "KL-2041" });

  const repaired = itemAfter(coded, { gtin: "4006381333931" });
  const cleared = itemAfter(coded, {}, ["gtin"]);
  const other = itemAfter(coded, { title: "Other" });

  assert.deepEqual([coded.gtin, coded.barcode], [undefined, "KL-2041"]);
  assert.deepEqual([repaired.gtin, repaired.barcode], ["4006381333931", undefined]);
  assert.deepEqual([cleared.gtin, cleared.barcode], [undefined, undefined]);
  assert.equal(other.barcode, "KL-2041");
});

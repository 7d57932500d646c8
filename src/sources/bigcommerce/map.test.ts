import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { image, type Json, optionProduct, simpleProduct } from "../../../test/fakes/bigcommerce-products.ts";
import type { Draft } from "../../catalog/draft.ts";
import type { Item } from "../../catalog/item.ts";
import { normalize } from "../../catalog/normalize.ts";
import { mapVariant, type BigcommerceFacts } from "./map.ts";
import type { BigcommerceStore } from "./store.ts";
import { objectsIn } from "../kit/json.ts";
import { namedValues } from "../../../test/named-values.ts";

const store: BigcommerceStore = {
  name: "Example Shop",
  currency: "EUR",
  weightUnit: "KGS",
  dimensionsUnit: "Centimeters",
  decimals: 2,
  pricesIncludeTax: true,
  country: "DE",
  language: "en",
  status: "live",
  plan: "Pro",
  defaultChannelId: 1,
  hasSeveralStorefronts: false,
  secureUrl: "https://shop.example",
};
const shop: BigcommerceFacts = {
  store,
  storefront: { url: "https://shop.example", isChannels: true },
  hasVariantLinks: false,
};

/** The drafts of a product as the shop sends it; `change` is applied to each of its variants. */
function draftsOf(product: Json, change: Json = {}, facts: Partial<BigcommerceFacts> = {}): Draft[] {
  const variants = objectsIn(product, "variants");
  return variants.map((variant) =>
    mapVariant(
      { ...variant, ...change },
      { product, brand: "Acme", categories: ["Kitchen > Mugs"], hasSeveralVariants: variants.length > 1 },
      { ...shop, ...facts },
    ),
  );
}

function draftOf(product: Json = {}, variant: Json = {}): Draft {
  const [draft] = draftsOf(simpleProduct(77, product), variant);
  assert.ok(draft);
  return draft;
}

function itemOf(draft: Draft): Item {
  const normalized = normalize(draft, { position: 1, settings: {}, decimalMark: "." });
  assert.ok(normalized.kind === "item", JSON.stringify(normalized));
  return normalized.item;
}

test("a simple product becomes one item with all its fields", () => {
  const draft = draftOf(
    {
      gtin: "4006381333931",
      mpn: "M-77",
      custom_fields: [
        { id: 1, name: "Google Product Category", value: "Home & Garden > Kitchen & Dining" },
        { id: 2, name: "Dishwasher safe", value: "Yes" },
        { id: 3, name: "material", value: "Stoneware" },
      ],
      images: [image(77, 2), image(77, 1, { is_thumbnail: true }), image(77, 3, { sort_order: 0 })],
      reviews_rating_sum: 9,
      reviews_count: 2,
      inventory_tracking: "product",
      inventory_level: 12,
      sale_price: 9.99,
    },
    { calculated_price: 9.99 },
  );

  const normalized = normalize(draft, { position: 1, settings: {}, decimalMark: "." });

  assert.ok(normalized.kind === "item");
  assert.deepEqual(normalized.warnings, []);
  assert.deepEqual(normalized.item, {
    id: "1000077",
    title: "Mug 77",
    link: "https://shop.example/mug-77/",
    price: { amount: "12.50", currency: "EUR" },
    availability: "in_stock",
    sku: "MUG-77",
    gtin: "4006381333931",
    mpn: "M-77",
    brand: "Acme",
    description: "Stoneware mug number 77.",
    details: [{ name: "Dishwasher safe", value: "Yes" }],
    images: [1, 3, 2].map(
      (number) =>
        `https://cdn.shop.example/products/77/images/${number}/mug__${number}.1700000000.1280.1280.jpg?c=1`,
    ),
    salePrice: { amount: "9.99", currency: "EUR" },
    priceIncludesTax: true,
    cost: { amount: "4.00", currency: "EUR" },
    quantity: 12,
    condition: "new",
    googleCategory: "Home & Garden > Kitchen & Dining",
    categories: [["Kitchen", "Mugs"]],
    material: "Stoneware",
    weight: { value: "0.4", unit: "kg" },
    length: { value: "8.5", unit: "cm" },
    width: { value: "9", unit: "cm" },
    height: { value: "10", unit: "cm" },
    rating: { value: "4.5", count: 2 },
    language: "en",
  } satisfies Item);
});

test("the variants of a product are items of one group, each with its own options and codes", () => {
  const product = optionProduct(8, 2, { gtin: "4006381333931", upc: "036000291452", mpn: "P-8" });

  const [first, second] = draftsOf(product).map(itemOf);

  assert.ok(first && second);
  assert.deepEqual([first.id, second.id], ["8001", "8002"]);
  assert.deepEqual([first.groupId, second.groupId], ["8", "8"]);
  assert.deepEqual([first.sku, second.sku], ["MUG-8-1", "MUG-8-2"]);
  assert.deepEqual(first.options, [{ name: "Color", value: "Glaze 1" }]);
  assert.equal(second.color, "Glaze 2");
  // One code for two different things would be wrong for at least one of them.
  assert.deepEqual([first.gtin, second.gtin, first.mpn], [undefined, undefined, undefined]);
});

test("a product with a single variant has no group, even if that variant has options", () => {
  const [draft] = draftsOf(optionProduct(8, 1));

  assert.equal(draft?.groupId, undefined);
  assert.deepEqual(draft?.options, [{ name: "Color", value: "Glaze 1" }]);
});

test("the price is what the shop shows, and a sale is a price below the regular one", () => {
  const cases: [Json, Json, string | undefined, string | undefined][] = [
    // The variant's own price, and where it has none the product's.
    [{ price: 10 }, { price: null, calculated_price: 10 }, "10", undefined],
    [{ price: 10 }, { price: 14.95, calculated_price: 14.95 }, "14.95", undefined],
    // A sale price of zero is no sale.
    [{ price: 10, sale_price: 0 }, { calculated_price: 10 }, "10", undefined],
    [{ price: 10, sale_price: 8 }, { calculated_price: 8 }, "10", "8"],
    [{ price: 10, sale_price: 8 }, { sale_price: 7, calculated_price: 7 }, "10", "7"],
    // Without a calculated price the sale price counts; zero is as good as none.
    [{ price: 10, sale_price: 8 }, { calculated_price: null }, "10", "8"],
    [{ price: 10, sale_price: 0 }, { calculated_price: 0 }, "10", undefined],
    // Rules of options move what is shown.
    [{ price: 10 }, { calculated_price: 12 }, "12", undefined],
    [{ price: 10 }, { calculated_price: 9.5 }, "10", "9.5"],
    [{ price: 0 }, { calculated_price: 3 }, "3", undefined],
    [{ price: 0 }, { calculated_price: 0 }, "0", undefined],
    // The maker's suggestion is never our price.
    [{ price: 10, retail_price: 20 }, { calculated_price: 10 }, "10", undefined],
    // Unusual types.
    [{ price: "19.99" }, { price: null, calculated_price: "19.99" }, "19.99", undefined],
    [{ price: null }, { price: null, calculated_price: null }, undefined, undefined],
    [{ price: {} }, { price: [], calculated_price: true }, undefined, undefined],
    [{ price: -5 }, { calculated_price: -5 }, "-5", undefined],
    [{ price: 13.490000000000002 }, { calculated_price: 13.490000000000002 }, "13.49", undefined],
    // The catalog keeps four decimals; shoppers see two, halves rounded up.
    [{ price: 8.2645 }, { calculated_price: 8.2645 }, "8.26", undefined],
    [{ price: 19.995 }, { calculated_price: 19.995 }, "20.00", undefined],
    [{ price: 1.005, sale_price: 0.9949 }, { calculated_price: 0.9949 }, "1.01", "0.99"],
    // Equal shown prices are no sale.
    [{ price: 10.0012 }, { calculated_price: 10.0009 }, "10.00", undefined],
  ];

  for (const [product, variant, price, salePrice] of cases) {
    const draft = draftOf(product, variant);
    assert.deepEqual([draft.price, draft.salePrice], [price, salePrice], JSON.stringify([product, variant]));
  }
});

test("the cost of a variant, else of its product, is what the shop pays; zero is none", () => {
  const costOf = (product: Json, variant: Json) => itemOf(draftOf(product, variant)).cost?.amount;

  assert.equal(costOf({ cost_price: 4 }, { cost_price: 3.5 }), "3.50");
  assert.equal(costOf({ cost_price: 4 }, { cost_price: null }), "4.00");
  assert.equal(costOf({ cost_price: 0 }, {}), undefined);
});

test("an amount of at most four decimals is written exactly, despite binary fractions, if the shop shows four", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99_999_999 }), (tenThousandths) => {
      const [draft] = draftsOf(
        simpleProduct(77, { price: tenThousandths / 10_000 }),
        { calculated_price: null },
        { store: { ...store, decimals: 4 } },
      );
      const text = draft?.price ?? "";
      const [whole = "", fraction = ""] = text.split(".");
      assert.equal(Number(whole + fraction.padEnd(4, "0")), tenThousandths);
    }),
  );
});

test("availability depends on disabled purchasing first, then pre-orders, then tracked stock", () => {
  const cases: [Json, Json, Pick<Item, "availability" | "quantity" | "availabilityDate">][] = [
    [{ inventory_tracking: "none" }, {}, { availability: "in_stock" }],
    [{ inventory_tracking: "product", inventory_level: 5 }, {}, { availability: "in_stock", quantity: 5 }],
    [
      { inventory_tracking: "product", inventory_level: 0 },
      {},
      { availability: "out_of_stock", quantity: 0 },
    ],
    [{ inventory_tracking: "variant" }, { inventory_level: 3 }, { availability: "in_stock", quantity: 3 }],
    [
      { inventory_tracking: "variant", inventory_level: 9 },
      { inventory_level: 0 },
      { availability: "out_of_stock", quantity: 0 },
    ],
    [
      { inventory_tracking: "variant" },
      { inventory_level: -4 },
      { availability: "out_of_stock", quantity: 0 },
    ],
    [{ inventory_tracking: "variant" }, { inventory_level: null }, { availability: "unknown" }],
    [{ inventory_tracking: "by hand" }, {}, { availability: "unknown" }],
    [{ availability: "disabled" }, {}, { availability: "out_of_stock" }],
    [
      { availability: "disabled", inventory_tracking: "product", inventory_level: 5 },
      {},
      { availability: "out_of_stock" },
    ],
    [{ inventory_tracking: "none" }, { purchasing_disabled: true }, { availability: "out_of_stock" }],
    [
      { availability: "preorder", preorder_release_date: "2027-03-01T00:00:00+00:00" },
      {},
      { availability: "preorder", availabilityDate: "2027-03-01T00:00:00.000Z" },
    ],
    [{ availability: "preorder", preorder_release_date: null }, {}, { availability: "preorder" }],
    [
      { availability: "preorder", preorder_release_date: "1970-01-01T00:00:00+00:00" },
      {},
      { availability: "preorder" },
    ],
  ];

  for (const [product, variant, expected] of cases) {
    const { availability, quantity, availabilityDate } = itemOf(draftOf(product, variant));
    const got = {
      availability,
      ...(quantity === undefined ? {} : { quantity }),
      ...(availabilityDate === undefined ? {} : { availabilityDate }),
    };
    assert.deepEqual(got, expected, JSON.stringify([product, variant]));
  }
});

test("every unit of a shop is read", () => {
  const weights = { Ounces: "oz", LBS: "lb", KGS: "kg", Grams: "g" };
  for (const [weightUnit, unit] of Object.entries(weights)) {
    const [draft] = draftsOf(simpleProduct(1), {}, { store: { ...store, weightUnit } });
    assert.deepEqual(itemOf(draft ?? {}).weight, { value: "0.4", unit });
  }
  const [heavy] = draftsOf(simpleProduct(1), {}, { store: { ...store, weightUnit: "Tonnes" } });
  assert.deepEqual(itemOf(heavy ?? {}).weight, { value: "400", unit: "kg" });
  const [flat] = draftsOf(simpleProduct(1), {}, { store: { ...store, dimensionsUnit: "Inches" } });
  assert.deepEqual(itemOf(flat ?? {}).width, { value: "9", unit: "in" });
});

test("a weight or size of zero is not set, and a variant's own value has priority", () => {
  const unset = draftOf({ weight: 0, width: 0, depth: 0, height: 0 }, { calculated_weight: 0 });
  const own = draftOf({}, { calculated_weight: null, weight: 2, width: 3 });

  assert.deepEqual(
    [unset.weight, unset.weightUnit, unset.width, unset.dimensionsUnit],
    Array(4).fill(undefined),
  );
  assert.deepEqual([own.weight, own.width, own.height], ["2", "3", "10"]);
});

test("a variant's image is first, and the same image in another size is not repeated", () => {
  const images = [image(77, 1, { is_thumbnail: true }), image(77, 2)];
  const zoom = images.map(({ url_zoom }) => String(url_zoom));

  const same = draftOf({ images }, { image_url: images[1]?.["url_standard"] });
  const other = draftOf({ images }, { image_url: "https://cdn.shop.example/blue.jpg" });
  const none = draftOf({ images: [] }, { image_url: "" });

  assert.deepEqual([same.image, same.additionalImages], [zoom[1], [zoom[0]]]);
  assert.deepEqual([other.image, other.additionalImages], ["https://cdn.shop.example/blue.jpg", zoom]);
  assert.deepEqual([none.image, none.additionalImages], [undefined, undefined]);
});

test("links lead to the storefront, and to the variant only if the setting is on", () => {
  const product = optionProduct(8, 2, { custom_url: { url: "/mug & co/" } });
  const plain = draftsOf(product)[0];
  const direct = draftsOf(product, { sku: "A/1 ü" }, { hasVariantLinks: true })[0];
  const alone = draftsOf(simpleProduct(9), {}, { hasVariantLinks: true })[0];

  assert.deepEqual([plain?.link, plain?.canonicalLink], ["https://shop.example/mug & co/", undefined]);
  assert.equal(itemOf(plain ?? {}).link, "https://shop.example/mug%20&%20co/");
  assert.equal(direct?.link, "https://shop.example/mug & co/?sku=A%2F1%20%C3%BC");
  assert.equal(direct?.canonicalLink, "https://shop.example/mug & co/");
  assert.equal(alone?.link, "https://shop.example/mug-9/");
  assert.equal(draftOf({ custom_url: { url: "mug-77" } }).link, "https://shop.example/mug-77");
  assert.equal(draftOf({ custom_url: null }).link, undefined);
});

test("codes fall back from the variant to its product, and to custom fields of that name", () => {
  const custom_fields = [{ id: 1, name: "ISBN", value: "9783161484100" }];

  assert.equal(draftOf({ gtin: "1", upc: "2", custom_fields }, { gtin: "3", upc: "4" }).gtin, "3");
  assert.equal(draftOf({ gtin: "1", upc: "2", custom_fields }, { gtin: "", upc: "4" }).gtin, "4");
  assert.equal(draftOf({ gtin: "1", upc: "2", custom_fields }).gtin, "1");
  assert.equal(draftOf({ gtin: null, upc: 36000291452 }).gtin, "36000291452");
  assert.equal(draftOf({ custom_fields }).gtin, "9783161484100");
});

test("a custom field that exists twice is kept, the second time as a detail", () => {
  const custom_fields = [
    { id: 1, name: "Colour", value: "Red" },
    { id: 2, name: "Color", value: "Blue" },
    { id: 3, name: "constructor", value: "x" },
    { id: 4, name: "", value: "nameless" },
    null,
  ];

  const draft = draftOf({ custom_fields });

  assert.equal(draft.color, "Red");
  assert.deepEqual(draft.details, namedValues({ Color: "Blue", constructor: "x" }));
});

test("an option of the variant has priority over a custom field of the product", () => {
  const custom_fields = [
    { id: 1, name: "Color", value: "Various" },
    { id: 2, name: "Material", value: "Stoneware" },
  ];

  const [first] = draftsOf(optionProduct(8, 2, { custom_fields }));

  assert.deepEqual([first?.color, first?.material], ["Glaze 1", "Stoneware"]);
});

test("entities, markup and huge texts become plain text", () => {
  const item = itemOf(
    draftOf({ name: "Salt &amp; Pepper <b>set</b>", description: `<p>${"Long text. ".repeat(20_000)}</p>` }),
  );

  assert.equal(item.title, "Salt & Pepper set");
  assert.ok((item.description?.length ?? 0) <= 20_000);
});

test("whatever the fields are, mapping never throws, and every value of a draft is a text or a list", () => {
  const names = Object.keys(simpleProduct(1));
  const variantNames = Object.keys(objectsIn(simpleProduct(1), "variants")[0] ?? {});
  const anything = fc.anything({ maxDepth: 2 });
  const hostile = (keys: readonly string[]) => fc.dictionary(fc.constantFrom(...keys), anything);

  fc.assert(
    fc.property(hostile(names), hostile(variantNames), (product, variant) => {
      const draft = mapVariant(
        { ...variant, id: 5 },
        { product, brand: undefined, categories: [], hasSeveralVariants: false },
        shop,
      );
      for (const [name, value] of Object.entries(draft))
        assert.ok(typeof value === "string" || Array.isArray(value), name);
      normalize(draft, { position: 1, settings: {}, decimalMark: "." });
    }),
    { numRuns: 80 },
  );
});

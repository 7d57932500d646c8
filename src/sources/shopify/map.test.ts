import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  fakeImage,
  fakeProduct,
  type FakeProduct,
  fakeVariant,
  type FakeVariant,
} from "../../../test/fakes/shopify-data.ts";
import type { Draft } from "../../catalog/draft.ts";
import type { Item } from "../../catalog/item.ts";
import { normalize } from "../../catalog/normalize.ts";
import type { SourceSettings } from "../source.ts";
import { mapVariant } from "./map.ts";
import { parseMetafields } from "./metafields.ts";
import { draftsOf } from "../events.contract.ts";
import { shopifyWorld } from "./shopify-world.contract.ts";
import { parsePageProduct } from "./product.ts";
import { namedValues } from "../../../test/named-values.ts";

/** The draft of one variant, read from a fake shop. */
async function draftOf(
  variant: Partial<FakeVariant>,
  product: Partial<FakeProduct> = {},
  settings: SourceSettings = {},
): Promise<Draft> {
  await using world = await shopifyWorld([
    fakeProduct(77, { variants: [fakeVariant(501, variant)], ...product }),
  ]);
  const [draft] = draftsOf(await world.read(settings));
  assert.ok(draft !== undefined);
  return draft;
}

function itemOf(draft: Draft): Item {
  const result = normalize(draft, { position: 1, settings: {}, decimalMark: "." });
  assert.ok(result.kind === "item", JSON.stringify(result));
  return result.item;
}

const sizes = (...numbers: number[]): FakeVariant[] =>
  numbers.map((number) => fakeVariant(number, { selectedOptions: [{ name: "Size", value: `${number}` }] }));

test("a product with all fields becomes an item with all fields", async () => {
  const draft = await draftOf(
    {
      sku: "MUG-1",
      barcode: "4006381333931",
      price: "12.50",
      compareAtPrice: "15.00",
      selectedOptions: namedValues({ Color: "Teal", Size: "0.3 l" }),
      weight: { value: 0.45, unit: "KILOGRAMS" },
      unitPriceMeasurement: {
        measuredType: "VOLUME",
        quantityUnit: "ML",
        quantityValue: 300,
        referenceUnit: "L",
        referenceValue: 1,
      },
      media: [fakeImage(9)],
      metafields: { "mm-google-shopping.mpn": "M-300" },
    },
    {
      title: "Mug &amp; saucer",
      descriptionHtml: "<p>Glazed.</p><ul><li>Dishwasher safe</li></ul>",
      vendor: "Kiln & Co",
      productType: "Kitchen > Mugs",
      category: { fullName: "Home & Garden > Kitchen & Dining > Tableware > Mugs" },
      media: [
        fakeImage(8),
        {
          __typename: "Video",
          id: "gid://shopify/Video/1",
          sources: [
            { url: "https://cdn.shopify.com/v/1.m3u8", mimeType: "application/x-mpegURL" },
            { url: "https://cdn.shopify.com/v/1.mp4", mimeType: "video/mp4" },
          ],
        },
        fakeImage(9),
        { __typename: "MediaImage", id: "gid://shopify/MediaImage/10", image: null },
      ],
      metafields: {
        "mm-google-shopping.condition": "new",
        "mm-google-shopping.gender": "unisex",
        "mm-google-shopping.custom_label_0": "spring",
        "mm-google-shopping.mpn": "of the product",
      },
    },
    { metafields: "mm-google-shopping" },
  );

  assert.deepEqual(itemOf(draft), {
    id: "501",
    title: "Mug & saucer",
    link: "https://shop.example/products/product-77",
    price: { amount: "15.00", currency: "EUR" },
    availability: "in_stock",
    sku: "MUG-1",
    gtin: "4006381333931",
    mpn: "M-300",
    brand: "Kiln & Co",
    description: itemOf(draft).description,
    images: ["https://cdn.shopify.com/s/files/1/9.jpg?v=1", "https://cdn.shopify.com/s/files/1/8.jpg?v=1"],
    videos: ["https://cdn.shopify.com/v/1.mp4"],
    salePrice: { amount: "12.50", currency: "EUR" },
    priceIsList: true,
    priceIncludesTax: true,
    unitPricing: { measure: { value: "300", unit: "ml" }, base: { value: "1", unit: "l" } },
    quantity: 5,
    condition: "new",
    categories: [
      ["Kitchen", "Mugs"],
      ["Home & Garden", "Kitchen & Dining", "Tableware", "Mugs"],
    ],
    options: namedValues({ Color: "Teal", Size: "0.3 l" }),
    color: "Teal",
    size: "0.3 l",
    gender: "unisex",
    customLabels: ["spring"],
    weight: { value: "0.45", unit: "kg" },
  });
  assert.match(itemOf(draft).description ?? "", /Glazed\..*Dishwasher safe/s);
});

test("variants of a product share a group and have their own links; a single one has neither", async () => {
  await using world = await shopifyWorld([fakeProduct(77, { variants: sizes(1, 2) }), fakeProduct(78)]);

  const [one, two, lone] = draftsOf(await world.read());

  assert.deepEqual([one?.groupId, two?.groupId, lone?.groupId], ["77", "77", undefined]);
  assert.equal(one?.groupTitle, "Product 77");
  assert.equal(one?.link, "https://shop.example/products/product-77?variant=1");
  assert.equal(one?.canonicalLink, "https://shop.example/products/product-77");
  assert.deepEqual(one?.options, [{ name: "Size", value: "1" }]);
  assert.equal(lone?.link, "https://shop.example/products/product-78");
  assert.equal(lone?.options, undefined);
});

const stocks: readonly [string, Partial<FakeVariant>, string, number | undefined][] = [
  ["a tracked item in stock", { sellableOnlineQuantity: 3 }, "in_stock", 3],
  ["an item that is not tracked", { tracked: false, sellableOnlineQuantity: 0 }, "in_stock", undefined],
  ["a sold-out item", { sellableOnlineQuantity: 0, availableForSale: false }, "out_of_stock", 0],
  [
    "a sold-out item that the shop continues to sell",
    { sellableOnlineQuantity: 0, inventoryPolicy: "CONTINUE" },
    "backorder",
    0,
  ],
  ["an oversold item", { sellableOnlineQuantity: -4, availableForSale: false }, "out_of_stock", 0],
  [
    "an oversold item that the shop continues to sell",
    { sellableOnlineQuantity: -4, inventoryPolicy: "CONTINUE" },
    "backorder",
    0,
  ],
  [
    "an item in stock that is not for sale",
    { sellableOnlineQuantity: 2, availableForSale: false },
    "out_of_stock",
    2,
  ],
];

for (const [what, variant, availability, quantity] of stocks) {
  test(`${what} is ${availability}`, async () => {
    const item = itemOf(await draftOf(variant));

    assert.equal(item.availability, availability);
    assert.equal(item.quantity, quantity);
  });
}

const prices: readonly [string, string, string | null, string, string | undefined][] = [
  ["a higher compare-at price is the regular one", "10.00", "12.00", "12.00", "10.00"],
  ["an equal compare-at price is ignored", "10.00", "10.00", "10.00", undefined],
  ["a lower compare-at price is ignored", "10.00", "8.00", "10.00", undefined],
  ["a compare-at price of zero is ignored", "10.00", "0.00", "10.00", undefined],
  ["a price of zero stays zero", "0.00", "5.00", "0.00", undefined],
  ["a decimal point is not a thousands separator", "1299.00", null, "1299.00", undefined],
];

for (const [what, price, compareAtPrice, regular, sale] of prices) {
  test(what, async () => {
    const item = itemOf(await draftOf({ price, compareAtPrice }));

    assert.equal(item.price.amount, regular);
    assert.equal(item.salePrice?.amount, sale);
  });
}

test("if a country is set, its prices are used, in its currency", async () => {
  const marketPrices = { CH: { amount: "29.00", currencyCode: "CHF", compareAt: "35.00" } };

  const swiss = itemOf(await draftOf({ marketPrices }, {}, { country: "CH" }));
  const own = itemOf(await draftOf({ marketPrices }));

  assert.deepEqual(swiss.price, { amount: "35.00", currency: "CHF" });
  assert.deepEqual(swiss.salePrice, { amount: "29.00", currency: "CHF" });
  assert.equal(swiss.country, "CH");
  assert.deepEqual(own.price, { amount: "19.90", currency: "EUR" });
});

test("a template makes the links of a shop with its own storefront", async () => {
  const draft = await draftOf(
    { sku: "a/b" },
    { onlineStoreUrl: null, handle: "mug & co" },
    {
      published_only: "no",
      url_template: "https://www.example.com/p/{handle}/{product_id}?v={variant_id}&s={sku}",
    },
  );

  assert.equal(draft.link, "https://www.example.com/p/mug%20%26%20co/77?v=501&s=a%2Fb");
});

const weights: readonly [number, string, unknown][] = [
  [0, "KILOGRAMS", undefined],
  [250, "GRAMS", { value: "250", unit: "g" }],
  [1.5, "POUNDS", { value: "1.5", unit: "lb" }],
  [0.0000004, "KILOGRAMS", { value: "0.0000004", unit: "kg" }],
  [3, "OUNCES", { value: "3", unit: "oz" }],
];

for (const [value, unit, expected] of weights) {
  test(`a weight of ${value} ${unit} is read exactly`, async () => {
    assert.deepEqual(itemOf(await draftOf({ weight: { value, unit } })).weight, expected);
  });
}

test("an item without shipping is digital, and a product without a weight has none", async () => {
  const item = itemOf(await draftOf({ requiresShipping: false, weight: null }));

  assert.equal(item.isDigital, true);
  assert.equal(item.weight, undefined);
});

test("metafields that are lists are joined, and references are ignored", async () => {
  const draft = await draftOf(
    {},
    {
      metafields: {
        "custom.colors": '["Red","Blue"]',
        "custom.fabric": "gid://shopify/Metaobject/1",
        "custom.pattern": '["gid://shopify/Metaobject/2"]',
      },
    },
    { metafields: "color = custom.colors, material = custom.fabric\npattern = custom.pattern" },
  );

  assert.equal(draft.color, "Red/Blue");
  assert.equal(draft.material, undefined);
  assert.equal(draft.pattern, undefined);
});

test("an uncategorized product without a type has no category", async () => {
  const draft = await draftOf({}, { productType: "", category: { fullName: "Uncategorized" } });

  assert.equal(draft.categories, undefined);
});

const metafields = parseMetafields("mm-google-shopping");
assert.ok(typeof metafields !== "string");
const shop = {
  currency: "EUR",
  taxesIncluded: true,
  settings: { country: null, urlTemplate: null, metafields },
};

test("whatever its fields are, a variant with an id becomes a draft of texts", () => {
  const anything = fc.anything({ maxDepth: 3 });
  const variant = fc.dictionary(
    fc.constantFrom(
      "sku",
      "barcode",
      "price",
      "compareAtPrice",
      "availableForSale",
      "sellableOnlineQuantity",
      "selectedOptions",
      "unitPriceMeasurement",
      "inventoryItem",
      "contextualPricing",
      "media",
      "metafield4",
    ),
    anything,
  );
  const product = fc.dictionary(
    fc.constantFrom(
      "handle",
      "title",
      "descriptionHtml",
      "vendor",
      "category",
      "media",
      "onlineStoreUrl",
      "variantsCount",
      "metafield0",
    ),
    anything,
  );

  fc.assert(
    fc.property(product, variant, (anyProduct, anyVariant) => {
      const read = parsePageProduct({
        ...anyProduct,
        id: "gid://shopify/Product/77",
        variants: { nodes: [{ ...anyVariant, id: "gid://shopify/ProductVariant/501" }] },
      });
      const [first] = read?.variants ?? [];
      assert.ok(read !== null && first !== undefined);
      const draft = mapVariant(read, first, shop);

      assert.ok(draft !== null);
      assert.equal(draft.id, "501");
      for (const value of Object.values(draft)) assert.ok(typeof value === "string" || Array.isArray(value));
      normalize(draft, { position: 1, settings: {}, decimalMark: "." });
    }),
    { numRuns: 80 },
  );
});

test("a variant without an id, or that is no object, has no draft", () => {
  const product = parsePageProduct({
    id: "gid://shopify/Product/7",
    title: "Mug",
    variants: { nodes: [null, {}] },
  });
  assert.ok(product !== null);

  assert.deepEqual(
    product.variants.map((variant) => mapVariant(product, variant, shop)),
    [null, null],
  );
});

test("a huge description is read and shortened in the item", async () => {
  const draft = await draftOf({}, { descriptionHtml: `<p>${"long ".repeat(100_000)}</p>` });

  assert.ok((itemOf(draft).description?.length ?? 0) <= 20_000);
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { product, variableProduct, variation, type WooRow } from "../../../test/fakes/woocommerce-rows.ts";
import type { Draft } from "../../catalog/draft.ts";
import type { Item } from "../../catalog/item.ts";
import { normalize, type Normalized } from "../../catalog/normalize.ts";
import { categoryTree } from "./catalog.ts";
import { type MapContext, productDraft, variationDraft } from "./map.ts";
import { namedValues } from "../../../test/named-values.ts";

const context: MapContext = {
  store: {
    currency: "EUR",
    weightUnit: "lbs",
    sizeUnit: "cm",
    showsAsEntered: true,
    pricesIncludeTax: true,
    showsTax: true,
    priceDecimals: 2,
    visitorPlace: "base",
    baseCountry: "DE",
    baseState: undefined,
    roundsAtSubtotal: false,
  },
  categories: categoryTree([
    { id: 10, name: "Kitchen &amp; Table", parent: 0 },
    { id: 11, name: "Mugs", parent: 10 },
    { id: 12, name: "Big > Small; One | Two", parent: 0 },
    { id: 13, name: "Loop", parent: 13 },
  ]),
  fieldNames: {},
};

const normalized = (draft: Draft): Normalized =>
  normalize(draft, { position: 1, settings: {}, decimalMark: "." });

function itemOf(draft: Draft): Item {
  const result = normalized(draft);
  assert.ok(result.kind === "item", JSON.stringify(result));
  assert.deepEqual(result.warnings, []);
  return result.item;
}

const simple = (more: WooRow): Item => itemOf(productDraft(product(7, more), context));

describe("a simple product", () => {
  test("becomes an item with all its fields", () => {
    const item = simple({
      name: "Mug &#8211; Fire &amp; Ice",
      global_unique_id: "4006381333931",
      regular_price: "15",
      sale_price: "12.50",
      date_on_sale_from_gmt: "2026-11-20T23:00:00",
      date_on_sale_to_gmt: "2026-12-01T22:59:59",
      manage_stock: true,
      stock_quantity: 4,
      weight: "0.75",
      dimensions: { length: "10", width: "8.5", height: "" },
      shipping_class: "fragile",
      short_description: "<p>Short.</p>",
      average_rating: "4.50",
      rating_count: 12,
      categories: [{ id: 11, name: "Mugs", slug: "mugs" }],
      brands: [{ id: 1, name: "Acme &amp; Sons", slug: "acme" }],
      images: [{ src: "https://shop.example/a.jpg" }, { src: "https://shop.example/b.jpg" }],
      attributes: [
        {
          id: 3,
          name: "Material",
          slug: "pa_material",
          visible: true,
          variation: false,
          options: ["Stoneware"],
        },
        { id: 0, name: "MPN", slug: "MPN", visible: true, variation: false, options: ["FI-7"] },
        {
          id: 0,
          name: "Care",
          slug: "Care",
          visible: true,
          variation: false,
          options: ["Dishwasher", "Microwave"],
        },
      ],
    });

    assert.deepEqual(item, {
      id: "7",
      title: "Mug – Fire & Ice",
      link: "https://shop.example/product/mug-7/",
      price: { amount: "15.00", currency: "EUR" },
      availability: "in_stock",
      sku: "mug-7",
      gtin: "4006381333931",
      mpn: "FI-7",
      brand: "Acme & Sons",
      description: "Glazed by hand & fired twice. Number 7.",
      details: [{ name: "Care", value: "Dishwasher, Microwave" }],
      images: ["https://shop.example/a.jpg", "https://shop.example/b.jpg"],
      salePrice: { amount: "12.50", currency: "EUR" },
      saleFrom: "2026-11-20T23:00:00.000Z",
      saleTo: "2026-12-01T22:59:59.000Z",
      priceIncludesTax: true,
      quantity: 4,
      categories: [["Kitchen & Table", "Mugs"]],
      material: "Stoneware",
      weight: { value: "0.75", unit: "lb" },
      length: { value: "10", unit: "cm" },
      width: { value: "8.5", unit: "cm" },
      shippingLabel: "fragile",
      rating: { value: "4.5", count: 12 },
    });
  });

  const stocks: readonly [string, WooRow, Partial<Item>][] = [
    ["in stock, not counted", { stock_status: "instock" }, { availability: "in_stock" }],
    ["sold out", { stock_status: "outofstock" }, { availability: "out_of_stock" }],
    [
      "oversold: a negative quantity is zero",
      { stock_status: "outofstock", manage_stock: true, stock_quantity: -3 },
      { availability: "out_of_stock", quantity: 0 },
    ],
    [
      "no longer counted: an old quantity is ignored",
      { manage_stock: false, stock_quantity: 5 },
      { availability: "in_stock" },
    ],
  ];
  for (const [title, row, expected] of stocks) {
    test(`is ${title}`, () => {
      const { availability, quantity } = simple(row);

      assert.deepEqual({ availability, ...(quantity !== undefined && { quantity }) }, expected);
    });
  }

  test("on backorder has this availability", () => {
    const result = normalized(
      productDraft(product(7, { stock_status: "onbackorder", backorders: "notify" }), context),
    );

    assert.ok(result.kind === "item");
    assert.equal(result.item.availability, "backorder");
  });

  test("without a regular price has its current price", () => {
    const item = simple({ type: "subscription", regular_price: "", price: "9.99" });

    assert.deepEqual(item.price, { amount: "9.99", currency: "EUR" });
  });

  test("that a plugin marks down has its regular and its current price", () => {
    const item = simple({ regular_price: "20", sale_price: "", price: "18", on_sale: true });

    assert.deepEqual([item.price.amount, item.salePrice?.amount], ["20.00", "18.00"]);
  });

  test("without any price is rejected for that reason, and not free", () => {
    const result = normalized(productDraft(product(7, { regular_price: "", price: "" }), context));

    assert.ok(result.kind === "rejected");
    assert.equal(result.rejection.code, "missing_price");
  });

  test("that is free has the price zero", () => {
    const result = normalized(productDraft(product(7, { regular_price: "0", price: "0" }), context));

    assert.ok(result.kind === "item");
    assert.equal(result.item.price.amount, "0.00");
  });

  test("that is virtual or downloadable is digital", () => {
    assert.equal(simple({ virtual: true }).isDigital, true);
    assert.equal(simple({ downloadable: true }).isDigital, true);
    assert.equal(simple({}).isDigital, undefined);
  });

  test("does not have the default category, and separators in category names are replaced", () => {
    const item = simple({
      categories: [
        { id: 1, name: "Uncategorized", slug: "uncategorized" },
        { id: 10, name: "Kitchen &amp; Table", slug: "kitchen" },
        { id: 11, name: "Mugs", slug: "mugs" },
        { id: 12, name: "x", slug: "x" },
        { id: 13, name: "Loop", slug: "loop" },
        { id: 99, name: "Not in the tree", slug: "new" },
      ],
    });

    assert.deepEqual(
      item.categories?.map((path) => path.slice(0, 2)),
      [["Kitchen & Table", "Mugs"], ["Big / Small / One / Two"], ["Loop", "Loop"], ["Not in the tree"]],
    );
  });

  test("has no image if the shop shows its placeholder", () => {
    const item = simple({ images: [{ src: "https://shop.example/wp/woocommerce-placeholder-600.png" }] });

    assert.equal(item.images, undefined);
  });

  test("has brand, GTIN and MPN from the fields that the settings name", () => {
    const row = product(7, {
      attributes: [{ name: "Label", slug: "pa_label", variation: false, options: ["Acme"] }],
      meta_data: [
        { key: "_wpm_gtin_code", value: "4006381333931" },
        { key: "part", value: 77 },
      ],
    });

    const draft = productDraft(row, {
      ...context,
      fieldNames: { brand: "label", gtin: "_wpm_gtin_code", mpn: "part" },
    });

    assert.deepEqual([draft.brand, draft.gtin, draft.mpn], ["Acme", "4006381333931", "77"]);
  });
});

describe("a variation", () => {
  const parent = variableProduct(10, [11, 12], {
    global_unique_id: "4006381333931",
    sku: "shirt",
    weight: "0.4",
    dimensions: { length: "30", width: "20", height: "2" },
    stock_quantity: 9,
    short_description: "A shirt.",
    images: [{ src: "https://shop.example/shirt.jpg" }],
    attributes: [
      { name: "Color", slug: "pa_color", variation: true, options: ["Red", "Blue"] },
      { name: "EAN", slug: "EAN", variation: false, options: ["4006381333931"] },
    ],
  });
  const made = (more: WooRow): Draft => variationDraft(parent, variation(11, 10, more), context);

  test("has its own price and options, and the other fields of its product", () => {
    const item = itemOf(made({ image: { src: "https://shop.example/red.jpg" }, regular_price: "21.90" }));

    assert.deepEqual(item, {
      id: "11",
      title: "Shirt 10",
      link: "https://shop.example/product/shirt-10/?attribute_pa_color=red&attribute_size=S",
      price: { amount: "21.90", currency: "EUR" },
      availability: "in_stock",
      groupId: "10",
      sku: "shirt-10-11",
      groupTitle: "Shirt 10",
      description: "Glazed by hand & fired twice. Number 10.",
      canonicalLink: "https://shop.example/product/shirt-10/",
      images: ["https://shop.example/red.jpg", "https://shop.example/shirt.jpg"],
      priceIncludesTax: true,
      options: namedValues({ Color: "Red", Size: "S" }),
      color: "Red",
      size: "S",
      weight: { value: "0.4", unit: "lb" },
      length: { value: "30", unit: "cm" },
      width: { value: "20", unit: "cm" },
      height: { value: "2", unit: "cm" },
    });
  });

  test("for any value of an attribute has no option for it", () => {
    const draft = made({
      attributes: [
        { name: "Color", option: "" },
        { name: "Size", option: "S" },
      ],
    });

    assert.deepEqual(draft.options, [{ name: "Size", value: "S" }]);
  });

  test("that shares its product's stock has the shared quantity", () => {
    assert.equal(made({ manage_stock: "parent", stock_quantity: 9 }).quantity, "9");
    assert.equal(made({ manage_stock: "parent", stock_quantity: null }).quantity, "9");
    assert.equal(made({ manage_stock: false, stock_quantity: null }).quantity, undefined);
  });

  test("does not have the codes of its product", () => {
    const draft = made({ sku: "shirt", global_unique_id: "4006381333931" });

    assert.deepEqual([draft.sku, draft.gtin], [undefined, undefined]);
  });

  test("that is the only one has no group, and has the product's code", () => {
    const lone = variableProduct(10, [11], { global_unique_id: "4006381333931" });

    const draft = variationDraft(lone, variation(11, 10, { global_unique_id: "4006381333931" }), context);

    assert.deepEqual([draft.groupId, draft.groupTitle, draft.gtin], [undefined, undefined, "4006381333931"]);
  });

  test("without its own price does not have that of its product", () => {
    assert.equal(made({ regular_price: "", price: "" }).price, undefined);
  });
});

describe("unusual data", () => {
  test("keeps an unknown state of stock as its text, also one that every JavaScript object has a property for", () => {
    for (const state of ["preorder-ok", "constructor", "toString"])
      assert.equal(productDraft(product(1, { stock_status: state }), context).availability, state);
  });

  test("becomes a draft whose texts are strings, whatever the fields contain", () => {
    const anyValue = fc.jsonValue() as fc.Arbitrary<unknown>;
    const names = Object.keys({ ...product(1), ...variation(1, 2) });
    const anyRow = fc.dictionary(fc.constantFrom(...names), anyValue, { maxKeys: names.length });

    fc.assert(
      fc.property(anyRow, anyRow, (row, parent) => {
        for (const draft of [productDraft(row, context), variationDraft(parent, row, context)]) {
          const { options, details, categories, additionalImages, ...texts } = draft;
          assert.ok(Object.values(texts).every((text) => typeof text === "string"));
          assert.ok(
            [categories, additionalImages, options, details].every(
              (list) => list === undefined || Array.isArray(list),
            ),
          );
          normalized(draft);
        }
      }),
      { numRuns: 150 },
    );
  });

  test("may have a text of a million characters", () => {
    const result = normalized(
      productDraft(product(7, { description: `<p>${"long ".repeat(200_000)}</p>` }), context),
    );

    assert.ok(result.kind === "item");
    assert.deepEqual(
      result.warnings.map(({ code }) => code),
      ["value_too_long", "cut_in_feeds"],
    );
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { product, storeRow, variableProduct, variation } from "../../../test/fakes/woocommerce-rows.ts";
import { normalize } from "../../catalog/normalize.ts";
import { categoryTree } from "./catalog.ts";
import { fromMinorUnits, storeProductDraft, storeVariationDraft } from "./store-api.ts";

const context = { categories: categoryTree([]), fieldNames: {} };

describe("a product of the Store API", () => {
  test("becomes an item with the price that visitors see", () => {
    const row = storeRow(
      product(7, { regular_price: "15.00", sale_price: "12.50", price: "12.50", on_sale: true }),
    );

    const result = normalize(storeProductDraft(row, context), {
      position: 1,
      settings: {},
      decimalMark: ".",
    });

    assert.ok(result.kind === "item", JSON.stringify(result));
    assert.deepEqual(result.warnings, []);
    assert.deepEqual(result.item.price, { amount: "15.00", currency: "EUR" });
    assert.deepEqual(result.item.salePrice, { amount: "12.50", currency: "EUR" });
    assert.equal(result.item.availability, "in_stock");
    assert.equal(result.item.link, "https://shop.example/product/mug-7/");
  });

  test("that cannot be bought and has the price zero has none, but a free one has", () => {
    const unpriced = storeRow(product(7, { regular_price: "", price: "", purchasable: false }));
    const free = storeRow(product(7, { regular_price: "0", price: "0" }));

    assert.equal(storeProductDraft(unpriced, context).price, undefined);
    assert.equal(storeProductDraft(free, context).price, "0.00");
  });

  test("has a quantity only if few are left, and a weight only with its unit", () => {
    const row = {
      ...storeRow(product(7)),
      low_stock_remaining: 2,
      weight: "0.5",
      formatted_weight: "0.5 kg",
    };

    const { quantity, weight } = storeProductDraft(row, context);

    assert.deepEqual([quantity, weight], ["2", "0.5 kg"]);
  });

  test("has its availability", () => {
    const backorder = storeRow(product(7, { stock_status: "onbackorder" }));
    const out = storeRow(product(7, { stock_status: "outofstock" }));

    assert.equal(storeProductDraft(backorder, context).availability, "backorder");
    assert.equal(storeProductDraft(out, context).availability, "out_of_stock");
    assert.equal(storeProductDraft({}, context).availability, undefined);
  });
});

test("a variation of the Store API has the names of its options and not their slugs", () => {
  const child = variation(11, 10, {
    attributes: [
      { name: "Color", option: "Sea Blue" },
      { name: "Size", option: "" },
    ],
  });
  const parent = storeRow(variableProduct(10, [11, 12]), [child, variation(12, 10)]);

  const draft = storeVariationDraft(parent, storeRow(child), context);

  assert.deepEqual(draft.options, [{ name: "Color", value: "Sea Blue" }]);
  assert.deepEqual([draft.groupId, draft.price, draft.currency], ["10", "20.00", "EUR"]);
});

describe("minor units", () => {
  const cases = [
    ["2400", 2, "24.00"],
    ["5", 2, "0.05"],
    ["0", 2, "0.00"],
    ["1200", 0, "1200"],
    ["12345", 3, "12.345"],
    ["", 2, ""],
    ["12.5", 2, "12.5"],
  ] as const;
  for (const [minor, digits, decimal] of cases) {
    test(`"${minor}" with ${digits} digits is "${decimal}"`, () => {
      assert.equal(fromMinorUnits(minor, digits), decimal);
    });
  }

  test("become a decimal with the same digits, however large", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 30n }),
        fc.integer({ min: 1, max: 4 }),
        (amount, digits) => {
          const decimal = fromMinorUnits(String(amount), digits);

          assert.equal(BigInt(decimal.replace(".", "")), amount);
          assert.equal(decimal.length - decimal.indexOf(".") - 1, digits);
        },
      ),
    );
  });
});

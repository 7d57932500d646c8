import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { assertCases } from "../../../test/assert-cases.ts";
import type { Draft } from "../draft.ts";
import { compareMoney, formatMoney, isZero } from "../money.ts";
import { normalize } from "../normalize.ts";

const settings = { currency: "EUR" };
const base: Draft = { id: "1", title: "Mug", link: "https://shop.example/1", availability: "in stock" };

/** Price, sale price and warnings of a draft with these prices. */
function prices(draft: Draft): [string, string | undefined, ...string[]] {
  const normalized = normalize({ ...base, ...draft }, { position: 1, settings });
  assert.ok(normalized.kind === "item", JSON.stringify(normalized));
  const { price, salePrice } = normalized.item;
  return [
    formatMoney(price),
    salePrice === undefined ? undefined : formatMoney(salePrice),
    ...normalized.warnings.map(({ code }) => code),
  ];
}

test("a sale price below the price is kept", () => {
  assert.deepEqual(prices({ price: "20", salePrice: "15" }), ["20.00 EUR", "15.00 EUR"]);
});

test("a list price above the price is the regular price, and the price is the sale price", () => {
  assert.deepEqual(prices({ price: "15", listPrice: "20" }), ["20.00 EUR", "15.00 EUR"]);
  assert.deepEqual(prices({ price: "20", listPrice: "20" }), ["20.00 EUR", undefined]);
  assert.deepEqual(prices({ price: "20", listPrice: "15" }), ["20.00 EUR", undefined]);
});

test("a sale price has priority over a list price, unless it is not below the price", () => {
  assert.deepEqual(prices({ price: "20", salePrice: "15", listPrice: "30" }), ["20.00 EUR", "15.00 EUR"]);
  assert.deepEqual(prices({ price: "20", salePrice: "20", listPrice: "30" }), [
    "30.00 EUR",
    "20.00 EUR",
    "sale_price_not_lower",
  ]);
});

test("an invalid sale price is left out with a warning", () => {
  const warningOf = (draft: Draft) => {
    const [price, sale, ...warnings] = prices({ price: "20", ...draft });
    assert.deepEqual([price, sale], ["20.00 EUR", undefined]);
    return warnings.join();
  };
  assertCases(warningOf, [
    [{ salePrice: "20" }, "sale_price_not_lower"],
    [{ salePrice: "25" }, "sale_price_not_lower"],
    [{ salePrice: "0" }, "invalid_sale_price"],
    [{ salePrice: "cheap" }, "invalid_sale_price"],
    [{ salePrice: "15 USD" }, "currency_differs"],
    [{ listPrice: "30 USD" }, "currency_differs"],
    [{ listPrice: "?" }, "invalid_list_price"],
  ]);
});

test("a sale price without a currency has the currency of the price", () => {
  assert.deepEqual(prices({ price: "20 USD", salePrice: "15" }), ["20.00 USD", "15.00 USD"]);
});

test("zero is a valid price if it is explicit, but no sale price without dates", () => {
  assert.deepEqual(prices({ price: "0.00" }), ["0.00 EUR", undefined, "zero_price"]);
  assert.deepEqual(prices({ price: "0", listPrice: "20" }), ["0.00 EUR", undefined, "zero_price"]);
  const left = ["20.00 EUR", undefined, "invalid_sale_price"];
  assert.deepEqual(prices({ price: "20", salePrice: "0" }), left);
  assert.deepEqual(prices({ price: "20", salePrice: "0", saleWindow: "2026-11-01/2026-11-30" }), left);
});

test("a sale price of zero with dates is kept, with a warning", () => {
  const sale = { price: "20", salePrice: "0.00" };

  assert.deepEqual(prices({ ...sale, saleFrom: "2026-11-01" }), ["20.00 EUR", "0.00 EUR", "zero_price"]);
  assert.deepEqual(prices({ ...sale, saleTo: "2026-11-30" }), ["20.00 EUR", "0.00 EUR", "zero_price"]);
  assert.deepEqual(prices({ ...sale, saleTo: "soon" }), ["20.00 EUR", undefined, "invalid_sale_window"]);
  assert.deepEqual(prices({ ...sale, price: "0", saleTo: "2026-11-30" }), [
    "0.00 EUR",
    undefined,
    "zero_price",
    "sale_price_not_lower",
  ]);
});

test("the warning of a price of zero says who refuses the item, which stays in every file", () => {
  const messageOf = (draft: Draft) => {
    const normalized = normalize({ ...base, ...draft }, { position: 1, settings });
    return normalized.kind === "item" ? normalized.warnings.map(({ message }) => message).join() : "";
  };
  assertCases(messageOf, [
    [{ price: "0.00 EUR" }, 'price "0.00 EUR" is zero; OpenAI and Google refuse the item.'],
    [
      { price: "20", salePrice: "0.00", saleTo: "2026-11-30" },
      'sale_price "0.00 EUR" is zero; while the sale runs, OpenAI and Google refuse the item.',
    ],
  ]);
});

test("the currency in the price is used, and a different currency field is a warning", () => {
  assert.deepEqual(prices({ price: "20 USD", currency: "EUR" }), [
    "20.00 USD",
    undefined,
    "currency_conflict",
  ]);
  assert.deepEqual(prices({ price: "20 USD", currency: "usd" }), ["20.00 USD", undefined]);
  assert.deepEqual(prices({ price: "20", currency: "€" }), ["20.00 EUR", undefined]);
});

test("sale dates are read from an interval or from two fields", () => {
  const sale = { price: "20", salePrice: "15" };
  const windowOf = (draft: Draft): unknown[] => {
    const normalized = normalize({ ...base, ...sale, ...draft }, { position: 1, settings });
    return normalized.kind === "item" ? [normalized.item.saleFrom, normalized.item.saleTo] : [];
  };
  const november = ["2026-11-01T00:00:00.000Z", "2026-11-30T23:59:59.999Z"];

  assert.deepEqual(windowOf({ saleWindow: "2026-11-01/2026-11-30" }), november);
  assert.deepEqual(windowOf({ saleFrom: "2026-11-01", saleTo: "2026-11-30" }), november);
  assert.deepEqual(windowOf({ saleFrom: "2026-11-01" }), [november[0], undefined]);
  assert.deepEqual(windowOf({ saleTo: "2026-11-30" }), [undefined, november[1]]);
  assert.deepEqual(windowOf({}), [undefined, undefined]);
});

test("a sale with unreadable dates is left out, so that it does not run forever", () => {
  for (const window of [
    { saleWindow: "next week" },
    { saleFrom: "2026-12-01", saleTo: "2026-11-01" },
    { saleTo: "05/06/2026" },
  ])
    assert.deepEqual(prices({ price: "20", salePrice: "15", ...window }), [
      "20.00 EUR",
      undefined,
      "invalid_sale_window",
    ]);
});

test("sale dates without a sale price are ignored", () => {
  assert.deepEqual(prices({ price: "20", saleWindow: "next week" }), ["20.00 EUR", undefined]);
});

test("for any prices, a sale price is above zero and below the price, in its currency", () => {
  const amount = fc.oneof(
    fc.nat({ max: 50 }).map(String),
    fc.constantFrom("", "x", "10 USD", "10.00", "1,5"),
  );

  fc.assert(
    fc.property(amount, amount, amount, (price, salePrice, listPrice) => {
      const normalized = normalize({ ...base, price, salePrice, listPrice }, { position: 1, settings });
      if (normalized.kind === "rejected" || normalized.item.salePrice === undefined) return;
      const { item } = normalized;
      assert.ok(!isZero(normalized.item.salePrice));
      assert.ok(compareMoney(normalized.item.salePrice, item.price) < 0);
    }),
    { numRuns: 500 },
  );
});

test("a cost is an amount in the currency of the price; zero is none, and another currency is refused", () => {
  const cost = (text: string): readonly (string | undefined)[] => {
    const result = normalize({ ...base, price: "20", cost: text }, { position: 1, settings });
    assert.ok(result.kind === "item");
    return [result.item.cost && formatMoney(result.item.cost), ...result.warnings.map(({ code }) => code)];
  };

  assert.deepEqual(cost("12,50 €"), ["12.50 EUR"]);
  assert.deepEqual(cost("0.00"), [undefined]);
  assert.deepEqual(cost("9 USD"), [undefined, "currency_differs"]);
  assert.deepEqual(cost("on request"), [undefined, "invalid_amount"]);
});

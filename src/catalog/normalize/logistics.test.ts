import assert from "node:assert/strict";
import { test } from "node:test";
import type { Draft, ShippingDraft } from "../draft.ts";
import type { ShippingRate } from "../item.ts";
import { normalize } from "../normalize.ts";

const base: Draft = {
  id: "1",
  title: "Mug",
  link: "https://shop.example/1",
  price: "20 EUR",
  availability: "in stock",
};

function shippingOf(...shipping: ShippingDraft[]): [readonly ShippingRate[] | undefined, string[]] {
  const normalized = normalize({ ...base, shipping }, { position: 1, settings: {} });
  assert.ok(normalized.kind === "item");
  return [normalized.item.shipping, normalized.warnings.map(({ code }) => code)];
}

test("a shipping rate keeps its fields, with the price in the item's currency", () => {
  assert.deepEqual(shippingOf({ country: "at", price: "4,90" }, { price: "0" }), [
    [
      { country: "AT", price: { amount: "4.90", currency: "EUR" } },
      { price: { amount: "0.00", currency: "EUR" } },
    ],
    [],
  ]);
});

test("a rate in another currency is left out with a warning, because no file supports it", () => {
  assert.deepEqual(shippingOf({ price: "4.90" }, { price: "0 USD" }), [
    [{ price: { amount: "4.90", currency: "EUR" } }],
    ["currency_differs"],
  ]);
});

test("an unreadable rate does not affect the others", () => {
  const [rates, codes] = shippingOf(
    { country: "DE", price: "4.90" },
    { country: "Mars", price: "1.00" },
    { price: "?" },
  );

  assert.equal(rates?.length, 1);
  assert.deepEqual(codes, ["invalid_shipping", "invalid_shipping"]);
});

test("days whose minimum exceeds the maximum are left out, and the rate is kept", () => {
  const [rates, codes] = shippingOf({
    price: "1",
    minTransit: "5",
    maxTransit: "2",
    minHandling: "n/a",
    maxHandling: "x",
  });

  assert.deepEqual(rates, [{ price: { amount: "1.00", currency: "EUR" } }]);
  assert.deepEqual(codes, ["invalid_number", "invalid_number"]);
});

test("a rating without reviews is left out without a warning", () => {
  for (const rating of [
    { ratingValue: "0", ratingCount: "0" },
    { ratingCount: "0" },
    { ratingValue: "0" },
    { ratingValue: "0.00" },
  ]) {
    const normalized = normalize({ ...base, ...rating }, { position: 1, settings: {} });
    assert.ok(normalized.kind === "item");
    assert.equal(normalized.item.rating, undefined);
    assert.deepEqual(normalized.warnings, []);
  }
});

test("a rate that several items share is read for each by its own currency and decimal mark, and warned about for each", () => {
  const rate: ShippingDraft = { price: "1.299" };
  const broken: ShippingDraft = { price: "free" };
  const read = (shipping: ShippingDraft, price: string, decimalMark?: "." | ",") => {
    const result = normalize(
      { ...base, price, shipping: [shipping] },
      { position: 1, settings: {}, decimalMark },
    );
    assert.ok(result.kind === "item");
    return [result.item.shipping?.[0]?.price, result.warnings.length];
  };

  assert.deepEqual(read(rate, "20 EUR"), [undefined, 1]);
  assert.deepEqual(read(rate, "20 EUR", ","), [{ amount: "1299.00", currency: "EUR" }, 0]);
  assert.deepEqual(read(rate, "20 EUR", "."), [{ amount: "1.30", currency: "EUR" }, 1]);
  assert.deepEqual(read(rate, "20 KWD"), [{ amount: "1.299", currency: "KWD" }, 0]);
  assert.deepEqual(read(rate, "20 KWD", ","), [{ amount: "1299.000", currency: "KWD" }, 0]);
  assert.deepEqual(read(broken, "20 EUR"), [undefined, 1]);
  assert.deepEqual(read(broken, "20 EUR"), [undefined, 1]);
});

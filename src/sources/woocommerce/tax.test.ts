import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { taxRate } from "../../../test/fakes/woocommerce-tax.ts";
import type { WoocommerceStore } from "./store.ts";
import { isRateOfShop, priceCalculator, taxRates } from "./tax.ts";

const store: WoocommerceStore = {
  currency: "EUR",
  weightUnit: undefined,
  sizeUnit: undefined,
  showsAsEntered: false,
  pricesIncludeTax: false,
  showsTax: true,
  priceDecimals: 2,
  visitorPlace: "base",
  baseCountry: "CA",
  baseState: "QC",
  roundsAtSubtotal: false,
};
const rate = (id: number, percent: string, more = {}) => taxRate(id, percent, { country: "CA", ...more });
const ROW = { id: 1, tax_status: "taxable", tax_class: "" };

function shown(price: string, rates: ReturnType<typeof rate>[], more: Partial<WoocommerceStore> = {}) {
  return priceCalculator(ROW, { ...store, ...more }, taxRates(rates))?.(price);
}

test("of the rates of one priority, the most specific applies", () => {
  const rates = [
    rate(1, "5"),
    rate(2, "15", { state: "QC" }),
    rate(3, "99", { state: "ON" }),
    rate(4, "50", { country: "" }),
    rate(5, "40", { country: "FR" }),
  ].filter((row) => isRateOfShop(row, store));

  assert.equal(shown("100", rates), "115.00");
});

test("rates of several priorities add up, and a compound one applies to the others", () => {
  const plain = [rate(1, "5"), rate(2, "9.975", { priority: 2 })];
  const compound = [rate(1, "5"), rate(2, "10", { priority: 2, compound: true })];

  assert.equal(shown("100", plain), "114.98");
  assert.equal(shown("100", compound), "115.50");
  assert.equal(shown("115.50", compound, { pricesIncludeTax: true, showsTax: false }), "100.00");
});

test("each tax is rounded by itself, unless the shop rounds at the subtotal", () => {
  const rates = [rate(1, "5.5"), rate(2, "5.5", { priority: 2 })];

  assert.equal(shown("0.10", rates), "0.12");
  assert.equal(shown("0.10", rates, { roundsAtSubtotal: true }), "0.11");
});

test("rates that depend on postcodes or cities determine no price", () => {
  assert.equal(shown("1", [rate(1, "5", { postcodes: ["H2*"] })]), undefined);
});

test("a price that is no number stays as it is", () => {
  assert.equal(shown("call us", [rate(1, "5")]), "call us");
});

test("tax that is added and subtracted again leaves the price, within a cent", () => {
  const percent = fc.integer({ min: 0, max: 400_000 }).map((n) => (n / 10_000).toFixed(4));
  const cents = fc.integer({ min: 0, max: 99_999_999 });

  fc.assert(
    fc.property(cents, percent, percent, fc.boolean(), (price, first, second, compound) => {
      const rates = [rate(1, first), rate(2, second, { priority: 2, compound })];
      const gross = shown((price / 100).toFixed(2), rates) ?? "";
      const net = shown(gross, rates, { pricesIncludeTax: true, showsTax: false });
      assert.ok(Math.abs(Number(net) * 100 - price) <= 1.001, `${price} became ${gross} and ${net}`);
    }),
    { numRuns: 300 },
  );
});

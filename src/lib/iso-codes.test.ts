import assert from "node:assert/strict";
import { test } from "node:test";
import { COUNTRIES, COUNTRY_CURRENCIES, CURRENCIES } from "./iso-codes.ts";

test("the currency of a country is given with current codes of both", () => {
  for (const [country, currency] of COUNTRY_CURRENCIES) {
    assert.ok(COUNTRIES.has(country), country);
    assert.ok(CURRENCIES.has(currency), `${country} ${currency}`);
  }
});

test("countries have the currency of their shops, and those with several currencies have none", () => {
  const expected = { US: "USD", DE: "EUR", BG: "EUR", HR: "EUR", GB: "GBP", JP: "JPY", CH: "CHF", CW: "XCG" };
  for (const [country, currency] of Object.entries(expected))
    assert.equal(COUNTRY_CURRENCIES.get(country), currency, country);
  for (const country of ["PA", "HT", "LS", "BT", "ZW", "AQ"])
    assert.equal(COUNTRY_CURRENCIES.get(country), undefined, country);
});

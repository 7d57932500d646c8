import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAll } from "../../test/assert-cases.ts";
import { CURRENCIES } from "../lib/iso-codes.ts";
import withdrawn from "./vocabulary/withdrawn-currencies.json" with { type: "json" };
import { currencyExponent, isCurrency, nameCurrency } from "./currency.ts";

test("the list has the active currencies, without withdrawn ones and those that are no means of payment", () => {
  assertAll(isCurrency, true, ["EUR", "USD", "JPY", "XCG", "ZWG", "SLE", "VED", "KWD"]);
  assertAll(isCurrency, false, [
    "HRK",
    "BGN",
    "ANG",
    "SLL",
    "ZWL",
    "DEM",
    "XAU",
    "XXX",
    "XTS",
    "XDR",
    "eur",
    "",
    "EU",
  ]);
});

test("a withdrawn code is not a current one, and its successor is", () => {
  for (const [code, { successor }] of Object.entries(withdrawn)) {
    assert.equal(isCurrency(code), false, code);
    assert.ok(isCurrency(successor), code);
  }
});

test("every code is three capital letters", () => {
  assert.ok([...CURRENCIES.keys()].every((code) => /^[A-Z]{3}$/.test(code)));
});

test("exponents follow ISO 4217", () => {
  const expected = { EUR: 2, JPY: 0, ISK: 0, UGX: 0, KWD: 3, TND: 3, IQD: 3, CLF: 4, UYW: 4, HUF: 2, MGA: 2 };

  for (const [code, exponent] of Object.entries(expected))
    assert.equal(currencyExponent(code), exponent, code);
  assert.equal(currencyExponent("constructor"), undefined);
});

test("a currency sign is accepted only if it is unambiguous", () => {
  const cases: [string, string | undefined, string][] = [
    ["€", undefined, "EUR"],
    ["£", undefined, "GBP"],
    ["£", "EGP", "EGP"],
    ["£", "EUR", "GBP"],
    ["US$", "CAD", "USD"],
    ["$", "CAD", "CAD"],
    ["$", "EUR", "ambiguous"],
    ["$", undefined, "ambiguous"],
    ["¥", "CNY", "CNY"],
    ["¥", undefined, "ambiguous"],
    ["kr", "SEK", "SEK"],
    ["kr.", "DKK", "DKK"],
    ["kr", "EUR", "ambiguous"],
    ["zł", undefined, "PLN"],
    ["Kč", undefined, "CZK"],
    ["Fr.", undefined, "CHF"],
    ["usd", undefined, "USD"],
    ["bitcoin", undefined, "unknown"],
    ["__proto__", undefined, "unknown"],
  ];

  for (const [token, expected, outcome] of cases) {
    const named = nameCurrency(token, expected);
    assert.equal(named.kind === "named" ? named.code : named.kind, outcome, `${token} in ${expected}`);
  }
});

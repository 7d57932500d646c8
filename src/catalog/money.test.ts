import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../lib/any-character.fixture.ts";
import { CURRENCIES } from "../lib/iso-codes.ts";
import { currencyExponent } from "./currency.ts";
import type { Money } from "./item.ts";
import { compareMoney, formatMoney, isAmbiguousPrice, isZero, type MoneyHints, parseMoney } from "./money.ts";
import { assertCases } from "../../test/assert-cases.ts";

function read(text: string, hints: MoneyHints = {}): string {
  const parsed = parseMoney(text, hints);
  return parsed.kind === "valid" ? formatMoney(parsed.value) : parsed.reason;
}

const currency = fc.constantFrom(...CURRENCIES.keys());
const amountOf = (code: string): fc.Arbitrary<Money> =>
  fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }).chain((whole) => {
    const exponent = currencyExponent(code) ?? 0;
    return fc.bigInt({ min: 0n, max: 10n ** BigInt(exponent) - 1n }).map((minor) => ({
      amount: exponent === 0 ? `${whole}` : `${whole}.${`${minor}`.padStart(exponent, "0")}`,
      currency: code,
    }));
  });
const money = currency.chain(amountOf);
const minorUnits = (value: Money): bigint => BigInt(value.amount.replace(".", ""));

test("prices are read as shops write them", () => {
  assertCases(
    (text) => read(text, { currency: "USD" }),
    [
      ["19.99 USD", "19.99 USD"],
      ["USD 19.99", "19.99 USD"],
      ["19.99 usd", "19.99 USD"],
      ["19.99USD", "19.99 USD"],
      ["$19.99", "19.99 USD"],
      ["$ 19.99 USD", "19.99 USD"],
      ["$19.99 CAD", "19.99 CAD"],
      ["CAD $19.99", "not_a_number"],
      ["19,99 €", "19.99 EUR"],
      ["€19,99", "19.99 EUR"],
      ["EUR 1.299,00", "1299.00 EUR"],
      ["1.299,00 EUR", "1299.00 EUR"],
      ["1 299,00 €", "1299.00 EUR"],
      ["1\u00a0299,00\u00a0€", "1299.00 EUR"],
      ["1\u202f299,00\u202f€", "1299.00 EUR"],
      ["1\u2009299,00 €", "1299.00 EUR"],
      ["1,299.00", "1299.00 USD"],
      ["1,234,567.89", "1234567.89 USD"],
      ["1.234.567,89", "1234567.89 USD"],
      ["₹12,34,567.50", "1234567.50 INR"],
      ["1299", "1299.00 USD"],
      ["CHF 1'299.00", "1299.00 CHF"],
      ["CHF 1’299.-", "1299.00 CHF"],
      ["19,- €", "19.00 EUR"],
      ["19,– €", "19.00 EUR"],
      ["1980 JPY", "1980 JPY"],
      ["1.980 JPY", "1980 JPY"],
      ["1980.00 JPY", "1980 JPY"],
      ["19.9 USD", "19.90 USD"],
      ["19.9000 USD", "19.90 USD"],
      ["007.50", "7.50 USD"],
      [".99", "0.99 USD"],
      ["0", "0.00 USD"],
      ["0.00 USD", "0.00 USD"],
      ["1.299 KWD", "1.299 KWD"],
      ["12.5 KWD", "12.500 KWD"],
      ["0.999", "1.00 USD"],
      ["0.994", "0.99 USD"],
      ["1234.567", "1234.57 USD"],
      ["19.9999", "20.00 USD"],
      ["1.5 JPY", "2 JPY"],
      ["0.005", "0.01 USD"],
      [`1.${"4".repeat(50)}`, "1.44 USD"],
      ["1.299,- €", "1299.00 EUR"],
      ["1.299.– CHF", "1299.00 CHF"],
      ["12.500 IDR", "12500.00 IDR"],
      ["  42.00 EUR ", "42.00 EUR"],
      ["349 kr", "ambiguous_currency"],
      ["R$ 10,00", "10.00 BRL"],
      ["49,90 zł", "49.90 PLN"],
    ],
  );
});

test("a text that is not one exact amount is refused with the reason", () => {
  assertCases(
    (text) => read(text, { currency: "USD" }),
    [
      ["", "empty"],
      [" \t\u00a0", "empty"],
      ["free", "not_a_number"],
      ["ab 19,99", "not_a_number"],
      ["19.99/kg", "not_a_number"],
      ["19.99 EUR excl. VAT", "without_tax"],
      ["19.99 EUR + VAT", "without_tax"],
      ["1,980円（税抜）", "without_tax"],
      ["税別 ¥1,980", "without_tax"],
      ["19,99 € HT", "without_tax"],
      ["19.99 EUR excl. delivery", "not_a_number"],
      ["100 تومان", "not_a_number"],
      ["10-20", "range"],
      ["10 – 20 USD", "range"],
      ["10 USD - 20 USD", "range"],
      ["-5", "negative"],
      ["−5.00 EUR", "negative"],
      ["USD -5", "negative"],
      ["(5.00)", "negative"],
      ["1e3", "exponent"],
      ["1.5E+06", "exponent"],
      ["19.999", "ambiguous_number"],
      ["19,999 EUR", "ambiguous_number"],
      ["1,299 KWD", "ambiguous_number"],
      ["0.0049", "too_small"],
      ["0.4 JPY", "too_small"],
      ["999999999999.999", "too_large"],
      ["1,2,3", "not_a_number"],
      ["12.34.56", "not_a_number"],
      ["1.299,000,00", "not_a_number"],
      ["1234567890123", "too_large"],
      ["19.99 XYZ", "unknown_currency"],
      ["19.99 DEM", "unknown_currency"],
      ["€19.99 USD", "conflicting_currencies"],
      ["$19.99 EUR", "conflicting_currencies"],
      ["19.99 \u{1f4b0}", "not_a_number"],
      ["9".repeat(1_000_000), "not_a_number"],
    ],
  );
});

test("an amount without a currency needs the currency of its context", () => {
  assert.equal(read("19.99"), "missing_currency");
  assert.equal(read("$19.99"), "ambiguous_currency");
  assert.equal(read("$19.99", { currency: "EUR" }), "ambiguous_currency");
  assert.equal(read("$19.99", { currency: "AUD" }), "19.99 AUD");
  assert.equal(read("19.99", { currency: "XYZ" }), "unknown_currency");
  assert.equal(read("1.299,5", { currency: "XYZ" }), "unknown_currency");
});

test("a single mark before three digits is interpreted by the known decimal mark, else by the currency, or refused", () => {
  const eur = (text: string, decimalMark?: "." | ","): string => read(text, { currency: "EUR", decimalMark });

  assert.equal(eur("1,299"), "ambiguous_number");
  assert.equal(eur("1.299"), "ambiguous_number");
  assert.equal(eur("1,299", "."), "1299.00 EUR");
  assert.equal(eur("1.299", ","), "1299.00 EUR");
  assert.equal(eur("1.299", "."), "1.30 EUR");
  assert.equal(eur("1.290", "."), "1.29 EUR");
  assert.equal(eur("1,290", ","), "1.29 EUR");
  assert.equal(read("1.299", { currency: "KWD" }), "1.299 KWD");
  assert.equal(read("1,299", { currency: "JPY" }), "1299 JPY");
  assert.equal(read("990.000", { currency: "JPY", decimalMark: "." }), "990 JPY");
  assert.equal(read("1,299", { currency: "KWD", decimalMark: "." }), "1299.000 KWD");
  // Any other number of digits can only be a fraction, whatever the column says.
  assert.equal(eur("19.99", ","), "19.99 EUR");
  assert.equal(eur("19,9", "."), "19.90 EUR");
});

test("formatted money is parsed to the same money", () => {
  fc.assert(
    fc.property(money, (value) => {
      // Without the mark, 1.000 IQD is ambiguous: prices in dinars rarely have decimals.
      assert.deepEqual(parseMoney(formatMoney(value), { decimalMark: "." }), { kind: "valid", value });
      assert.deepEqual(parseMoney(value.amount, { currency: value.currency, decimalMark: "." }), {
        kind: "valid",
        value,
      });
    }),
  );
});

test("grouping and decimal marks do not change the amount", () => {
  fc.assert(
    fc.property(money, fc.constantFrom([",", "."], [".", ","], [" ", ","], ["'", "."]), (value, marks) => {
      const [group = "", decimal = ""] = marks;
      const [whole = "", fraction] = value.amount.split(".");
      const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, group);
      const text = fraction === undefined ? grouped : `${grouped}${decimal}${fraction}`;
      const decimalMark = decimal === "," ? "," : ".";
      assert.deepEqual(parseMoney(`${text} ${value.currency}`, { decimalMark }), { kind: "valid", value });
    }),
  );
});

test("amounts of one currency are ordered as their minor units are", () => {
  const pair = currency.chain((code) => fc.tuple(amountOf(code), amountOf(code)));

  fc.assert(
    fc.property(pair, ([a, b]) => {
      const byUnits = minorUnits(a) - minorUnits(b);
      assert.equal(Math.sign(compareMoney(a, b)), byUnits < 0n ? -1 : byUnits > 0n ? 1 : 0);
      assert.equal(isZero(a), minorUnits(a) === 0n);
    }),
  );
});

test("amounts of two currencies have no order", () => {
  assert.throws(
    () => compareMoney({ amount: "1.00", currency: "EUR" }, { amount: "1.00", currency: "USD" }),
    RangeError,
  );
});

test("the parser never throws, and accepts its own output", () => {
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: fc.constantFrom(...Array.from("0123456789.,'’ -–e+$€£kr USDEUR\u00a0")) }),
  );

  fc.assert(
    fc.property(texts, fc.option(currency, { nil: undefined }), (text, code) => {
      const parsed = parseMoney(text, { currency: code });
      if (parsed.kind !== "valid") return;
      // A text that was rounded is not rounded again.
      const { value } = parsed;
      assert.deepEqual(parseMoney(formatMoney(value), { decimalMark: "." }), { kind: "valid", value });
    }),
    { numRuns: 400 },
  );
});

test("signs, digits and notes of prices outside English are read", () => {
  assertCases(
    (text) => read(text, { currency: "SEK" }),
    [
      ["Rp 150.000", "150000.00 IDR"],
      ["Rp1.500.000", "1500000.00 IDR"],
      ["150.000đ", "150000 VND"],
      ["150.000 VNĐ", "150000 VND"],
      ["1.299,90 TL", "1299.90 TRY"],
      ["12,900원", "12900 KRW"],
      ["1 299 руб.", "1299.00 RUB"],
      ["499 грн", "499.00 UAH"],
      ["499,50 грн.", "499.50 UAH"],
      ['99.90 ש"ח', "99.90 ILS"],
      ["199:-", "199.00 SEK"],
      ["1 299:-", "1299.00 SEK"],
      ["199:- kr", "199.00 SEK"],
      ["19,99 € inkl. MwSt.", "19.99 EUR"],
      ["19,99 EUR (inkl. MwSt.)", "19.99 EUR"],
      ["19,99 € TTC", "19.99 EUR"],
      ["12,50 € c/IVA", "12.50 EUR"],
      ["12,50 €/Stk.", "12.50 EUR"],
      ["12,50 zł / szt.", "12.50 PLN"],
      ["1 260 ₽ /шт", "1260.00 RUB"],
      ["1,980円(税込)", "1980 JPY"],
      ["税込1,980円", "1980 JPY"],
      ["1,980円（税込）", "1980 JPY"],
      ["（税込）1,980円", "1980 JPY"],
      ["٩٩٫٥٠ ر.س", "99.50 SAR"],
      ["١٬٢٩٩٫٠٠ SAR", "1299.00 SAR"],
      ["۱۲۳۴ EUR", "1234.00 EUR"],
      ["\u200f99.90 ₪", "99.90 ILS"],
      ["EUR.99", "0.99 EUR"],
      ["kr.99", "99.00 SEK"],
    ],
  );
});

test("a sign of another currency is never read as the catalog's currency", () => {
  assertCases(
    (text) => read(text, { currency: "EUR" }),
    [
      ["¥1,980（税込）", "ambiguous_currency"],
      ["税込 ¥1980", "ambiguous_currency"],
      ["1980 (税込) ¥", "ambiguous_currency"],
      ["inkl. MwSt. $19.99", "ambiguous_currency"],
      ["kr 1.299", "ambiguous_currency"],
      ["1 299,00 kr", "ambiguous_currency"],
      ["₹1,299.00", "1299.00 INR"],
      ["R$ 1.299,90", "1299.90 BRL"],
      ["TTC € 19,99", "19.99 EUR"],
    ],
  );
  assert.equal(read("¥1,980（税込）", { currency: "JPY" }), "1980 JPY");
  assert.equal(read("税込 ¥1,980", { currency: "JPY" }), "1980 JPY");
});

test("the CFA franc is read in the catalog's currency, XAF or XOF, and nowhere else", () => {
  for (const text of ["15 000 Fcfa", "15 000 FCFA", "15.000 F CFA", "15000 CFA"]) {
    assert.equal(read(text, { currency: "XAF" }), "15000 XAF", text);
    assert.equal(read(text, { currency: "XOF" }), "15000 XOF", text);
    assert.equal(read(text, { currency: "EUR" }), "ambiguous_currency", text);
  }
});

test("a shared sign confirms the catalog's currency, and never decides against it", () => {
  assert.equal(read("Rs. 1,299.00", { currency: "INR" }), "1299.00 INR");
  assert.equal(read("Rs.1,299.00", { currency: "PKR" }), "1299.00 PKR");
  assert.equal(read("Rs.99", { currency: "LKR" }), "99.00 LKR");
  assert.equal(read("Rs. 1,299.00", { currency: "EUR" }), "ambiguous_currency");
  assert.equal(read("Rs. 1,299.00"), "ambiguous_currency");
  assert.equal(read("10 руб.", { currency: "BYN" }), "10.00 BYN");
  assert.equal(read("99 R", { currency: "ZAR" }), "99.00 ZAR");
});

test("a price that was rounded may have as many digits as any other", () => {
  assertCases(
    (text) => read(text),
    [
      ["12345678901.999 USD", "12345678902.00 USD"],
      ["999999999999.994 USD", "999999999999.99 USD"],
      ["999999999999.995 USD", "too_large"],
    ],
  );
});

test("a price is ambiguous if its one mark stands before exactly three digits, whatever else is in the text", () => {
  for (const text of ["1.299", "1,299", "€ 1.299", "12,500 USD", "1.299 € inkl. MwSt.", "١.٢٩٩"])
    assert.equal(isAmbiguousPrice(text), true, text);
  for (const text of [
    "1.29",
    "1299",
    "1.299,00",
    "1.299.000",
    "0.299",
    "1.2999",
    "1.299,-",
    "1.299 - 2.500",
    "",
    "x".repeat(60) + "1.299",
  ])
    assert.equal(isAmbiguousPrice(text), false, text);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { assertCases } from "../../test/assert-cases.ts";
import { roundHalfUp } from "./decimal.ts";
import { DecimalMarkEvidence } from "./decimal-mark.ts";
import { currencyExponent } from "./currency.ts";
import { parseMoney } from "./money.ts";

function markOf(prices: readonly string[], currency = "EUR"): "." | "," | null {
  const evidence = new DecimalMarkEvidence();
  for (const price of prices) evidence.add(price, currency);
  return evidence.mark();
}

test("one price that can be read one way only shows the decimal mark of all", () => {
  assertCases(
    (text) => markOf(text.split(" | ")),
    [
      ["1.299 | 12,50", ","],
      ["1.299 | 12,5", ","],
      ["1.299 | 1.299,00", ","],
      ["1.299 | 1.234.567", ","],
      ["1.299 | 0,999", ","],
      ["1.299 | 1299,500", ","],
      ["1.299 | 1.299,-", ","],
      ["1.299 | 12.50", "."],
      ["1.299 | 1.5", "."],
      ["1.299 | 0.999", "."],
      ["1.299 | .5", "."],
      ["1.299 | 12.3456", "."],
      ["1.299 | 1,299.00", "."],
      ["1.299 | 12,34,567", "."],
      ["1.299 | 1 299.500", "."],
      ["1.299 EUR | € 5,90", ","],
      ["1.299 | 2.50 USD", "."],
    ],
  );
});

test("a whole number whose thousands are not separated shows that the mark of the others is the decimal mark", () => {
  assertCases(
    (text) => markOf(text.split(" | ")),
    [
      ["12.345 | 3.250 | 950 | 1200", "."],
      ["12,345 | 120000", ","],
      ["12.345 | 1 200", "."],
      // Spanish writes 1234 and 12.345.
      ["12.345 | 1234", null],
      ["12.345 | 950", null],
    ],
  );
});

test("prices that show nothing, or both marks, decide nothing", () => {
  assertCases(
    (text) => markOf(text.split(" | ")),
    [
      ["12.345 | 3.250 | 1.299", null],
      ["1.299 | 1,299", null],
      ["1.299 | 1,299 | 12000", null],
      ["1.299 | 12.50 | 12,50", null],
      ["5 | 950", null],
      ["1.299 | 10.00 - 20.00", null],
      ["1.299 | call 12.50.11", null],
      ["1.299 | free | ", null],
      [`1.299 | ${"1.5".repeat(100_000)}`, null],
    ],
  );
});

test("one price decides for twenty ambiguous prices at most: it may be a mistake of its own", () => {
  const many = (count: number, price: string) => Array.from({ length: count }, () => price);

  assert.equal(markOf([...many(20, "3.250"), "12,50"]), ",");
  assert.equal(markOf([...many(21, "3.250"), "12,50"]), null);
  assert.equal(markOf([...many(20, "3,250"), "12000"]), ",");
  assert.equal(markOf([...many(21, "3,250"), "12000"]), null);
  assert.equal(markOf([...many(39, "3.250"), ...many(2, "12,50")]), ",");
});

test("a currency without decimals shows that a mark separates thousands", () => {
  assert.equal(markOf(["1.500", "990.000"], "JPY"), ",");
  assert.equal(markOf(["12.500", "150000"], "IDR"), ",");
  assert.equal(markOf(["990.000", "1500.000"], "JPY"), ".");
  assert.equal(markOf(["990.000"], "JPY"), null);
});

/** How a program or a person writes all prices of a file. */
const writer = fc.record({
  mark: fc.constantFrom(".", ","),
  /** `other` is the point for a comma, and the comma for a point. */
  group: fc.constantFrom("", "other", " ", "'"),
  /** Spanish groups from five digits up. */
  groupsFrom: fc.constantFrom(4, 5),
  decimals: fc.integer({ min: 0, max: 4 }),
  trimsZeros: fc.boolean(),
});
type Writer = Parameters<Parameters<typeof writer.map>[0]>[0];

/** `units` are ten-thousandths. */
function written(units: number, { mark, group, groupsFrom, decimals, trimsZeros }: Writer) {
  const whole = String(Math.floor(units / 10_000));
  const digits = String(units % 10_000)
    .padStart(4, "0")
    .slice(0, decimals);
  const fraction = trimsZeros ? digits.replace(/0+$/, "") : digits;
  const separator = group === "other" ? (mark === "." ? "," : ".") : group;
  const head = whole.length < groupsFrom ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, separator);
  return {
    text: fraction === "" ? head : `${head}${mark}${fraction}`,
    number: `${whole}.${digits === "" ? "0" : digits}`,
  };
}

const DECIMALS: Readonly<Record<string, number>> = { JPY: 0, IDR: 0, KWD: 3 };

test("however a file writes its prices, each is read exactly or refused, never wrong by a factor", () => {
  const units = fc.oneof(
    fc.integer({ min: 1_0000, max: 999_9999 }),
    fc.integer({ min: 1000_0000, max: 999_999_9999 }),
    fc.integer({ min: 1, max: 999_999 }).map((thousands) => thousands * 10_000),
  );
  fc.assert(
    fc.property(
      fc.array(units, { minLength: 1, maxLength: 12 }),
      writer,
      fc.constantFrom("EUR", "USD", "JPY", "IDR", "KWD"),
      (amounts, style, currency) => {
        // Three decimals in yen, and dinars without their decimals, are not written by anyone.
        const decimals = DECIMALS[currency] ?? style.decimals;
        const how = { ...style, decimals, trimsZeros: currency !== "KWD" && style.trimsZeros };
        const prices = amounts.map((amount) => written(amount, how));
        const evidence = new DecimalMarkEvidence();
        for (const { text } of prices) evidence.add(text, currency);
        const decimalMark = evidence.mark() ?? undefined;
        for (const { text, number } of prices) {
          const read = parseMoney(text, { currency, decimalMark });
          if (read.kind === "invalid") assert.equal(read.reason, "ambiguous_number");
          else assert.equal(read.value.amount, roundHalfUp(number, currencyExponent(currency) ?? 0), text);
        }
      },
    ),
    { numRuns: 5_000 },
  );
});

test("a file whose prices are all written one way is never refused for it once a price in twenty shows the mark", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1_0000, max: 999_999_9999 }), { maxLength: 20 }),
      writer,
      (amounts, style) => {
        const prices = amounts.map((amount) => written(amount, style).text);
        const shown = written(12_5000, { ...style, decimals: 2, trimsZeros: false }).text;
        const evidence = new DecimalMarkEvidence();
        for (const price of [...prices, shown]) evidence.add(price, "EUR");
        const decimalMark = evidence.mark() ?? undefined;
        for (const price of prices)
          assert.equal(parseMoney(price, { currency: "EUR", decimalMark }).kind, "valid", price);
      },
    ),
  );
});

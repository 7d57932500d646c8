import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkGtin, gtinNote } from "./gtin.ts";
import { assertCases } from "../../test/assert-cases.ts";

function read(text: string): string {
  const checked = checkGtin(text);
  if (checked.kind === "invalid") return checked.reason;
  return checked.note === undefined ? checked.gtin : `${checked.gtin} ${checked.note}`;
}

/** Written apart from the code under test: weights by position instead of by running alternation. */
function withCheckDigit(body: string): string {
  const digits = Array.from(body, Number).toReversed();
  const sum = digits.reduce((total, digit, i) => total + digit * (i % 2 === 0 ? 3 : 1), 0);
  return `${body}${(10 - (sum % 10)) % 10}`;
}

const digitsOf = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...Array.from("0123456789")), minLength: length, maxLength: length });
const body = fc.constantFrom(7, 11, 12, 13).chain(digitsOf);

test("a GTIN is accepted in every unambiguous spelling", () => {
  assertCases(read, [
    ["4006381333931", "4006381333931"],
    ["036000291452", "036000291452"],
    ["96385074", "96385074"],
    ["90311017", "90311017"],
    ["10614141000415", "10614141000415"],
    ["3234567890126", "3234567890126"],
    ["036282818705", "036282818705"],
    [" 4006381333931 ", "4006381333931"],
    ["4-006381-333931", "4006381333931"],
    ["978-1-4555-8234-1", "9781455582341"],
    ["1455582344", "9781455582341"],
    ["1-4555-8234-4", "9781455582341"],
    ["080442957X", "9780804429573"],
    ["080442957x", "9780804429573"],
    ['="036000291452"', "036000291452"],
    ["'036000291452", "036000291452"],
    ["4006381333931.0", "4006381333931"],
  ]);
});

test("a text that is no GTIN is refused with the reason", () => {
  assertCases(read, [
    ["4006381333930", "wrong_check_digit"],
    ["323456789012", "wrong_check_digit"],
    ["4.00638E+12", "spreadsheet_damage"],
    ["4,00638E+12", "spreadsheet_damage"],
    ["4e12", "spreadsheet_damage"],
    ["00819509", "wrong_check_digit"],
    ["04252614", "wrong_check_digit"],
    ["36000291452", "lost_zero"],
    ["36000291453", "wrong_length"],
    ["1455582345", "wrong_length"],
    ["123", "wrong_length"],
    ["400638133393100", "wrong_length"],
    ["", "not_digits"],
    ["does not apply", "not_digits"],
    ["４００６３８１３３３９３１", "not_digits"],
    ["4006381333931, 96385074", "not_digits"],
    ["0000000000000", "placeholder"],
    ["9999999999994", "9999999999994 coupon"],
    ["1111111111111", "placeholder"],
    ["1234567890128", "placeholder"],
    ["012345678905", "placeholder"],
    ["12345670", "placeholder"],
    ["1".repeat(1_000_000), "wrong_length"],
    ["1 ".repeat(1_000_000), "not_digits"],
  ]);
});

test("numbers from restricted ranges are accepted with a note", () => {
  const cases: [string, string | undefined][] = [
    [withCheckDigit("200000000001"), "restricted"],
    [withCheckDigit("29999999999"), "restricted"],
    [withCheckDigit("41234500000"), "restricted"],
    [withCheckDigit("981000000000"), "coupon"],
    [withCheckDigit("990000000001"), "coupon"],
    [withCheckDigit("51234500000"), "coupon"],
    [withCheckDigit("9061414100041"), "variable_measure"],
    [withCheckDigit("1200000000001"), "restricted"],
    [withCheckDigit("2012345"), "restricted"],
    [withCheckDigit("0200001"), "restricted"],
    [withCheckDigit("400638133393"), undefined],
    [withCheckDigit("978145558234"), undefined],
  ];

  assertCases(gtinNote, cases);
  for (const [gtin, note] of cases) assert.equal(read(gtin), note === undefined ? gtin : `${gtin} ${note}`);
});

test("a number with a correct check digit is accepted, and with any other refused", () => {
  fc.assert(
    fc.property(body, fc.integer({ min: 1, max: 9 }), (digits, step) => {
      const gtin = withCheckDigit(digits);
      const checked = checkGtin(gtin);
      fc.pre(!(checked.kind === "invalid" && checked.reason === "placeholder"));
      assert.ok(checked.kind === "valid" && checked.gtin === gtin);
      const wrong = `${digits}${(Number(gtin.at(-1)) + step) % 10}`;
      assert.equal(checkGtin(wrong).kind, "invalid");
    }),
  );
});

test("whatever is accepted is a GTIN and is accepted again unchanged", () => {
  const texts = fc.oneof(
    digitsOf(8),
    digitsOf(10),
    digitsOf(12),
    fc.string({ unit: fc.constantFrom(...Array.from("0123456789X- .e+")) }),
  );

  fc.assert(
    fc.property(texts, (text) => {
      const checked = checkGtin(text);
      if (checked.kind === "invalid") return;
      assert.match(checked.gtin, /^(?:\d{8}|\d{12,14})$/);
      assert.equal(withCheckDigit(checked.gtin.slice(0, -1)), checked.gtin);
      assert.deepEqual(checkGtin(checked.gtin), checked);
    }),
    { numRuns: 500 },
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { rejectedRows, withoutStored } from "./rejected.ts";

const rejection = (code: string, position: number) => ({
  item_id: `r${position}`,
  position,
  field: null,
  code,
  message: `Something about ${code}.`,
});

test("rows are counted by code, without unpublished ones", () => {
  const { count, reasons } = rejectedRows([
    { rejected: 175, rejection_codes: { unpublished: 100, missing_price: 5, duplicate_item_id: 70 } },
    { rejected: 7, rejection_codes: { missing_price: 7 } },
  ]);

  assert.equal(count, 82);
  assert.deepEqual(
    reasons.map(({ code, rows, message }) => [code, rows, message]),
    [
      ["duplicate_item_id", 70, "Another item of the catalog has the same identifier."],
      ["missing_price", 12, "The item has no price."],
    ],
  );
});

test("a run without codes is counted by its list, and has no numbers by code where the list is incomplete", () => {
  const listed = [rejection("unpublished", 1), rejection("missing_title", 2), rejection("missing_title", 3)];

  const whole = rejectedRows([{ rejected: 3, rejections: listed }]);
  const cut = rejectedRows([{ rejected: 500, rejections: listed }]);

  assert.deepEqual(
    [whole.count, whole.reasons.map(({ code, rows }) => [code, rows])],
    [2, [["missing_title", 2]]],
  );
  assert.deepEqual(
    [cut.count, cut.reasons.map(({ code, rows }) => [code, rows])],
    [499, [["missing_title", null]]],
  );
});

test("examples show every reason before they repeat one, with the row number", () => {
  const { examples } = rejectedRows([
    {
      rejections: [
        rejection("missing_price", 4),
        rejection("missing_price", 5),
        rejection("invalid_price", 9),
      ],
    },
  ]);

  assert.deepEqual(examples, [
    { item_id: "r4", message: "Row 4: Something about missing_price." },
    { item_id: "r9", message: "Row 9: Something about invalid_price." },
    { item_id: "r5", message: "Row 5: Something about missing_price." },
  ]);
});

test("a run without rejection statistics has no rejected rows", () => {
  assert.deepEqual(rejectedRows([{}, { rejected: "many", rejection_codes: null }]), {
    count: 0,
    reasons: [],
    examples: [],
  });
  assert.equal(rejectedRows([]).count, 0);
});

test("rows whose items are stored now no longer count, except repeated ids", () => {
  const rejections = [
    rejection("missing_price", 1),
    rejection("missing_price", 2),
    rejection("duplicate_item_id", 3),
  ];
  const stats = { rejected: 3, rejection_codes: { missing_price: 2, duplicate_item_id: 1 }, rejections };

  const some = rejectedRows([withoutStored(stats, new Set(["r1", "r3"]))]);
  const all = rejectedRows([withoutStored(stats, new Set(["r1", "r2", "r3"]))]);

  assert.deepEqual([some.count, some.examples.length], [2, 2]);
  assert.deepEqual(
    all.reasons.map(({ code, rows }) => [code, rows]),
    [["duplicate_item_id", 1]],
  );
});

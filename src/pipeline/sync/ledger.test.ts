import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Rejection, Warning } from "../../catalog/finding.ts";
import { AppError } from "../../errors.ts";
import { balance, EMPTY_STATS, Ledger, MAX_ISSUES, MAX_REJECTIONS } from "./ledger.ts";

const rejection = (position: number, code: Rejection["code"] = "missing_price"): Rejection => ({
  itemId: `a${position}`,
  position,
  field: "price",
  code,
  message: "The item has no price.",
});

const NONE = { upserted: 0, unchanged: 0, removed: 0 };

test("all rejections are counted, and the first are listed in the order of the source", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 250 }), fc.integer({ min: 0, max: 250 }), (bad, repeated) => {
      const ledger = new Ledger();
      for (let i = 1; i <= bad; i += 1) ledger.reject(rejection(i * 2));
      const sample = Array.from({ length: Math.min(repeated, MAX_REJECTIONS) }, (_, i) =>
        rejection(i * 2 + 1),
      );
      ledger.accepted += repeated;

      ledger.rejectAccepted("duplicate_item_id", repeated, sample);

      const { rejected, rejections, rejection_codes } = ledger.stats(NONE);
      assert.equal(rejected, bad + repeated);
      assert.deepEqual(
        rejection_codes,
        Object.fromEntries(
          [
            ["missing_price", bad],
            ["duplicate_item_id", repeated],
          ].filter(([, count]) => count !== 0),
        ),
      );
      assert.equal(ledger.accepted, 0);
      assert.equal(rejections.length, Math.min(MAX_REJECTIONS, rejected));
      const positions = rejections.map(({ position }) => position);
      assert.deepEqual(
        positions,
        positions.toSorted((a, b) => a - b),
      );
    }),
    { numRuns: 50 },
  );
});

test("the listed rejections are spread over the codes: a rare one is never hidden by a common one", () => {
  const codes = ["unpublished", "missing_title", "missing_price", "invalid_id"] as const;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...codes), { maxLength: 400 }), (rejected) => {
      const ledger = new Ledger();
      rejected.forEach((code, i) => ledger.reject(rejection(i + 1, code)));

      const { rejections, rejection_codes } = ledger.stats(NONE);

      assert.equal(rejections.length, Math.min(MAX_REJECTIONS, rejected.length));
      const counts = Object.entries(rejection_codes);
      for (const [code, count] of counts) {
        const listed = rejections.filter((one) => one.code === code);
        assert.ok(listed.length >= Math.min(count, Math.floor(MAX_REJECTIONS / counts.length)), code);
        // The first of the code, without gaps.
        const first = rejected.flatMap((one, i) => (one === code ? [i + 1] : [])).slice(0, listed.length);
        assert.deepEqual(
          listed.map(({ position }) => position),
          first,
        );
      }
    }),
  );
});

test("a hundred drafts do not hide the 39 variants behind them", () => {
  const ledger = new Ledger();
  for (let i = 1; i <= 1_000; i += 1) ledger.reject(rejection(i, "unpublished"));
  ledger.accepted = 39;
  ledger.rejectAccepted(
    "duplicate_item_id",
    39,
    Array.from({ length: 39 }, (_, i) => rejection(1_001 + i)),
  );

  const { rejections, rejection_codes } = ledger.stats(NONE);

  assert.deepEqual(rejection_codes, { unpublished: 1_000, duplicate_item_id: 39 });
  assert.deepEqual(
    Map.groupBy(rejections, ({ code }) => code)
      .entries()
      .map(([code, listed]) => [code, listed.length])
      .toArray(),
    [
      ["unpublished", 61],
      ["duplicate_item_id", 39],
    ],
  );
});

test("reasons that do not add up to the rejected items are refused", () => {
  const stats = { ...EMPTY_STATS, seen: 3, rejected: 3, rejection_codes: { missing_title: 2 } };

  assert.throws(() => balance(stats), { code: "ledger_mismatch" });
  balance({ ...stats, rejection_codes: { missing_title: 2, missing_price: 1 } });
});

test("a rejection has the field names of the API", () => {
  const ledger = new Ledger();
  ledger.reject(rejection(7));

  assert.deepEqual(ledger.stats({ upserted: 0, unchanged: 0, removed: 0 }).rejections, [
    {
      item_id: "a7",
      position: 7,
      field: "price",
      code: "missing_price",
      message: "The item has no price.",
    },
  ]);
});

test("warnings are counted one by one and by their code", () => {
  const ledger = new Ledger();
  const warning = (code: Warning["code"]): Warning => ({
    itemId: null,
    position: null,
    field: null,
    code,
    message: "",
  });
  for (const code of ["ragged_row", "invalid_gtin", "ragged_row"] as const) ledger.warn(warning(code));

  const { warnings, warning_codes } = ledger.stats({ upserted: 0, unchanged: 0, removed: 0 });

  assert.equal(warnings, 3);
  assert.deepEqual(warning_codes, { ragged_row: 2, invalid_gtin: 1 });
});

test("a run lists the first warnings of each code, and all warnings about the whole source", () => {
  const ledger = new Ledger();
  const common = { itemId: "a", field: null, message: "." };
  for (let i = 1; i <= 50; i += 1) ledger.warn({ ...common, position: i, code: "invalid_gtin" });
  ledger.warn({ ...common, position: 51, code: "zero_price" });
  for (let i = 1; i <= 8; i += 1) ledger.warn({ ...common, itemId: null, position: null, code: "left_out" });

  const { warning_examples } = ledger.stats({ upserted: 0, unchanged: 0, removed: 0 });

  const count = (code: string) => warning_examples.filter((one) => one.code === code).length;
  assert.deepEqual([count("invalid_gtin"), count("zero_price"), count("left_out")], [5, 1, 8]);
});

test("numbers that add up pass; others are refused with a message that has all of them", () => {
  const anyCount = fc.integer({ min: 0, max: 1_000_000 });
  fc.assert(
    fc.property(
      anyCount,
      anyCount,
      anyCount,
      fc.integer({ min: -9, max: 9 }),
      (upserted, unchanged, rejected, off) => {
        const seen = upserted + unchanged + rejected + off;
        const rejection_codes = { missing_title: rejected };
        const stats = { ...EMPTY_STATS, seen, upserted, unchanged, rejected, rejection_codes };
        if (off === 0) {
          balance(stats);
          return;
        }
        assert.throws(
          () => balance(stats),
          (error) =>
            error instanceof AppError &&
            error.code === "ledger_mismatch" &&
            [seen, upserted, unchanged, rejected].every((count) => error.message.includes(String(count))),
        );
      },
    ),
  );
});

test("the stored issues are bounded, and a rare code is stored although others came first", () => {
  const ledger = new Ledger();
  const warning = (position: number, code: Warning["code"]): Warning => ({
    itemId: "a",
    position,
    field: "gtin",
    code,
    message: "The GTIN is not valid.",
  });
  for (let i = MAX_ISSUES + 500; i >= 1; i -= 1) {
    ledger.reject(rejection(i, "unpublished"));
    ledger.warn(warning(i, "invalid_gtin"));
  }
  for (let i = 1; i <= 150; i += 1) {
    ledger.reject(rejection(20_000 + i));
    ledger.warn(warning(20_000 + i, "invalid_url"));
  }
  ledger.countWarnings("nothing_to_remove", 7);

  const issues = ledger.issues();
  const counts = Map.groupBy(issues, ({ kind, code }) => `${kind} ${code}`);
  assert.deepEqual(
    [...counts].map(([what, list]) => [what, list.length]),
    [
      ["rejection unpublished", MAX_ISSUES],
      ["rejection missing_price", 100],
      ["warning invalid_gtin", MAX_ISSUES],
      ["warning invalid_url", 100],
    ],
  );
  const positions = issues.flatMap(({ kind, position }) => (kind === "rejection" ? [position ?? 0] : []));
  assert.deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
  );
  const { rejected, warnings, warning_codes } = ledger.stats();
  assert.deepEqual([rejected, warnings], [MAX_ISSUES + 650, MAX_ISSUES + 657]);
  assert.equal(warning_codes["nothing_to_remove"], 7);
});

test("the statistics list at most a hundred warnings, whatever they are about, and count all", () => {
  const ledger = new Ledger();
  for (let i = 0; i < 150; i += 1)
    ledger.warn({ itemId: null, position: null, field: null, code: "nothing_published", message: "None." });

  const { warnings, warning_examples } = ledger.stats(NONE);

  assert.deepEqual([warnings, warning_examples.length], [150, 100]);
});

test("items that were not read are counted apart, and there are none unless the merge says so", () => {
  assert.equal(new Ledger().stats({ ...NONE, notRead: 7 }).not_read, 7);
  assert.equal(new Ledger().stats(NONE).not_read, 0);
  assert.deepEqual(new Ledger().stats(), EMPTY_STATS);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  apportion,
  BANDS,
  compareScores,
  floorDivide,
  gradeOf,
  greatestCommonDivisor,
  hundredths,
  LossSum,
  type CatalogScore,
  scoreCatalog,
  UNIT,
} from "./grades.ts";

const total = (numbers: readonly bigint[]) => numbers.reduce((sum, number) => sum + number, 0n);

test("losses at different stakes add up exactly", () => {
  const missed = new LossSum();
  missed.add(3, 240 * 3);
  missed.add(7, 240 * 7);
  missed.add(97, 240 * 97);

  assert.equal(missed.inUnits(), 300n * UNIT);
});

test("adding and subtracting the same losses gives zero", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 1_200 }))),
      (losses) => {
        const missed = new LossSum();
        for (const [stake, amount] of losses) missed.add(stake, amount);
        for (const [stake, amount] of losses) missed.add(stake, -amount);

        assert.equal(missed.inUnits(), 0n);
      },
    ),
  );
});

test("shares add up to the total, are off by less than one, and zero stays zero", () => {
  fc.assert(
    fc.property(
      fc.array(fc.bigInt({ min: -10_000n, max: 10_000n }), { minLength: 1 }),
      fc.bigInt({ min: 1n, max: 999n }),
      (parts, per) => {
        // The last part makes the sum a whole number.
        const rest = per * floorDivide(total(parts), per) - total(parts);
        const all = [...parts, rest];

        const shares = apportion(all, { per, total: total(all) / per });

        assert.equal(total(shares) * per, total(all));
        for (const [at, share] of shares.entries()) {
          const part = all[at] ?? 0n;
          assert.ok(share * per - part < per && part - share * per < per);
          if (part === 0n) assert.equal(share, 0n);
        }
      },
    ),
  );
});

test("scores are ordered from high to low, by their exact values", () => {
  const anyScore = fc
    .tuple(fc.integer({ min: 1, max: 1_000 }), fc.bigInt({ min: 0n, max: 100n * UNIT }))
    .map(([items, lost]) => scoreCatalog({ items, lost }));
  const value = ({ exact }: CatalogScore): number => Number(exact.numerator) / Number(exact.denominator);
  fc.assert(
    fc.property(anyScore, anyScore, (a, b) => {
      const order = compareScores(a, b);
      assert.equal(order, -compareScores(b, a) || 0);
      if (Math.abs(value(a) - value(b)) > 1e-6) assert.equal(order, value(a) > value(b) ? -1 : 1);
    }),
  );
  const better = scoreCatalog({ items: 3, lost: UNIT });
  assert.deepEqual([better, scoreCatalog({ items: 3, lost: 2n * UNIT })].toSorted(compareScores)[0], better);
});

test("a total that the parts cannot add up to is an error", () => {
  assert.throws(() => apportion([100n, 200n], { per: 100n, total: 4n }), RangeError);
});

test("division rounds towards minus infinity", () => {
  assert.deepEqual([floorDivide(7n, 2n), floorDivide(-7n, 2n), floorDivide(-8n, 2n)], [3n, -4n, -4n]);
});

test("the greatest common divisor accepts negative numbers and zero", () => {
  assert.equal(greatestCommonDivisor([12n, -18n, 0n]), 6n);
});

test("what is left over goes to the largest remainders, and of equal ones to the first", () => {
  assert.deepEqual(apportion([10n, 60n, 30n], { per: 100n, total: 1n }), [0n, 1n, 0n]);
  assert.deepEqual(apportion([40n, 30n, 40n, 90n], { per: 100n, total: 2n }), [1n, 0n, 0n, 1n]);
});

test("a grade begins at its limit and not a point below it", () => {
  assert.deepEqual([100, 90, 89, 80, 79, 70, 69, 60, 59, 0].map(gradeOf).join(""), "AABBCCDDFF");
  assert.equal(BANDS.at(-1)?.from, 0);
});

test("hundredths of a point are shown with two decimals", () => {
  assert.deepEqual([hundredths(8_123n), hundredths(-50n), hundredths(0n)], [81.23, -0.5, 0]);
});

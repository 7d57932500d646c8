import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeVerdict, encodeVerdict, ruleNumbersOf, scoreOf, type Verdict } from "./verdict.ts";

/** Numbers that no rule has, so that no channel refuses anything. */
const anyFinding = fc
  .tuple(fc.integer({ min: 100, max: 255 }), fc.integer({ min: 0, max: 15 }), fc.integer({ min: 0, max: 11 }))
  .map(([number, points, earned]) => ({ number, points, earned }));

/** The stake is at least the points of the findings. */
const anyVerdict: fc.Arbitrary<Verdict> = fc
  .uniqueArray(anyFinding, { maxLength: 6, selector: ({ number }) => number })
  .chain((findings) => {
    const least = findings.reduce((sum, { points }) => sum + points, 1);
    return fc.integer({ min: least, max: 100 }).map((stake) => ({ stake, findings }));
  });

test("a verdict is the same after encoding and decoding", () => {
  fc.assert(
    fc.property(anyVerdict, (verdict) => {
      assert.deepEqual(decodeVerdict(encodeVerdict(verdict)), verdict);
    }),
  );
});

test("five findings take eleven bytes", () => {
  const findings = [1, 2, 3, 4, 5].map((number) => ({ number, points: 3, earned: 6 }));

  assert.equal(encodeVerdict({ stake: 90, findings }).length, 11);
});

test("the score is computed from the bytes exactly, and cut", () => {
  fc.assert(
    fc.property(anyVerdict, (verdict) => {
      const { stake, findings } = verdict;

      const missed = findings.reduce((sum, { points, earned }) => sum + BigInt(points * (12 - earned)), 0n);
      const exact = (100n * (12n * BigInt(stake) - missed)) / (12n * BigInt(stake));
      assert.equal(scoreOf(verdict), Number(exact));
    }),
  );
});

test("an item that loses points never has 100", () => {
  assert.equal(scoreOf({ stake: 100, findings: [{ number: 9, points: 1, earned: 11 }] }), 99);
  assert.equal(scoreOf({ stake: 100, findings: [{ number: 109, points: 0, earned: 0 }] }), 100);
});

test("an item keeps the share of the channels that accept it", () => {
  const scored = (...numbers: number[]) =>
    scoreOf({ stake: 100, findings: numbers.map((number) => ({ number, points: 0, earned: 0 })) });

  assert.equal(scored(11), 55, "OpenAI refuses an item without a brand");
  assert.equal(scored(10), 55, "Google refuses an item without an availability");
  assert.equal(scored(10, 11), 10, "only JSON-LD is left");
  assert.equal(scored(59), 0, "no channel takes an item whose page cannot be opened");
});

test("ruleNumbersOf returns the numbers of all findings", () => {
  fc.assert(
    fc.property(anyVerdict, (verdict) => {
      assert.deepEqual(
        ruleNumbersOf(encodeVerdict(verdict)),
        verdict.findings.map(({ number }) => number),
      );
    }),
  );
});

test("decoding bytes that are not a verdict throws", () => {
  for (const bytes of [[], [0], [101], [90, 1], [90, 1, 2, 3]])
    assert.throws(() => decodeVerdict(Uint8Array.from(bytes)), RangeError);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isLonger, lengthOf, weightOf } from "./text-length.ts";

test("the length of a text is its number of code points", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat({ max: 20 }), (text, limit) => {
      assert.equal(lengthOf(text), Array.from(text).length);
      assert.equal(isLonger(text, limit), Array.from(text).length > limit);
    }),
  );
});

test("a Chinese, Japanese or Korean character counts as three, up to the limit", () => {
  assert.equal(weightOf("stool", 100), 5);
  assert.equal(weightOf("橡木凳子", 100), 12);
  assert.equal(weightOf("橡木凳子", 10), 10);
  assert.equal(weightOf("오크 의자", 100), 13);
});

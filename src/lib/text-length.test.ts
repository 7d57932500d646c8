import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isLonger, lengthOf, weightOf } from "./text-length.ts";

test("a text is as long as it has code points", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat({ max: 20 }), (text, limit) => {
      assert.equal(lengthOf(text), Array.from(text).length);
      assert.equal(isLonger(text, limit), Array.from(text).length > limit);
    }),
  );
});

test("a character of Chinese, Japanese or Korean says as much as three others, up to what is enough", () => {
  assert.equal(weightOf("stool", 100), 5);
  assert.equal(weightOf("橡木凳子", 100), 12);
  assert.equal(weightOf("橡木凳子", 10), 10);
  assert.equal(weightOf("오크 의자", 100), 13);
});

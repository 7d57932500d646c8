import assert from "node:assert/strict";
import { test } from "node:test";
import { isBrandFiller, isColorFiller } from "./google-fillers.ts";

test("a brand that is none is known", () => {
  for (const word of ["Generic", "no brand", "Does not exist"]) assert.ok(isBrandFiller(word), word);
  for (const word of ["Genericon", "No Brand Studios", "Deuter"]) assert.ok(!isBrandFiller(word), word);
});

test("what is no color is known, and one Chinese character is one", () => {
  for (const word of ["Multicolor", "various", "#ffeedd", "12", "R", "n/a", "See image"])
    assert.ok(isColorFiller(word), word);
  for (const word of ["Red", "Multicolor red", "紅", "Sand", "Mint", "12 shades of grey"])
    assert.ok(!isColorFiller(word), word);
});

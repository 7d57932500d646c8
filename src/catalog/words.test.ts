import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { meaningOf, wordKey, wordTable } from "./words.ts";

const SIZES = wordTable({ big: ["large", "Größe XL"], small: ["petit", "mały"] });

test("spelling does not matter: case, accents, dashes, spaces, a schema.org address", () => {
  for (const text of [
    "big",
    "LARGE",
    " Large ",
    "grösse-xl",
    "GRÖSSE_XL",
    "groSSe xl",
    "https://schema.org/Large",
    "schema.org/Large",
  ])
    assert.equal(meaningOf(SIZES, text), "big", text);
  assert.equal(meaningOf(SIZES, "MAŁY"), "small");
  assert.equal(meaningOf(SIZES, "maly"), "small");
});

test("an unknown word has no meaning", () => {
  for (const text of [
    "",
    "???",
    "larger",
    "very large",
    "constructor",
    "__proto__",
    "toString",
    "l".repeat(1_000_000),
  ])
    assert.equal(meaningOf(SIZES, text), undefined, text.slice(0, 20));
});

test("a phrase with two meanings is an error in the table", () => {
  assert.throws(() => wordTable({ yes: ["maybe"], no: ["Maybe"] }), /two meanings/);
});

test("adding a word twice changes nothing", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => wordKey(wordKey(text)) === wordKey(text)));
});

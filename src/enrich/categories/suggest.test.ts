import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BULK_CONFIDENCE } from "../../contract/proposals.ts";
import { categoryById } from "../../catalog/google-taxonomy.ts";
import { suggestCategories } from "./suggest.ts";

const first = (path: string, ...titles: string[]) =>
  suggestCategories(
    path.split(">").map((level) => level.trim()),
    titles,
  )[0];

const assertFirst = (cases: readonly (readonly [path: string, id: number, ...titles: string[]])[]): void => {
  for (const [path, id, ...titles] of cases) assert.equal(first(path, ...titles)?.id, id, path);
};

test("a path of Google's taxonomy is its category, for certain", () => {
  assert.deepEqual(suggestCategories(["Home & Garden", "Lighting", "Lamps"], []), [
    { id: 4636, confidence: 1, matched: ["Home & Garden", "Lighting", "Lamps"] },
  ]);
});

test("the most specific level decides, by names that merchants use", () => {
  assertFirst([
    ["Home > Lighting > Table lamps", 4636],
    ["Women > Tops > Hoodies", 212],
    ["Women > Dresses", 2271],
    ["Outdoor > Bikes", 1026],
    ["Kitchen > Mugs", 2169],
    ["Living room > Couches", 460],
  ]);
});

test("the levels above decide between categories of the same name", () => {
  assertFirst([
    ["Pets > Dogs > Beds", 4434],
    ["Bedroom furniture > Beds", 505764],
    ["Baby > Strollers", 568],
  ]);
});

test("a level that says nothing belongs to the one above it", () => {
  assertFirst([
    ["Furniture > Sofas > Sale", 460],
    ["Shoes > New arrivals", 187],
    ["Clothing > Accessories", 167],
  ]);
});

test("a level may list several things", () => {
  assertFirst([["Grocery > Coffee & Tea", 1868]]);
});

test("titles help where the path says little", () => {
  assertFirst([
    ["New in", 4636, "Brass table lamp", "Ceramic table lamp", "Oak floor lamp"],
    ["Sale", 4636, "Table lamp with linen shade"],
    ["Neu", 5598, "Jacke mit Kapuze"],
  ]);
});

test("paths in other languages are read, with compounds and inflected words", () => {
  assertFirst([
    ["Wohnen > Beleuchtung > Tischlampen", 4636],
    ["Herren > Bekleidung > Hosen", 204],
    ["Garten > Gartenmöbel", 4299],
    ["Herren > Winterjacken", 5598],
    ["Maison > Luminaires > Lampes de table", 4636],
    ["Hombre > Zapatos", 187],
    ["Donna > Scarpe", 187],
    ["Dames > Jurken", 2271],
    ["Meble > Łóżka", 505764],
    ["Casa > Móveis > Sofás", 460],
  ]);
});

test("a word that fits is not enough for a high confidence: something else must point to the same part", () => {
  const confidence = (path: string, ...titles: string[]) => first(path, ...titles)?.confidence ?? 0;
  for (const path of ["Tubos", "Caixas", "Planes", "Files", "Drums"])
    assert.ok(confidence(path, `${path} 20`) < BULK_CONFIDENCE, path);
  for (const path of ["Tools > Planes", "Musical instruments > Guitars", "Schmuck > Eheringe"])
    assert.ok(confidence(path) >= BULK_CONFIDENCE, path);
});

test("a category for a part of what a level lists is not certain", () => {
  for (const path of ["Electronics > Computers and accessories", "Furniture > Tables & Lamps"])
    assert.ok((first(path)?.confidence ?? 0) < BULK_CONFIDENCE, path);
});

test("in languages in which too few suggestions were judged, none is certain", () => {
  for (const path of ["Meubels > Banken", "Meble > Łóżka", "Casa > Móveis > Sofás"])
    assert.ok((first(path)?.confidence ?? 0) < BULK_CONFIDENCE, path);
});

test("suggestions name the words that they are based on", () => {
  const { confidence = 0, matched = [] } = first("Home > Lighting > Table lamps") ?? {};
  assert.deepEqual([...matched].sort(), ["Home", "Lighting", "Table", "lamps"].sort());
  assert.ok(confidence > 0.7 && confidence < 1);
});

test("what says nothing about a product gets no suggestion", () => {
  for (const path of ["", "Sale", "Xyzzy", "123", "Баня > Вееры"])
    assert.deepEqual(first(path), undefined, path);
});

test("any text gives at most five known categories, the most likely one first, and the same ones again", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string({ unit: "grapheme", maxLength: 30 }),
          fc.constantFrom("Lamps", "Dog & Cat", "Hosen"),
        ),
        { maxLength: 4 },
      ),
      fc.array(fc.string({ maxLength: 40 }), { maxLength: 3 }),
      (path, titles) => {
        const found = suggestCategories(path, titles, ["en", "de"]);
        assert.ok(found.length <= 5);
        for (const { id, confidence } of found) {
          assert.ok(categoryById(id) !== undefined);
          assert.ok(confidence > 0 && confidence <= 1);
        }
        assert.deepEqual(suggestCategories(path, titles, ["en", "de"]), found);
      },
    ),
    { numRuns: 100 },
  );
});

test("a path of Shopify's taxonomy leads to the category that it extends", () => {
  assertFirst([
    ["Apparel & Accessories > Clothing > Clothing Tops > T-Shirts", 212],
    ["Baby & Toddler > Baby Transport > Baby Strollers > Travel Systems", 568],
    ["Home & Garden > Lighting > Lamps > Lava & Glitter", 4636],
  ]);
});

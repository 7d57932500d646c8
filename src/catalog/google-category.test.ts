import assert from "node:assert/strict";
import { test } from "node:test";
import { apparelKind, categoryKind, isMedia } from "./google-category.ts";

test("numbers of the taxonomy are recognized, and no others", () => {
  const known = Array.from({ length: 550_000 }, (_, number) => String(number)).filter(
    (number) => categoryKind(number) !== "unrecognized",
  );
  assert.equal(categoryKind("999999"), "unrecognized");

  assert.equal(known.length, 5_595);
  for (const number of ["1", "53", "267", "1604", "4745", "543703"])
    assert.ok(known.includes(number), number);
  for (const number of ["0", "172", "174", "371", "543704"]) assert.ok(!known.includes(number), number);
});

test("a root category is valid and broad, as a number and as a path", () => {
  for (const root of ["166", "536", "Furniture", "food, beverages & tobacco", " Media "])
    assert.equal(categoryKind(root), "root", root);
});

test("paths are looked up in US and UK English, with any spacing", () => {
  for (const path of [
    "Home & Garden > Lighting > Lamps",
    "home & garden>lighting",
    "Home &amp; Garden  >  Lighting",
    "Apparel & Accessories > Clothing > Dresses",
    "Clothing & Accessories > Clothing > Dresses",
    "Arts & Entertainment > Party & Celebration > Party Supplies > Piñatas",
  ])
    assert.equal(categoryKind(path), "specific", path);
  for (const path of [
    "Home & Garden > Unicorn Stables",
    "Apparel & Accessories > Clothing > Dresses > Dresses",
    "Furniture > Stools",
    "2271 - Apparel & Accessories > Clothing > Dresses",
    "Stools",
  ])
    assert.equal(categoryKind(path), "unrecognized", path);
});

test("a path in another language is not checked", () => {
  for (const path of ["Möbel > Hocker", "Heim & Garten > Beleuchtung", "家具 > スツール"])
    assert.equal(categoryKind(path), "foreign", path);
});

test("books, films and recordings are recognized by path, and by the ids of their broad categories", () => {
  for (const category of ["783", "784", "Media > Books", "media>books > Comics", "Media"])
    assert.ok(isMedia(category), category);
  for (const category of ["", "166", "999999", "Medien > Bücher", "Multimedia > Books"])
    assert.ok(!isMedia(category), category);
});

test("apparel is recognized by number and by path, and so is apparel with sizes", () => {
  for (const category of [
    "1604",
    "212",
    "187",
    "Apparel & Accessories > Clothing > Dresses",
    "apparel &amp; accessories>Shoes",
    "Clothing & Accessories > Clothing > Dresses",
  ])
    assert.equal(apparelKind(category), "sized", category);
  for (const category of [
    "166",
    "167",
    "188",
    "201",
    "Apparel & Accessories",
    "Apparel & Accessories > Clothing Accessories > Hats",
  ])
    assert.equal(apparelKind(category), "apparel", category);
  for (const category of [undefined, "536", "Furniture > Stools", "1604x"])
    assert.equal(apparelKind(category), "none");
});

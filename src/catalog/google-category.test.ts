import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAll } from "../../test/assert-cases.ts";
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
  assertAll(categoryKind, "root", ["166", "536", "Furniture", "food, beverages & tobacco", " Media "]);
});

test("paths are looked up in US and UK English, with any spacing", () => {
  assertAll(categoryKind, "specific", [
    "Home & Garden > Lighting > Lamps",
    "home & garden>lighting",
    "Home &amp; Garden  >  Lighting",
    "Apparel & Accessories > Clothing > Dresses",
    "Clothing & Accessories > Clothing > Dresses",
    "Arts & Entertainment > Party & Celebration > Party Supplies > Piñatas",
  ]);
  assertAll(categoryKind, "unrecognized", [
    "Home & Garden > Unicorn Stables",
    "Apparel & Accessories > Clothing > Dresses > Dresses",
    "Furniture > Stools",
    "2271 - Apparel & Accessories > Clothing > Dresses",
    "Stools",
  ]);
});

test("a path in another language is not checked", () => {
  assertAll(categoryKind, "foreign", ["Möbel > Hocker", "Heim & Garten > Beleuchtung", "家具 > スツール"]);
});

test("books, films and recordings are recognized by path, and by the ids of their broad categories", () => {
  assertAll(isMedia, true, ["783", "784", "Media > Books", "media>books > Comics", "Media"]);
  assertAll(isMedia, false, ["", "166", "999999", "Medien > Bücher", "Multimedia > Books"]);
});

test("apparel is recognized by number and by path, and so is apparel with sizes", () => {
  assertAll(apparelKind, "sized", [
    "1604",
    "212",
    "187",
    "Apparel & Accessories > Clothing > Dresses",
    "apparel &amp; accessories>Shoes",
    "Clothing & Accessories > Clothing > Dresses",
  ]);
  assertAll(apparelKind, "apparel", [
    "166",
    "167",
    "188",
    "201",
    "Apparel & Accessories",
    "Apparel & Accessories > Clothing Accessories > Hats",
  ]);
  assertAll(apparelKind, "none", [undefined, "536", "Furniture > Stools", "1604x"]);
});

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

test("paths in other languages are recognized where we have the names, and not judged otherwise", () => {
  assertAll(categoryKind, "specific", ["Heim & Garten > Beleuchtung", "Maison et jardin > Luminaires"]);
  assertAll(categoryKind, "root", ["Möbel", "Meubles"]);
  assertAll(categoryKind, "unchecked", ["Möbel > Traumsessel", "Möbler > Pallar", "家具 > スツール"]);
});

test("a path is not judged below a category that has children without a name", () => {
  assert.equal(
    categoryKind("Apparel & Accessories > Clothing > Traditional & Ceremonial Clothing > Kimonos > Furisode"),
    "unchecked",
  );
});

test("books, films and recordings are recognized by id and by path", () => {
  assertAll(isMedia, true, ["783", "784", "543541", "Media > Books", "media>books > Comics", "Media"]);
  assertAll(isMedia, true, ["Medien > Bücher"]);
  assertAll(isMedia, false, ["", "166", "999999", "Multimedia > Books"]);
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

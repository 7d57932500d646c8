import assert from "node:assert/strict";
import { test } from "node:test";
import { apparelKind, categoryKind } from "./google-category.ts";

test("numbers of the taxonomy are recognized, and no others", () => {
  const known = Array.from({ length: 550_000 }, (_, number) => String(number)).filter(
    (number) => categoryKind(number) !== "unrecognized",
  );

  assert.equal(known.length, 5_595);
  for (const number of ["1", "53", "267", "1604", "4745", "543703"])
    assert.ok(known.includes(number), number);
  for (const number of ["0", "172", "174", "543704"]) assert.ok(!known.includes(number), number);
});

test("a root is right, but as broad as can be, as a number and as a path", () => {
  for (const root of ["166", "536", "Furniture", "food, beverages & tobacco", " Media "])
    assert.equal(categoryKind(root), "root", root);
});

test("a path is recognized by its root; one in another language is not judged", () => {
  assert.equal(categoryKind("Home & Garden > Lighting > Lamps"), "specific");
  assert.equal(categoryKind("home & garden>lighting"), "specific");
  assert.equal(categoryKind("Möbel > Hocker"), "foreign");
  assert.equal(categoryKind("Stools"), "unrecognized");
});

test("what is worn is told by number and by path, and what comes in sizes besides", () => {
  for (const category of [
    "1604",
    "212",
    "187",
    "Apparel & Accessories > Clothing > Dresses",
    "Apparel & Accessories > Shoes",
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

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  allCategories,
  categoryById,
  categoryByPath,
  categoryNames,
  categoryPath,
  lineage,
  type TaxonomyLanguage,
  taxonomyVersion,
} from "./google-taxonomy.ts";

const known = (id: number) => categoryById(id) ?? assert.fail(String(id));

test("the taxonomy of 2021-09-21 has 5,595 categories below 21 roots", () => {
  assert.equal(taxonomyVersion(), "2021-09-21");
  const categories = [...allCategories()];
  assert.equal(categories.length, 5_595);
  assert.equal(categories.filter(({ parent }) => parent === undefined).length, 21);
  assert.equal(categories.filter(({ name }) => name === "").length, 13);
});

test("parents know their children", () => {
  const lamps = known(4636);
  assert.deepEqual(
    lineage(lamps).map(({ id }) => id),
    [536, 594, 4636],
  );
  for (const category of allCategories())
    if (category.parent !== undefined) assert.ok(category.parent.children.includes(category));
});

test("every path with a name leads back to its category", () => {
  for (const language of ["en", "de"] as const) {
    const lost = [...allCategories()].filter(
      (category) => category.name !== "" && !samePath(category, language),
    );
    // Two siblings whose translations are equal: the first one is found.
    assert.ok(lost.length <= 60, `${language}: ${lost.length}`);
    if (language === "en") assert.deepEqual(lost, []);
  }
});

function samePath(category: ReturnType<typeof known>, language: TaxonomyLanguage): boolean {
  return categoryByPath(categoryPath(category, language)) === category;
}

test("paths are found in US and UK English and in other languages, in any spelling of spaces, case and hyphens", () => {
  const cases: [string, number][] = [
    ["Home & Garden > Lighting > Lamps", 4636],
    [" home &amp; GARDEN>Lighting  >  lamps ", 4636],
    ["Apparel & Accessories > Jewelry", 188],
    ["Clothing & Accessories > Jewellery & Watches", 188],
    ["Heim & Garten > Beleuchtung > Lampen", 4636],
    ["Möbel", 436],
    ["mobel", 436],
  ];
  for (const [path, id] of cases) assert.equal(categoryByPath(path)?.id, id, path);
  for (const path of ["", ">", "Lamps", "Home & Garden > Lamps", "Home & Garden > Lighting > "])
    assert.equal(categoryByPath(path), undefined, path);
});

test("a category has a name of its own and further names", () => {
  assert.equal(categoryPath(known(4636), "de"), "Heim & Garten > Beleuchtung > Lampen");
  const [name, ...further] = categoryNames(known(212), "en");
  assert.equal(name, "Shirts & Tops");
  assert.ok(further.includes("T-Shirts"));
});

test("a category without a name is shown as its nearest ancestor that has one", () => {
  assert.equal(
    categoryPath(known(5677)),
    "Apparel & Accessories > Clothing > Traditional & Ceremonial Clothing",
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestCategory, nearestHint, searchCategories } from "./category-search.ts";
import { categoryIndex } from "./category-index.ts";
import type { TaxonomyLanguage } from "./google-taxonomy.ts";

const first = (query: string, language: TaxonomyLanguage = "en"): number | undefined =>
  searchCategories(query, { languages: [language] })[0]?.category.id;

test("a category is found by the words of its name, in any number and before they are typed completely", () => {
  const cases: [string, number][] = [
    ["lamps", 4636],
    ["Lamp", 4636],
    ["dog bed", 4434],
    ["beds dog", 4434],
    ["coffee", 1868],
    ["baby strol", 568],
  ];
  for (const [query, id] of cases) assert.equal(first(query), id, query);
});

test("a category is found by names that Google does not use", () => {
  for (const [query, id] of [
    ["t-shirt", 212],
    ["sneakers", 187],
    ["table lamp", 4636],
  ] as const)
    assert.equal(first(query), id, query);
});

test("search works in other languages", () => {
  assert.equal(first("Sofa", "de"), 460);
  assert.equal(first("Tischlampe", "de"), 4636);
  assert.equal(first("chaussures", "fr"), 187);
  assert.equal(first("mochila", "es"), 100);
});

test("a search in several languages finds what each has, a category once, in the language that fits", () => {
  const found = (query: string) =>
    searchCategories(query, { languages: ["de", "en"] }).map(({ category: { id }, language }) => [
      id,
      language,
    ]);
  assert.deepEqual(found("Schuhe")[0], [187, "de"]);
  assert.deepEqual(found("shoes")[0], [187, "en"]);
  assert.deepEqual(found("Möbel")[0], [436, "de"]);
  assert.deepEqual(found("187"), [[187, "de"]]);
  const ids = found("sofa").map(([id]) => id);
  assert.equal(new Set(ids).size, ids.length);
});

test("an id or a complete path finds its category first", () => {
  assert.equal(first("2271"), 2271);
  assert.equal(first("Apparel & Accessories > Clothing > Dresses"), 2271);
  assert.equal(first("Möbel", "de"), 436);
});

test("what matches nothing finds nothing, and the number of results is limited", () => {
  for (const query of ["", " ", "zzzz", "999999", "!?"]) assert.deepEqual(searchCategories(query), []);
  assert.equal(searchCategories("accessories", { limit: 7 }).length, 7);
});

test("equal searches give equal results", () => {
  assert.deepEqual(searchCategories("baby toys"), searchCategories("baby toys"));
});

test("a search takes less than 5 ms of the processor", () => {
  const queries = ["a", "ac", "accessories", "parts and accessories for vehicles", "shirt", "table lamp"];
  categoryIndex("en");
  const used = process.cpuUsage();
  for (let round = 0; round < 10; round += 1) for (const query of queries) searchCategories(query);
  const { user } = process.cpuUsage(used);
  assert.ok(user / 10 / queries.length < 5_000, `${user / 10 / queries.length} µs`);
});

test("the nearest category of a wrong path is the one that it most likely means", () => {
  const cases: [string, number | undefined][] = [
    ["2169 - Home & Garden > Kitchen & Dining", 2169],
    ["Mugs", 2169],
    ["Home & Garden > Lightning > Lamps", 594],
    ["Home & Garden > Lighting > Table Lamps", 4636],
    ["Furniture > Coffee Tables", 1395],
    ["Home & Garden > Lighting > Unicorns", 594],
    ["Furniture > Unicorns", undefined],
    ["Unicorns", undefined],
    ["999999", undefined],
    ["", undefined],
  ];
  for (const [category, id] of cases) assert.equal(nearestCategory(category)?.id, id, category);
  assert.equal(
    nearestHint("Mugs"),
    " The nearest one is 2169, Home & Garden > Kitchen & Dining > Tableware > Drinkware > Mugs.",
  );
  assert.equal(nearestHint("999999"), "");
});

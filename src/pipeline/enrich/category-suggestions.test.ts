import assert from "node:assert/strict";
import { test } from "node:test";
import { BULK_CONFIDENCE } from "../../contract/proposals.ts";
import { categoryById, categoryPath } from "../../catalog/google-taxonomy.ts";
import { CategoryPaths } from "../../enrich/categories/category-paths.ts";
import { suggestCategories } from "../../enrich/categories/suggest.ts";
import { CatalogFactsCollector } from "../../enrich/extractors/catalog-facts.ts";
import { minimalItem } from "../../../test/item.ts";
import { categorySuggester } from "./category-suggestions.ts";

test("a search makes a limited number of suggestions: those for the largest paths, then the first others", () => {
  const paths = new CategoryPaths();
  for (const name of ["Mugs", "Mugs", "Shirts"])
    paths.add({ ...minimalItem(), categories: [["Shop", name]] });
  const facts = new CatalogFactsCollector().facts();

  const { suggestCategory, listPaths } = categorySuggester(
    { settings: {}, facts, paths },
    { paths: 1, departments: 1, others: 1 },
  );

  const [lamp, again, chair] = [["Desk lamp"], ["Desk lamp"], ["Office chair"]].map((titles) =>
    suggestCategory([], titles),
  );
  assert.ok(lamp);
  assert.deepEqual(again, lamp);
  assert.equal(chair, undefined);
  assert.ok(suggestCategory(["Shop", "Mugs"], []));
  assert.equal(suggestCategory(["Shop", "Shirts"], []), undefined);
  assert.deepEqual(
    listPaths().map(({ path, suggestions }) => [path, suggestions.length > 0]),
    [
      ["Shop > Mugs", true],
      ["Shop > Shirts", false],
    ],
  );
});

test("what is too uncertain to be listed for a path is not proposed for its items either", () => {
  const paths = new CategoryPaths();
  for (const name of ["Mugs", "Barcode"])
    paths.add({ ...minimalItem(), title: `${name} A1`, categories: [["Shop", name]] });
  const facts = new CatalogFactsCollector().facts();

  const { suggestCategory, listPaths } = categorySuggester({ settings: {}, facts, paths });

  for (const { path, suggestions } of listPaths())
    assert.equal(suggestCategory(path.split(" > "), [])?.category, suggestions[0]?.id.toString(), path);
  assert.ok((suggestCategories(["Shop", "Barcode"], ["Barcode A1"], ["en"])[0]?.confidence ?? 0) > 0);
  assert.ok(suggestCategory(["Shop", "Mugs"], []));
  assert.equal(suggestCategory(["Shop", "Barcode"], []), undefined);
});

const suggesterFor = (language: string | null, ...names: readonly string[]) => {
  const paths = new CategoryPaths();
  for (const name of names)
    paths.add({ ...minimalItem(), title: `${name} 20 mm`, categories: [name.split(" > ")] });
  return categorySuggester({
    settings: language === null ? {} : { language },
    facts: new CatalogFactsCollector().facts(),
    paths,
  });
};

test("the shop's other categories decide between the meanings of a word", () => {
  const hardware = ["Tubos", "Caixas", "Torneiras", "Cimento", "Pregos", "Parafusos", "Tintas"];
  const { listPaths } = suggesterFor("pt", ...hardware);

  const categories = new Map(listPaths().map(({ path, suggestions }) => [path, suggestions[0]]));
  for (const path of ["Tubos", "Caixas"]) {
    const { id, confidence = 0 } = categories.get(path) ?? {};
    assert.ok(id === undefined || !/Musical/.test(categoryPath(categoryById(id) ?? assert.fail())), path);
    assert.ok(confidence < BULK_CONFIDENCE, path);
  }
  assert.equal(categories.get("Torneiras")?.id, 2032);
});

test("a language without words for categories is named, and nothing is suggested with confidence", () => {
  const { note, listPaths } = suggesterFor("cs", "Nábytek > Židle", "Slips", "Sport > Polo", "Barn > Sofas");

  assert.match(note ?? "", /not in Czech\./);
  for (const { path, suggestions } of listPaths())
    for (const { confidence } of suggestions) assert.ok(confidence < BULK_CONFIDENCE, path);
  assert.equal(suggesterFor("de", "Möbel > Stühle").note, null);
  assert.equal(suggesterFor("cs").note, null, "without paths");
});

test("a language that is neither set nor found in the texts is named as the reason", () => {
  const { note } = suggesterFor(null, "Mugs");

  assert.match(note ?? "", /^The language of the catalog is not set, and its texts do not show it\./);
});

test("no suggestion can be approved in bulk while the language of the catalog is not known", () => {
  const names = ["Home & Garden > Lighting > Lamps", "Furniture > Chairs", "Kitchen > Mugs"];
  const best = (language: string | null): readonly number[] =>
    suggesterFor(language, ...names)
      .listPaths()
      .map(({ suggestions }) => suggestions[0]?.confidence ?? 0);
  assert.ok(best("en").some((confidence) => confidence >= BULK_CONFIDENCE));
  assert.ok(best(null).every((confidence) => confidence < BULK_CONFIDENCE));
  assert.ok(best(null).some((confidence) => confidence > 0));
});

test("a language whose suggestions were not checked enough is named with the highest confidence", () => {
  const { note, listPaths } = suggesterFor("nl", "Meubels > Stoelen");

  assert.match(note ?? "", /^Suggestions in Dutch have a confidence of 0\.75 at most/);
  for (const { suggestions } of listPaths())
    for (const { confidence } of suggestions) assert.ok(confidence <= 0.75);
});

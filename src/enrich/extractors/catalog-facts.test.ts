import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CatalogFactsCollector, languageOf } from "./catalog-facts.ts";
import { FrequentTexts } from "./frequent-texts.ts";
import { contextOf, groupOf, itemOf } from "./proposals.fixture.ts";

test("the language of a catalog is that of its texts, if it is plain", () => {
  const texts = {
    en: "A stool with a seat of oak for your kitchen and the garden.",
    de: "Ein Hocker mit einem Sitz aus Eiche für die Küche und den Garten.",
    fr: "Un tabouret avec une assise en chêne pour la cuisine et les jardins.",
    es: "Un taburete con asiento de roble para la cocina y los jardines.",
    it: "Uno sgabello con seduta in rovere per la cucina e il giardino.",
    nl: "Een kruk met een zitting van eiken voor de keuken en het terras.",
    pt: "Um banco com assento de carvalho para a cozinha e os jardins.",
  };
  for (const [language, description] of Object.entries(texts)) {
    const { facts } = contextOf(Array.from({ length: 10 }, () => groupOf({ description })));
    assert.equal(facts.language, language);
  }
  assert.equal(contextOf([groupOf({ description: "Mug 300 ml" })]).facts.language, undefined);
});

test("the language of the item counts before that of the catalog", () => {
  const { facts } = contextOf([]);
  assert.equal(languageOf(itemOf({ language: "de-AT" }), { settings: { language: "fr" }, facts }), "de");
  assert.equal(languageOf(itemOf({}), { settings: { language: "fr-CA" }, facts }), "fr");
  assert.equal(languageOf(itemOf({}), { settings: {}, facts }), undefined);
});

test("brands count once per product, fillers not at all", () => {
  const { facts } = contextOf([groupOf({ brand: "Kiln" }, { brand: "Kiln" }), groupOf({ brand: "n/a" })]);
  assert.deepEqual([...facts.brands], [["Kiln", 1]]);
});

test("what a collector keeps is limited", () => {
  const collector = new CatalogFactsCollector({ brands: 2, passages: 2, samples: 1 });
  for (let at = 0; at < 50; at++)
    collector.add(groupOf({ brand: `B${at}`, description: `One ${at}.\nTwo ${at}.` }));
  const facts = collector.facts();
  assert.ok(facts.brands.size <= 2 && facts.passages.size <= 2);
});

test("texts that are more frequent than one in the limit are kept, and no count is too high", () => {
  const texts = fc.array(fc.constantFrom(..."aaaabbbcdefghij".split("")), { maxLength: 60 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 6 }), (added, limit) => {
      const frequent = new FrequentTexts(limit);
      for (const text of added) frequent.add(text);
      const counts = frequent.counts();
      assert.ok(counts.size <= limit);
      for (const text of new Set(added)) {
        const real = added.filter((other) => other === text).length;
        assert.ok((counts.get(text) ?? 0) <= real);
        if (real > added.length / (limit + 1)) assert.ok(counts.has(text), text);
      }
    }),
  );
});

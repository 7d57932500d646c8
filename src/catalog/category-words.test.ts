import assert from "node:assert/strict";
import { test } from "node:test";
import { categoryWords, isWeakAnywhere, isWeakWord } from "./category-words.ts";
import { TAXONOMY_LANGUAGES, type TaxonomyLanguage } from "./google-taxonomy.ts";

const stems = (text: string, language: TaxonomyLanguage): string[] =>
  categoryWords(text, language).map(({ stem }) => stem);

test("singular and plural of a word are one", () => {
  const pairs: [TaxonomyLanguage, string, string][] = [
    ["en", "lamp", "lamps"],
    ["en", "dress", "dresses"],
    ["en", "battery", "batteries"],
    ["de", "Lampe", "Lampen"],
    ["de", "Schrank", "Schränke"],
    ["fr", "lampe", "lampes"],
    ["fr", "manteau", "manteaux"],
    ["es", "zapato", "zapatos"],
    ["it", "lampada", "lampade"],
    ["nl", "tas", "tassen"],
    ["pt", "sapato", "sapatos"],
    ["da", "lampe", "lamper"],
    ["pl", "lampa", "lampy"],
    ["fi", "lamppu", "lamput"],
  ];
  const differ = pairs.filter(
    ([language, one, many]) => stems(one, language)[0] !== stems(many, language)[0],
  );
  // Finnish changes the inside of words.
  assert.deepEqual(differ, [["fi", "lamppu", "lamput"]]);
});

test("words such as and are left out, apostrophes and accents do not count, and the written word is kept", () => {
  assert.deepEqual(categoryWords("Men's Hats & Caps for the Café", "en"), [
    { stem: "men", text: "Mens" },
    { stem: "hat", text: "Hats" },
    { stem: "cap", text: "Caps" },
    { stem: "cafe", text: "Café" },
  ]);
});

test("words that mean the same are one", () => {
  assert.deepEqual(stems("Bike", "en"), stems("bicycles", "en"));
  assert.deepEqual(stems("Skincare", "en"), stems("skin care", "en"));
});

test("every language has words that say little", () => {
  for (const language of TAXONOMY_LANGUAGES)
    assert.ok(
      isWeakWord(stems("unisex", language)[0] ?? "unisex", language) || isWeakAnywhere("unisex"),
      language,
    );
  assert.ok(isWeakAnywhere("Sale"));
  assert.ok(!isWeakAnywhere("Lamps"));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  isDecorated,
  isPromotional,
  isMostlyCapitals,
  NO_TEXT_FACTS,
  findDefect,
  repeatsTitle,
  textFacts,
} from "./text-checks.ts";
import { assertCases } from "../../test/assert-cases.ts";

function expectAll(check: (text: string) => unknown, expected: unknown, texts: readonly string[]): void {
  for (const text of texts) assert.equal(check(text), expected, text);
}

test("isMostlyCapitals works in any script with case, and ignores codes and initials", () => {
  expectAll(isMostlyCapitals, true, [
    "STOOL OF SOLID OAK",
    "ТАБУРЕТ ИЗ ДУБА, новый",
    "ΣΚΑΜΠΟ ΑΠΟ ΔΡΥ",
    "ÉTAGÈRE EN CHÊNE",
  ]);
  expectAll(isMostlyCapitals, false, [
    "USB-C HUB",
    "LED lamp for DIY, 12 V",
    "Stool of Solid Oak",
    "橡木凳子",
    "S M L XL",
  ]);
});

test("a text is mostly capitals exactly if more than 60 % of more than ten letters are, whatever else it has", () => {
  const texts = fc.string({ unit: fc.constantFrom("A", "B", "É", "Ж", "𝐀", "a", "b", "é", "ж", " ", "7") });
  fc.assert(
    fc.property(texts, (text) => {
      const capitals = text.match(/\p{Lu}/gu)?.length ?? 0;
      const letters = text.match(/[\p{Lu}\p{Ll}]/gu)?.length ?? 0;
      const isExpected = letters > 10 && capitals > letters * 0.6;
      assert.equal(isMostlyCapitals(`XX${text}`), isMostlyCapitals(`${text}XX`));
      if (/[A-Z]{2}/.test(text)) assert.equal(isMostlyCapitals(text), isExpected);
    }),
  );
});

test("emoji, stars and doubled punctuation are decoration; trademarks, units and questions are not", () => {
  expectAll(isDecorated, true, ["Stool 🔥", "★ Stool", "Stool!!", "*** Stool", "→ Stool"]);
  expectAll(isDecorated, false, [
    "Stool™ 30 × 40 cm",
    "What a stool!",
    "Größe №5 – 12 €",
    "C# for cats",
    "橡木凳子",
  ]);
});

test("promotional text in a title is found in several languages, and not in similar product names", () => {
  expectAll(isPromotional, true, [
    "Stool, FREE SHIPPING",
    "Stool 20% off",
    "Hocker versandkostenfrei",
    "Tabouret, livraison gratuite",
    "Best price stool",
  ]);
  expectAll(isPromotional, false, [
    "Point-of-sale printer",
    "Free-standing stool",
    "Bestow candle",
    "Nowadays, a novel",
  ]);
});

test("HTML, entities, template placeholders and wrong encodings are found", () => {
  assertCases(findDefect, [
    ["A <b>stool</b>", "markup"],
    ["Oak &amp; oil", "entity"],
    ["Oak &#39;n oil", "entity"],
    ["Hello {{ name }}", "template"],
    ["Lorem ipsum dolor", "template"],
    ["[object Object]", "template"],
    ["SchÃ¶ner Stuhl", "encoding"],
    ["Itâ€™s oak", "encoding"],
    ["St\ufffdhl", "encoding"],
    ["Gr?ner Stuhl", "encoding"],
    ["Ð¡Ñ‚ÑƒÐ» Ð´ÑƒÐ±Ð¾Ð²Ñ‹Ð¹", "encoding"],
  ]);
});

test("normal texts with unusual characters have no defect", () => {
  expectAll(findDefect, undefined, [
    "3 < 4 and 5 > 2",
    "Salt & pepper; both",
    "R&D kit; for two",
    "Maçã, ÂNGULO, pâté, São Paulo",
    "It's $5 {really}",
    "Cold? Wear it. Façade, pâté, Straße, mañana",
    "[new] stool: oak",
  ]);
});

test("addresses and promotional text in a description are found; a plain text shares one object", () => {
  assert.ok(textFacts("See https://shop.example/x for more").hasAddress);
  assert.ok(textFacts("See www.shop.example").hasAddress);
  assert.ok(textFacts("Write to ola@shop.example").hasAddress);
  assert.ok(!textFacts("Sold @ the market: now").hasAddress);
  assert.ok(textFacts("Now with Free Shipping").hasPromotion);
  assert.ok(textFacts("Heute versandkostenfrei").hasPromotion);
  assert.ok(textFacts("Take 20% off").hasPromotion);
  assert.ok(!textFacts("Free returns; three years; you may buy nowhere else").hasPromotion);
  assert.equal(textFacts("A stool of solid oak."), NO_TEXT_FACTS);
});

const TITLE = "Oak Stool, Oiled";

test("a copy of the title, a part of it, and the title with a few words repeat the title", () => {
  for (const description of [
    TITLE,
    "oak stool - OILED.",
    "Oak stool",
    "Oak Stool, Oiled | Shop Example",
    "Buy Oak Stool, Oiled at our shop!",
    "…",
  ])
    assert.ok(repeatsTitle(TITLE, description), description);
});

test("a short sentence with other words does not repeat the title", () => {
  for (const description of [
    "Three legs, 45 cm high.",
    "Oak Stool, Oiled. Three turned legs, 45 cm high, made in Bergen.",
    "A stool.",
  ])
    assert.ok(!repeatsTitle(TITLE, description), description);
});

test("titles in other scripts are compared, too", () => {
  assert.ok(repeatsTitle("木製スツール", "木製スツール。"));
  assert.ok(!repeatsTitle("木製スツール", "高さ四十五センチの三本脚の椅子です。"));
});

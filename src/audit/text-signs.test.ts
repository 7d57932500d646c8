import assert from "node:assert/strict";
import { test } from "node:test";
import { isDecorated, isPromotion, isShouting, NO_SIGNS, residueIn, signsOf } from "./text-signs.ts";

function expectAll(check: (text: string) => unknown, expected: unknown, texts: readonly string[]): void {
  for (const text of texts) assert.equal(check(text), expected, text);
}

test("mostly capitals is shouting, in any script that has them; codes and initials are not", () => {
  expectAll(isShouting, true, [
    "STOOL OF SOLID OAK",
    "ТАБУРЕТ ИЗ ДУБА, новый",
    "ΣΚΑΜΠΟ ΑΠΟ ΔΡΥ",
    "ÉTAGÈRE EN CHÊNE",
  ]);
  expectAll(isShouting, false, [
    "USB-C HUB",
    "LED lamp for DIY, 12 V",
    "Stool of Solid Oak",
    "橡木凳子",
    "S M L XL",
  ]);
});

test("emoji, stars and doubled marks are decoration; trademarks, units and questions are not", () => {
  expectAll(isDecorated, true, ["Stool 🔥", "★ Stool", "Stool!!", "*** Stool", "→ Stool"]);
  expectAll(isDecorated, false, [
    "Stool™ 30 × 40 cm",
    "What a stool!",
    "Größe №5 – 12 €",
    "C# for cats",
    "橡木凳子",
  ]);
});

test("sales talk in a title is found in several languages, and not in names that only sound like it", () => {
  expectAll(isPromotion, true, [
    "Stool, FREE SHIPPING",
    "Stool 20% off",
    "Hocker versandkostenfrei",
    "Tabouret, livraison gratuite",
    "Best price stool",
  ]);
  expectAll(isPromotion, false, [
    "Point-of-sale printer",
    "Free-standing stool",
    "Bestow candle",
    "Nowadays, a novel",
  ]);
});

test("what templates, wrong encodings and half-done escaping leave behind is found", () => {
  assert.equal(residueIn("A <b>stool</b>"), "markup");
  assert.equal(residueIn("Oak &amp; oil"), "entity");
  assert.equal(residueIn("Oak &#39;n oil"), "entity");
  assert.equal(residueIn("Hello {{ name }}"), "template");
  assert.equal(residueIn("Lorem ipsum dolor"), "template");
  assert.equal(residueIn("[object Object]"), "template");
  assert.equal(residueIn("SchÃ¶ner Stuhl"), "encoding");
  assert.equal(residueIn("Itâ€™s oak"), "encoding");
  assert.equal(residueIn("St\ufffdhl"), "encoding");
});

test("honest texts with unusual characters are left alone", () => {
  expectAll(residueIn, undefined, [
    "3 < 4 and 5 > 2",
    "Salt & pepper; both",
    "R&D kit; for two",
    "Maçã, ÂNGULO, pâté, São Paulo",
    "It's $5 {really}",
    "[new] stool: oak",
  ]);
});

test("addresses and sales talk in a description are found, and a plain one costs no object", () => {
  assert.ok(signsOf("See https://shop.example/x for more").hasAddress);
  assert.ok(signsOf("See www.shop.example").hasAddress);
  assert.ok(signsOf("Write to ola@shop.example").hasAddress);
  assert.ok(!signsOf("Sold @ the market: now").hasAddress);
  assert.ok(signsOf("Now with Free Shipping").hasSalesTalk);
  assert.ok(signsOf("Heute versandkostenfrei").hasSalesTalk);
  assert.ok(signsOf("Take 20% off").hasSalesTalk);
  assert.ok(!signsOf("Free returns; three years; you may buy nowhere else").hasSalesTalk);
  assert.equal(signsOf("A stool of solid oak."), NO_SIGNS);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { isGarbled } from "./garbled-text.ts";

const decoded = (text: string, encoding: string): string =>
  new TextDecoder(encoding).decode(new TextEncoder().encode(text));

const WORDS = [
  "Müller Bäckertüte groß",
  "Crème brûlée à la française",
  "Zażółć gęślą jaźń",
  "Příliš žluťoučký kůň",
  "Ελληνική σαλάτα",
  "Пальто шерстяное",
  "כובע צמר",
  "白いシャツ",
  "한국어 신발",
  "The chef’s “best” knife – 8 inch",
];

test("UTF-8 that was read as Windows-1252 or Latin-1 is found in many languages", () => {
  for (const text of WORDS) {
    assert.equal(isGarbled(decoded(text, "windows-1252")), true, text);
    assert.equal(isGarbled(Buffer.from(text).toString("latin1")), true, text);
  }
});

test("bytes that no decoder could read are found", () => {
  assert.equal(isGarbled(decoded("M\u00fcller", "utf-8").replace("ü", "\ufffd")), true);
});

test("question marks in place of letters inside a word are found", () => {
  for (const text of [
    "Gr?n",
    "Hose Gr??e 42",
    "GR?N",
    "M?LLER B?ckert?te",
    "cr?me",
    "the chef?s knife",
    "Пал?то",
  ])
    assert.equal(isGarbled(text), true, text);
});

test("question marks of questions and addresses are not found", () => {
  const texts = [
    "Cold? Wear it.",
    "Cold?Wear it.",
    "What??",
    "Quoi ? Oui",
    "¿Qué? sí",
    "(why?)",
    "5?x",
    "see https://shop.example/page?lang=de and shop.example/a?b or a.php?id=b",
    "?",
  ];
  for (const text of texts) assert.equal(isGarbled(text), false, text);
});

test("text that was decoded rightly is not found", () => {
  const french = "« CAFÉ\u00a0» à 5\u00a0€ – QUALITÉ™ ÉLEVÉE… l’été\u00a0!";
  const others = [
    "MAÇÃ, PÃO e LIMÃO",
    "Straße 5 × ½ m²",
    "ŠKODA žíněnka ášš",
    "Ångström°",
    "50 °C ± 2 µm",
    "",
  ];
  for (const text of [...WORDS, french, ...others]) assert.equal(isGarbled(text), false, text);
});

test("long hostile text takes linear time", () => {
  assert.equal(isGarbled("é".repeat(1_000_000)), false);
  assert.equal(isGarbled(`a${"?".repeat(1_000_000)}`), false);
  assert.equal(isGarbled("a?B".repeat(300_000)), false);
});

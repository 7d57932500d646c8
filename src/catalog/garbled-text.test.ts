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

test("each letter is read once, also in long hostile text", () => {
  assert.equal(isGarbled("é".repeat(1_000_000)), false);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { readCountry, readLanguage } from "./places.ts";

test("countries are ISO 3166 codes in any case, and what Britain and Greece are also called", () => {
  const cases: [string, string | undefined][] = [
    ["DE", "DE"],
    [" de ", "DE"],
    ["UK", "GB"],
    ["EL", "GR"],
    ["NA", "NA"],
    ["XX", undefined],
    ["Germany", undefined],
    ["DEU", undefined],
    ["", undefined],
  ];

  for (const [text, expected] of cases) assert.equal(readCountry(text), expected, text);
});

test("languages are tags in their usual case", () => {
  const cases: [string, string | undefined][] = [
    ["de", "de"],
    ["EN", "en"],
    ["de_DE", "de-DE"],
    ["pt-br", "pt-BR"],
    ["zh-hant-tw", "zh-Hant-TW"],
    ["es-419", "es-419"],
    ["German", undefined],
    ["d", undefined],
    ["", undefined],
  ];

  for (const [text, expected] of cases) assert.equal(readLanguage(text), expected, text);
});

import { test } from "node:test";
import { readCountry, readLanguage } from "./places.ts";
import { assertCases } from "../../../test/assert-cases.ts";

test("countries are ISO 3166 codes in any case, with UK for GB and EL for GR", () => {
  assertCases(readCountry, [
    ["DE", "DE"],
    [" de ", "DE"],
    ["UK", "GB"],
    ["EL", "GR"],
    ["NA", "NA"],
    ["XX", undefined],
    ["Germany", undefined],
    ["DEU", undefined],
    ["", undefined],
  ]);
});

test("languages are tags in their usual case", () => {
  assertCases(readLanguage, [
    ["de", "de"],
    ["EN", "en"],
    ["de_DE", "de-DE"],
    ["pt-br", "pt-BR"],
    ["zh-hant-tw", "zh-Hant-TW"],
    ["es-419", "es-419"],
    ["German", undefined],
    ["d", undefined],
    ["", undefined],
  ]);
});

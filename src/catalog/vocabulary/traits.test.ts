import { test } from "node:test";
import { meaningOf, type WordTable } from "../words.ts";
import {
  AGE_GROUP_WORDS,
  ENERGY_CLASS_WORDS,
  GENDER_WORDS,
  OPTION_NAME_WORDS,
  PUBLISHED_WORDS,
  SIZE_SYSTEM_WORDS,
  SIZE_TYPE_WORDS,
  YES_NO_WORDS,
} from "./traits.ts";
import { assertCases } from "../../../test/assert-cases.ts";

test("shops' words are understood for every closed list", () => {
  const words = new Map<WordTable<string>, Readonly<Record<string, string | undefined>>>([
    [YES_NO_WORDS, { Ja: "yes", NEIN: "no", sí: "yes", "0": "no", perhaps: undefined }],
    [PUBLISHED_WORDS, { ACTIVE: "yes", "-1": "no", "1": "yes", draft: "no", "Catalog, Search": "yes" }],
    [GENDER_WORDS, { "Men's": "male", Damen: "female", Mężczyzna: "male", Unisex: "unisex" }],
    [AGE_GROUP_WORDS, { Kinder: "kids", Bébé: "infant", Adults: "adult" }],
    [SIZE_SYSTEM_WORDS, { eu: "EU", MX: "MEX", "https://schema.org/WearableSizeSystemUS": "US" }],
    [SIZE_TYPE_WORDS, { "Plus Size": "plus", WearableSizeGroupPetite: "petite" }],
    [ENERGY_CLASS_WORDS, { "a+++": "A+++", "A +": "A+", A: "A", H: undefined }],
    [
      OPTION_NAME_WORDS,
      {
        Colour: "color",
        Größe: "size",
        Taille: "size",
        Matière: "material",
        Wzór: "pattern",
        Engraving: undefined,
      },
    ],
  ]);
  for (const [table, meanings] of words)
    assertCases((word) => meaningOf(table, word), Object.entries(meanings));
});

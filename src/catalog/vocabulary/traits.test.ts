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
  assertCases<[WordTable<string>, string], string | undefined>(meaningOf, [
    [YES_NO_WORDS, "Ja", "yes"],
    [YES_NO_WORDS, "NEIN", "no"],
    [YES_NO_WORDS, "sí", "yes"],
    [YES_NO_WORDS, "0", "no"],
    [YES_NO_WORDS, "perhaps", undefined],
    [PUBLISHED_WORDS, "ACTIVE", "yes"],
    [PUBLISHED_WORDS, "-1", "no"],
    [PUBLISHED_WORDS, "1", "yes"],
    [PUBLISHED_WORDS, "draft", "no"],
    [PUBLISHED_WORDS, "Catalog, Search", "yes"],
    [GENDER_WORDS, "Men's", "male"],
    [GENDER_WORDS, "Damen", "female"],
    [GENDER_WORDS, "Mężczyzna", "male"],
    [GENDER_WORDS, "Unisex", "unisex"],
    [AGE_GROUP_WORDS, "Kinder", "kids"],
    [AGE_GROUP_WORDS, "Bébé", "infant"],
    [AGE_GROUP_WORDS, "Adults", "adult"],
    [SIZE_SYSTEM_WORDS, "eu", "EU"],
    [SIZE_SYSTEM_WORDS, "MX", "MEX"],
    [SIZE_SYSTEM_WORDS, "https://schema.org/WearableSizeSystemUS", "US"],
    [SIZE_TYPE_WORDS, "Plus Size", "plus"],
    [SIZE_TYPE_WORDS, "WearableSizeGroupPetite", "petite"],
    [ENERGY_CLASS_WORDS, "a+++", "A+++"],
    [ENERGY_CLASS_WORDS, "A +", "A+"],
    [ENERGY_CLASS_WORDS, "A", "A"],
    [ENERGY_CLASS_WORDS, "H", undefined],
    [OPTION_NAME_WORDS, "Colour", "color"],
    [OPTION_NAME_WORDS, "Größe", "size"],
    [OPTION_NAME_WORDS, "Taille", "size"],
    [OPTION_NAME_WORDS, "Matière", "material"],
    [OPTION_NAME_WORDS, "Wzór", "pattern"],
    [OPTION_NAME_WORDS, "Engraving", undefined],
  ]);
});

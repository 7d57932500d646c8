/**
 * What kind of thing the item is. Options are the shop's own words and stay as they are; where one is plainly about
 * color, size, material or pattern it also fills that trait, by its name and never by its position.
 */
import { categoryKind } from "../google-category.ts";
import type { Certification, Option, VariantTrait } from "../item.ts";
import { isBlank, plainText } from "../text.ts";
import {
  AGE_GROUP_WORDS,
  ENERGY_CLASS_WORDS,
  GENDER_WORDS,
  OPTION_NAME_WORDS,
  SIZE_SYSTEM_WORDS,
  SIZE_TYPE_WORDS,
} from "../vocabulary/traits.ts";
import { meaningOf } from "../words.ts";
import {
  cleanText,
  firstOf,
  type DraftState,
  type MutableItem,
  dropWithWarning,
  setField,
  quoted,
  textField,
  warn,
  withinLimit,
} from "./fields.ts";
import { booleanField, integerField, wordField } from "./typed-fields.ts";

const SEVERAL_PATHS = /[|;]/;
const MOST_PATHS = 20;
const MOST_OPTIONS = 30;
const MOST_CERTIFICATIONS = 20;

/** The variant's choices, in the shop's order. A value such as "None" is a choice here, not a blank. */
export function readOptions(state: DraftState): readonly Option[] {
  const { options } = state.draft;
  if (options === undefined) return [];
  const kept: Option[] = [];
  for (const raw of firstOf(state, "options", options, MOST_OPTIONS)) {
    const name = cleanText(state, "options", raw.name);
    const value = withinLimit(state, "options", plainText(raw.value));
    if (name === undefined || value === "" || isPseudoOption(name, value)) continue;
    if (!kept.some((option) => option.name === name)) kept.push({ name, value });
  }
  return kept;
}

/** What Shopify puts on a product that has no options. */
function isPseudoOption(name: string, value: string): boolean {
  return name === "Title" && value === "Default Title";
}

export function fillClassification(item: MutableItem, state: DraftState, options: readonly Option[]): void {
  const chosen = traitsOf(options);
  setField(item, "googleCategory", readGoogleCategory(state));
  setField(item, "categories", readCategories(state));
  setField(item, "options", options.length === 0 ? undefined : options);
  setField(item, "color", textField(state, "color") ?? chosen.color);
  setField(item, "size", textField(state, "size") ?? chosen.size);
  setField(item, "sizeSystem", wordField(state, "sizeSystem", SIZE_SYSTEM_WORDS));
  setField(item, "sizeType", wordField(state, "sizeType", SIZE_TYPE_WORDS));
  setField(item, "material", textField(state, "material") ?? chosen.material);
  setField(item, "pattern", textField(state, "pattern") ?? chosen.pattern);
  setField(item, "gender", wordField(state, "gender", GENDER_WORDS));
  setField(item, "ageGroup", wordField(state, "ageGroup", AGE_GROUP_WORDS));
  setField(item, "adult", booleanField(state, "adult"));
  setField(item, "multipack", readMultipack(state));
  setField(item, "isBundle", booleanField(state, "isBundle"));
  setField(item, "isDigital", booleanField(state, "isDigital"));
  setField(item, "energyClass", wordField(state, "energyClass", ENERGY_CLASS_WORDS));
  setField(item, "minEnergyClass", wordField(state, "minEnergyClass", ENERGY_CLASS_WORDS));
  setField(item, "maxEnergyClass", wordField(state, "maxEnergyClass", ENERGY_CLASS_WORDS));
  setField(item, "certifications", readCertifications(state));
}

/** An unknown category is kept: it is the source's word, and a newer taxonomy than ours may have it. */
function readGoogleCategory(state: DraftState): string | undefined {
  const category = textField(state, "googleCategory");
  if (category !== undefined && categoryKind(category) === "unrecognized")
    warn(
      state,
      "unknown_category",
      "googleCategory",
      `google_category ${quoted(category)} is not in Google's taxonomy. Use an id or a full path of the taxonomy.`,
    );
  return category;
}

type Traits = { [Trait in VariantTrait]?: string };

function traitsOf(options: readonly Option[]): Traits {
  const traits: Traits = {};
  for (const { name, value } of options) {
    const trait = meaningOf(OPTION_NAME_WORDS, name);
    if (trait !== undefined && !isBlank(value)) traits[trait] ??= value;
  }
  return traits;
}

/** `>` separates the levels of a path; `|` and `;` separate paths. A slash may be part of a name. */
function readCategories(state: DraftState): readonly (readonly string[])[] | undefined {
  const { categories } = state.draft;
  if (categories === undefined) return undefined;
  const paths: (readonly string[])[] = [];
  for (const raw of firstOf(state, "categories", categories, MOST_PATHS)) {
    const text = cleanText(state, "categories", raw);
    if (text === undefined) continue;
    for (const path of SEVERAL_PATHS.test(text) ? text.split(SEVERAL_PATHS) : [text]) addPath(path, paths);
  }
  return paths.length === 0 ? undefined : firstOf(state, "categories", paths, MOST_PATHS);
}

function addPath(path: string, paths: (readonly string[])[]): void {
  const levels: string[] = [];
  for (const level of path.split(">")) {
    const name = level.trim();
    if (name !== "") levels.push(name);
  }
  const isNew = !paths.some(
    (known) => known.length === levels.length && known.every((name, i) => name === levels[i]),
  );
  if (levels.length > 0 && isNew) paths.push(levels);
}

/** Shops write 0 or 1 for an item that is not a multipack. */
function readMultipack(state: DraftState): number | undefined {
  const count = integerField(state, "multipack", 0);
  return count === undefined || count < 2 ? undefined : count;
}

function readCertifications(state: DraftState): readonly Certification[] | undefined {
  const { certifications } = state.draft;
  if (certifications === undefined) return undefined;
  const kept: Certification[] = [];
  for (const raw of firstOf(state, "certifications", certifications, MOST_CERTIFICATIONS)) {
    const certification = readCertification(state, raw);
    if (certification !== undefined) kept.push(certification);
  }
  return kept.length === 0 ? undefined : kept;
}

function readCertification(state: DraftState, raw: Certification): Certification | undefined {
  const authority = cleanText(state, "certifications", raw.authority);
  const name = cleanText(state, "certifications", raw.name);
  const code = raw.code === undefined ? undefined : cleanText(state, "certifications", raw.code);
  const grade = raw.value === undefined ? undefined : cleanText(state, "certifications", raw.value);
  if (authority === undefined || name === undefined) {
    const value = [raw.authority, raw.name, raw.code].join(":");
    return dropWithWarning(state, "incomplete_value", "certifications", {
      value,
      problem: "lacks authority or name",
    });
  }
  return {
    authority,
    name,
    ...(code === undefined ? {} : { code }),
    ...(grade === undefined ? {} : { value: grade }),
  };
}

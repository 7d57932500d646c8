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
  type Intake,
  type ItemUnderWay,
  leaveOut,
  put,
  quoted,
  textOf,
  warn,
  withinLimit,
} from "./intake.ts";
import { flagOf, integerOf, wordOf } from "./typed-fields.ts";

const SEVERAL_PATHS = /[|;]/;
const MOST_PATHS = 20;
const MOST_OPTIONS = 30;
const MOST_CERTIFICATIONS = 20;

/** The variant's choices, in the shop's order. A value such as "None" is a choice here, not a blank. */
export function readOptions(intake: Intake): readonly Option[] {
  const { options } = intake.draft;
  if (options === undefined) return [];
  const kept: Option[] = [];
  for (const raw of firstOf(intake, "options", options, MOST_OPTIONS)) {
    const name = cleanText(intake, "options", raw.name);
    const value = withinLimit(intake, "options", plainText(raw.value));
    if (name === undefined || value === "" || isPseudoOption(name, value)) continue;
    if (!kept.some((option) => option.name === name)) kept.push({ name, value });
  }
  return kept;
}

/** What Shopify puts on a product that has no options. */
function isPseudoOption(name: string, value: string): boolean {
  return name === "Title" && value === "Default Title";
}

export function fillClassification(item: ItemUnderWay, intake: Intake, options: readonly Option[]): void {
  const chosen = traitsOf(options);
  put(item, "googleCategory", readGoogleCategory(intake));
  put(item, "categories", readCategories(intake));
  put(item, "options", options.length === 0 ? undefined : options);
  put(item, "color", textOf(intake, "color") ?? chosen.color);
  put(item, "size", textOf(intake, "size") ?? chosen.size);
  put(item, "sizeSystem", wordOf(intake, "sizeSystem", SIZE_SYSTEM_WORDS));
  put(item, "sizeType", wordOf(intake, "sizeType", SIZE_TYPE_WORDS));
  put(item, "material", textOf(intake, "material") ?? chosen.material);
  put(item, "pattern", textOf(intake, "pattern") ?? chosen.pattern);
  put(item, "gender", wordOf(intake, "gender", GENDER_WORDS));
  put(item, "ageGroup", wordOf(intake, "ageGroup", AGE_GROUP_WORDS));
  put(item, "adult", flagOf(intake, "adult"));
  put(item, "multipack", readMultipack(intake));
  put(item, "isBundle", flagOf(intake, "isBundle"));
  put(item, "isDigital", flagOf(intake, "isDigital"));
  put(item, "energyClass", wordOf(intake, "energyClass", ENERGY_CLASS_WORDS));
  put(item, "minEnergyClass", wordOf(intake, "minEnergyClass", ENERGY_CLASS_WORDS));
  put(item, "maxEnergyClass", wordOf(intake, "maxEnergyClass", ENERGY_CLASS_WORDS));
  put(item, "certifications", readCertifications(intake));
}

/** An unknown category is kept: it is the source's word, and a newer taxonomy than ours may have it. */
function readGoogleCategory(intake: Intake): string | undefined {
  const category = textOf(intake, "googleCategory");
  if (category !== undefined && categoryKind(category) === "unrecognized")
    warn(
      intake,
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

/** `>` parts the levels of a path; `|` and `;` part paths. A slash may be part of a name and parts nothing. */
function readCategories(intake: Intake): readonly (readonly string[])[] | undefined {
  const { categories } = intake.draft;
  if (categories === undefined) return undefined;
  const paths: (readonly string[])[] = [];
  for (const raw of firstOf(intake, "categories", categories, MOST_PATHS)) {
    const text = cleanText(intake, "categories", raw);
    if (text === undefined) continue;
    for (const path of SEVERAL_PATHS.test(text) ? text.split(SEVERAL_PATHS) : [text]) addPath(path, paths);
  }
  return paths.length === 0 ? undefined : firstOf(intake, "categories", paths, MOST_PATHS);
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

/** None and one are how shops say that it is no multipack. */
function readMultipack(intake: Intake): number | undefined {
  const count = integerOf(intake, "multipack", 0);
  return count === undefined || count < 2 ? undefined : count;
}

function readCertifications(intake: Intake): readonly Certification[] | undefined {
  const { certifications } = intake.draft;
  if (certifications === undefined) return undefined;
  const kept: Certification[] = [];
  for (const raw of firstOf(intake, "certifications", certifications, MOST_CERTIFICATIONS)) {
    const certification = readCertification(intake, raw);
    if (certification !== undefined) kept.push(certification);
  }
  return kept.length === 0 ? undefined : kept;
}

function readCertification(intake: Intake, raw: Certification): Certification | undefined {
  const authority = cleanText(intake, "certifications", raw.authority);
  const name = cleanText(intake, "certifications", raw.name);
  const code = raw.code === undefined ? undefined : cleanText(intake, "certifications", raw.code);
  const grade = raw.value === undefined ? undefined : cleanText(intake, "certifications", raw.value);
  if (authority === undefined || name === undefined) {
    const value = [raw.authority, raw.name, raw.code].join(":");
    return leaveOut(intake, "incomplete_value", "certifications", {
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

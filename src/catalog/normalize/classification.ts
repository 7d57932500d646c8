/**
 * What kind of thing the item is. Options are the shop's own words and stay as they are; where one is plainly about
 * color, size, material or pattern it also fills that trait, by its name and never by its position.
 */
import { defined } from "../../lib/defined.ts";
import { memoizeLast } from "../../lib/memoize.ts";
import type { TextField } from "../draft.ts";
import { nearestHint } from "../category-search.ts";
import { categoryKind } from "../google-category.ts";
import type { Certification, Option, VariantTrait } from "../item.ts";
import { isBlank, plainText } from "../text.ts";
import { OPTION_NAME_WORDS } from "../vocabulary/traits.ts";
import { meaningOf } from "../words.ts";
import {
  cleanText,
  type DraftState,
  dropWithWarning,
  limitEntries,
  integerField,
  quoted,
  readList,
  textField,
  warn,
  withinLimit,
} from "./fields.ts";

const SEVERAL_PATHS = /[|;]/;
const MAX_PATHS = 20;
const MAX_OPTIONS = 30;
const MAX_CERTIFICATIONS = 20;
/** Shopify allows 250. */
const MAX_TAGS = 250;

/** The shop's own keywords, each once. */
export function readTags(state: DraftState): readonly string[] | undefined {
  const list = { field: "tags", entries: state.draft.tags, limit: MAX_TAGS };
  const tags = readList(state, list, (raw) => cleanText(state, "tags", raw));
  return tags && [...new Set(tags)];
}

/** The variant's choices, in the shop's order. A value such as "None" is a choice here, not a blank. */
export function readOptions(state: DraftState): readonly Option[] {
  const { options } = state.draft;
  if (options === undefined) return [];
  const kept: Option[] = [];
  for (const raw of limitEntries(state, "options", options, MAX_OPTIONS)) {
    const name = cleanText(state, "options", raw.name);
    const value = withinLimit(state, "options", plainText(raw.value));
    if (name === undefined || value === "" || isPseudoOption(name, value)) continue;
    if (!kept.some((option) => option.name === name)) kept.push({ name, value });
  }
  return kept;
}

/** Recognizes the option that Shopify gives a product that has no options. */
function isPseudoOption(name: string, value: string): boolean {
  return name === "Title" && value === "Default Title";
}

/** The items of a shop mostly have the category of the one before. */
const kindOf = memoizeLast(categoryKind);

/** Makes the warning that Google's taxonomy does not have the category, with the category to use instead. */
export const unknownCategory = (category: string): string =>
  `google_category ${quoted(category)} is not in Google's taxonomy.${nearestHint(category)} Use an id or a full path of the taxonomy.`;

/** An unknown category is kept: it is the source's word, and a newer taxonomy than ours may have it. */
export function readGoogleCategory(state: DraftState): string | undefined {
  const category = textField(state, "googleCategory");
  if (category !== undefined && kindOf(category) === "unrecognized") {
    warn(state, "unknown_category", "googleCategory", unknownCategory(category));
  }
  return category;
}

export type Traits = { [Trait in VariantTrait]?: string };

export function traitsOf(options: readonly Option[]): Traits {
  const traits: Traits = {};
  for (const { name, value } of options) {
    const trait = meaningOf(OPTION_NAME_WORDS, name);
    if (trait !== undefined && !isBlank(value)) traits[trait] ??= value;
  }
  return traits;
}

/** `>` separates the levels of a path; `|` and `;` separate paths. A slash may be part of a name. */
export function readCategories(state: DraftState): readonly (readonly string[])[] | undefined {
  const { categories } = state.draft;
  if (categories === undefined) return undefined;
  const paths: (readonly string[])[] = [];
  for (const raw of limitEntries(state, "categories", categories, MAX_PATHS)) {
    const text = cleanText(state, "categories", raw);
    if (text === undefined) continue;
    for (const path of pathsIn(text)) addPath(path, paths);
  }
  return paths.length === 0 ? undefined : limitEntries(state, "categories", paths, MAX_PATHS);
}

const pathsIn = memoizeLast((text: string): readonly (readonly string[])[] =>
  (SEVERAL_PATHS.test(text) ? text.split(SEVERAL_PATHS) : [text]).map((path) =>
    path
      .split(">")
      .map((level) => level.trim())
      .filter((level) => level !== ""),
  ),
);

function addPath(levels: readonly string[], paths: (readonly string[])[]): void {
  const isNew = !paths.some(
    (known) => known.length === levels.length && known.every((name, i) => name === levels[i]),
  );
  if (levels.length > 0 && isNew) paths.push(levels);
}

/** Shops write 0 or 1 for an item that is not a multipack. */
export function readMultipack(state: DraftState): number | undefined {
  const count = integerField(state, "multipack", 0);
  return count === undefined || count < 2 ? undefined : count;
}

export function readCertifications(state: DraftState): readonly Certification[] | undefined {
  const list = { field: "certifications", entries: state.draft.certifications, limit: MAX_CERTIFICATIONS };
  return readList(state, list, (raw) => readCertification(state, raw));
}

function readCertification(state: DraftState, raw: Certification): Certification | undefined {
  const clean = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : cleanText(state, "certifications", text);
  const [authority, name] = [clean(raw.authority), clean(raw.name)];
  const [code, value] = [clean(raw.code), clean(raw.value)];
  if (authority !== undefined && name !== undefined) return { authority, name, ...defined({ code, value }) };
  const written = [raw.authority, raw.name, raw.code].join(":");
  const dropped = { value: written, problem: "lacks authority or name" };
  return dropWithWarning(state, "incomplete_value", "certifications", dropped);
}

export const LABEL_FIELDS = [
  "customLabel0",
  "customLabel1",
  "customLabel2",
  "customLabel3",
  "customLabel4",
] as const satisfies readonly TextField[];

/** The merchant's labels for campaigns by position; an unused one is null, unused ones at the end are not there. */
export function readCustomLabels(state: DraftState): readonly (string | null)[] | undefined {
  const labels = LABEL_FIELDS.map((field) => textField(state, field) ?? null);
  const count = labels.findLastIndex((label) => label !== null) + 1;
  return count === 0 ? undefined : labels.slice(0, count);
}

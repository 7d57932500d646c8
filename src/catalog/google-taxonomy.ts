/**
 * Google's product taxonomy: categories by id and by path, their names in several languages. The files in
 * `reference-data/google-taxonomy/` are read at first use, those of a language when it is asked for.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { memoize } from "../lib/memoize.ts";

export const TAXONOMY_LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pt", "da", "pl", "fi"] as const;
export type TaxonomyLanguage = (typeof TAXONOMY_LANGUAGES)[number];

export type Category = {
  readonly id: number;
  /** In US English. Empty for the few ids whose names are not known. */
  readonly name: string;
  /** Undefined for a root. */
  readonly parent: Category | undefined;
  readonly children: readonly Category[];
};

const FOLDER = join(import.meta.dirname, "../../reference-data/google-taxonomy");
const VERSION = /version (\d{4}-\d\d-\d\d)/;

type Taxonomy = { readonly version: string; readonly byId: ReadonlyMap<number, Category> };
let loaded: Taxonomy | undefined;

function taxonomy(): Taxonomy {
  loaded ??= loadCategories(readFileSync(join(FOLDER, "categories.tsv"), "utf8"));
  return loaded;
}

/** A parent precedes its children in the file. */
function loadCategories(text: string): Taxonomy {
  const byId = new Map<number, Category>();
  for (const [id, parentId, name = ""] of rows(text)) {
    const parent = byId.get(Number(parentId));
    const category = { id, name, parent, children: [] };
    byId.set(id, category);
    (parent?.children as Category[] | undefined)?.push(category);
  }
  return { version: VERSION.exec(text)?.[1] ?? "", byId };
}

const readRows = (file: string): [number, ...string[]][] =>
  rows(readFileSync(join(FOLDER, `${file}.tsv`), "utf8"));

/** Lines that begin with an id; comments and the header do not. */
function rows(text: string): [number, ...string[]][] {
  return text
    .split("\n")
    .filter((line) => /^\d/.test(line))
    .map((line) => {
      const [id, ...cells] = line.split("\t");
      return [Number(id), ...cells];
    });
}

/** The date that Google gave this version. */
export const taxonomyVersion = (): string => taxonomy().version;

export const allCategories = (): Iterable<Category> => taxonomy().byId.values();

export const categoryById = (id: number): Category | undefined => taxonomy().byId.get(id);

/** From the root to the category itself. */
export function lineage(category: Category): readonly Category[] {
  return category.parent === undefined ? [category] : [...lineage(category.parent), category];
}

/**
 * For each category its name, followed by names that others use for the category or for a part of it. English entries
 * do not begin with the name, which is `Category.name`.
 */
export type CategoryNames = ReadonlyMap<number, readonly string[]>;

const namesByLanguage = memoize(TAXONOMY_LANGUAGES.length, (language: string): CategoryNames => {
  const byId = new Map<number, string[]>();
  for (const [id, ...names] of readRows(`names.${language}`)) byId.set(id, names);
  for (const [id, code, ...names] of readRows("synonyms"))
    if (code === language) byId.set(id, [...(byId.get(id) ?? [""]), ...names]);
  return byId;
});

/** All names of a category in a language, its own name first; without one in this language, the English name. */
export function categoryNames(
  category: Category,
  language: TaxonomyLanguage,
): readonly [string, ...string[]] {
  const [name = "", ...further] = namesByLanguage(language).get(category.id) ?? [];
  return name === "" ? [category.name, ...further] : [name, ...further];
}

/** Writes the path as Google does, with `>` between the levels. A category without a name is shown by its parent. */
export function categoryPath(category: Category, language: TaxonomyLanguage = "en"): string {
  return lineage(category)
    .map((one) => (language === "en" ? one.name : categoryNames(one, language)[0]))
    .filter((name) => name !== "")
    .join(" > ");
}

/** A name as it is compared: letters and digits only, in lower case, without accents. */
function nameKey(name: string): string {
  return name
    .replaceAll("&amp;", "&")
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** Categories by the id of the parent (0 for roots) and the key of the name. */
type PathIndex = ReadonlyMap<string, Category>;

/** Without the further names, so that a check of paths in all languages takes little memory. */
const pathIndexes = memoize(TAXONOMY_LANGUAGES.length, (language: string): PathIndex => {
  const index = new Map<string, Category>();
  const add = (category: Category | undefined, name: string): void => {
    const key = `${category?.parent?.id ?? 0}>${nameKey(name)}`;
    if (category !== undefined && name !== "" && !index.has(key)) index.set(key, category);
  };
  const translated = new Set<number>();
  for (const [id, name = ""] of readRows(language === "en" ? "en-GB" : `names.${language}`)) {
    add(categoryById(id), name);
    if (language !== "en" && name !== "") translated.add(id);
  }
  for (const category of allCategories()) if (!translated.has(category.id)) add(category, category.name);
  return index;
});

export type PathMatch = {
  /** The category of the longest beginning of the path that is known. */
  readonly deepest: Category | undefined;
  readonly isComplete: boolean;
};

/** Follows a path of names in a language; English is US or UK English, level by level. */
export function followPath(path: string, language: TaxonomyLanguage): PathMatch {
  const index = pathIndexes(language);
  let deepest: Category | undefined;
  for (const level of path.split(">")) {
    const next = index.get(`${deepest?.id ?? 0}>${nameKey(level)}`);
    if (next === undefined) return { deepest, isComplete: false };
    deepest = next;
  }
  return { deepest, isComplete: true };
}

/** The category that a path names in any language. Case, spaces, hyphens and accents do not count. */
export function categoryByPath(path: string): Category | undefined {
  // Many items have none: no reason to load the names of all languages.
  if (path.trim() === "") return undefined;
  for (const language of TAXONOMY_LANGUAGES) {
    const { deepest, isComplete } = followPath(path, language);
    if (isComplete) return deepest;
  }
  return undefined;
}

/** The category that an id or a path names. */
export const findCategory = (category: string): Category | undefined =>
  /^\d+$/.test(category) ? categoryById(Number(category)) : categoryByPath(category);

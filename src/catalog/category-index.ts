/** The names of all categories in a language, by the words in them. Built at first use of a language. */
import { memoize } from "../lib/memoize.ts";
import { categoryStems, isWeakWord } from "./category-words.ts";
import {
  allCategories,
  type Category,
  categoryNames,
  TAXONOMY_LANGUAGES,
  type TaxonomyLanguage,
} from "./google-taxonomy.ts";

/** One name of a category. */
export type CategoryTerm = {
  readonly category: Category;
  readonly stems: readonly string[];
  /**
   * `part`: of the name of the category, such as "Shirts" of "Shirts & Tops". `further`: another name for it or for
   * something in it.
   */
  readonly kind: "own" | "part" | "further";
};

export type CategoryIndex = {
  readonly language: TaxonomyLanguage;
  readonly byStem: ReadonlyMap<string, readonly CategoryTerm[]>;
  /** All stems in order, to find those that begin with what is typed. */
  readonly stems: readonly string[];
  /** The words of a category's own name and of those of its ancestors. */
  readonly lineageStems: (category: Category) => ReadonlySet<string>;
  /**
   * How much a word says: near 1 for one that few categories have, near 0 for one that many have, 0 for an unknown
   * word.
   */
  readonly weight: (stem: string) => number;
};

export const categoryIndex: (language: TaxonomyLanguage) => CategoryIndex = memoize(
  TAXONOMY_LANGUAGES.length,
  (language) => buildIndex(language as TaxonomyLanguage),
);

function buildIndex(language: TaxonomyLanguage): CategoryIndex {
  const byStem = new Map<string, CategoryTerm[]>();
  let count = 0;
  for (const category of allCategories()) {
    if (category.name === "") continue;
    count += 1;
    const add = (name: string, kind: CategoryTerm["kind"]): void => {
      addTerm(byStem, { category, stems: categoryStems(name, language), kind });
    };
    const [own, ...further] = categoryNames(category, language);
    add(own, "own");
    for (const part of partsOf(category, own)) add(part, "part");
    for (const name of further) add(name, "further");
  }
  const weights = new Map<string, number>();
  for (const [stem, terms] of byStem)
    weights.set(stem, Math.log(1 + count / countCategories(terms)) / Math.log(1 + count));
  return {
    language,
    byStem,
    stems: [...byStem.keys()].sort(),
    lineageStems: lineageStems(language),
    weight: (stem) => weights.get(stem) ?? 0,
  };
}

/** The terms of a category follow each other. */
function countCategories(terms: readonly CategoryTerm[]): number {
  let count = 0;
  let last: Category | undefined;
  for (const { category } of terms) {
    if (category !== last) count += 1;
    last = category;
  }
  return count;
}

const SEPARATOR = /,? (?:&|and|und|et|y|e|en|og|i|ja) |, /;

/**
 * "Shirts & Tops" are shirts, and tops. But "Baby & Toddler Clothing" is not "baby", and "Wetsuit Hoods, Gloves &
 * Boots" are not "boots": English shows it by the plural of the first part and by the words before it.
 */
function partsOf({ name }: Category, translated: string): readonly string[] {
  if (!/[&,]/.test(name)) return [];
  const english = name.split(SEPARATOR);
  const isList = /^\S+s$/.test(english[0] ?? "") || english.every((part) => !part.includes(" "));
  const parts = translated.split(SEPARATOR);
  // "Beds & Accessories" is the category above "Beds & Bed Frames".
  const isBroad = english.some((part) => categoryStems(part, "en").every((stem) => isWeakWord(stem, "en")));
  return english.length > 1 && isList && !isBroad && parts.length === english.length ? parts : [];
}

function addTerm(byStem: Map<string, CategoryTerm[]>, term: CategoryTerm): void {
  for (const stem of term.stems) {
    const terms = byStem.get(stem);
    if (terms === undefined) byStem.set(stem, [term]);
    else terms.push(term);
  }
}

function lineageStems(language: TaxonomyLanguage): CategoryIndex["lineageStems"] {
  const known = new Map<Category, ReadonlySet<string>>();
  const stemsOf = (category: Category): ReadonlySet<string> => {
    let stems = known.get(category);
    if (stems === undefined) {
      const own = categoryStems(categoryNames(category, language)[0], language);
      stems = new Set([...own, ...(category.parent === undefined ? [] : stemsOf(category.parent))]);
      known.set(category, stems);
    }
    return stems;
  };
  return stemsOf;
}

/**
 * Suggests Google categories for one of a merchant's own category paths, by its words and those of a few titles. Pure and
 * deterministic. Words count by how rare they are in the taxonomy, by the level they are in, and more if they are the noun of the name.
 *
 * One word has many meanings, so a name that fits is not enough for a high confidence: the levels above, other words of the
 * titles or the departments of the shop's other paths must point to the same part of the taxonomy. docs/enrichment.md shows
 * how often suggestions of each confidence were right; bench/categories.ts measures it.
 */
import { type CategoryIndex, categoryIndex, type CategoryTerm } from "../../catalog/category-index.ts";
import {
  type Category,
  categoryById,
  followPath,
  lineage,
  TAXONOMY_LANGUAGES,
  type TaxonomyLanguage,
} from "../../catalog/google-taxonomy.ts";
import { isWeakWord } from "../../catalog/category-words.ts";
import { unnamedUses } from "./narrow-uses.ts";
import { headOf, type PathWords, pathWords, type Reading } from "./path-words.ts";

export type CategorySuggestion = {
  readonly id: number;
  /** 0 to 1. */
  readonly confidence: number;
  /** The merchant's words that it is based on, as they are written. */
  readonly matched: readonly string[];
};

/** The share of a shop's paths in each root of the taxonomy. Roots are given by id. */
export type Departments = ReadonlyMap<number, number>;

/** Less sure suggestions are wrong more often than right: they are neither listed nor proposed. */
export const SURE_ENOUGH = 0.5;

/** In other languages too few suggestions were right, or too few were judged, to approve them together. */
export const MEASURED: ReadonlySet<TaxonomyLanguage> = new Set<TaxonomyLanguage>([
  "en",
  "de",
  "fr",
  "es",
  "it",
]);
export const UNMEASURED = 0.75;

const MAX_SUGGESTIONS = 5;
const MIN_CONFIDENCE = 0.15;

/** Up to five, best first. `path` is one of the merchant's categories by level, `titles` are those of some of its items. The names of ten languages take a second to load; fewer languages take less. */
export function suggestCategories(
  path: readonly string[],
  titles: readonly string[],
  languages: readonly TaxonomyLanguage[] = TAXONOMY_LANGUAGES,
  departments: Departments = new Map(),
): readonly CategorySuggestion[] {
  return samePath(path, "en") ?? suggestInBestLanguage({ path, titles, departments }, languages);
}

/** With fewer paths a shop is not known well enough. */
const FEWEST_PATHS = 4;

/** The departments of a shop, from the suggestions for its paths without any knowledge of the shop. */
export function departmentsOf(suggestions: Iterable<readonly CategorySuggestion[]>): Departments {
  const weights = new Map<number, number>();
  let paths = 0;
  let total = 0;
  for (const [best] of suggestions) {
    const category = best && categoryById(best.id);
    if (!category) continue;
    const root = rootOf(category).id;
    weights.set(root, (weights.get(root) ?? 0) + best.confidence);
    paths += 1;
    total += best.confidence;
  }
  if (paths < FEWEST_PATHS) return new Map();
  return new Map([...weights].map(([root, weight]) => [root, weight / total]));
}

function rootOf(category: Category): Category {
  return category.parent === undefined ? category : rootOf(category.parent);
}

type Described = {
  readonly path: readonly string[];
  readonly titles: readonly string[];
  readonly departments: Departments;
};

/** For a path of the taxonomy itself. */
function samePath(
  path: readonly string[],
  language: TaxonomyLanguage,
): readonly CategorySuggestion[] | undefined {
  const { deepest, isComplete } = followPath(path.join(" > "), language);
  const confidence = MEASURED.has(language) ? 1 : UNMEASURED;
  return isComplete && deepest !== undefined ? [{ id: deepest.id, confidence, matched: path }] : undefined;
}

/** The languages are in order: a later one has to be this much better. */
const LATER_LANGUAGE = 1.5;

/** Each language is tried: that which knows most of the words decides, and of several the one with the best match. */
function suggestInBestLanguage(
  { path, titles, departments }: Described,
  languages: readonly TaxonomyLanguage[],
): readonly CategorySuggestion[] {
  let best: { fit: number; suggestions: readonly CategorySuggestion[] } = { fit: 0, suggestions: [] };
  for (const language of languages) {
    const index = categoryIndex(language);
    const words = pathWords(path, titles, index);
    const same = words.isKnown ? samePath(path, language) : undefined;
    if (same !== undefined) return same;
    const known = words.known ** 2;
    // A score is 1 at most.
    if (known <= best.fit * LATER_LANGUAGE) continue;
    const ranked = rank(path, words, index, departments);
    const fit = known * (ranked[0]?.score ?? 0);
    if (fit > best.fit * LATER_LANGUAGE) best = { fit, suggestions: withConfidence(ranked, words, index) };
  }
  return best.suggestions;
}

type Scored = {
  readonly category: Category;
  readonly score: number;
  readonly stems: ReadonlySet<string>;
  /** The most that the confidence may be, by what else points to the category. */
  readonly limit: number;
};

/** For the category that the beginning of a path names, as in exports of shops that have a taxonomy much like Google's. */
const BEGINNING = 0.5;
/** In addition, by the part of the path that it is. */
const LONG_BEGINNING = 0.4;
const BELOW_BEGINNING = 1.2;

function rank(
  path: readonly string[],
  words: PathWords,
  index: CategoryIndex,
  departments: Departments,
): readonly Scored[] {
  const best = new Map<Category, Scored>();
  const add = (scored: Scored): void => {
    if (scored.score > (best.get(scored.category)?.score ?? 0)) best.set(scored.category, scored);
  };
  const beginning = beginningOf(path, index);
  if (beginning !== undefined) {
    const score = BEGINNING + LONG_BEGINNING * (lineage(beginning).length / path.length);
    add({ category: beginning, score, stems: index.lineageStems(beginning), limit: UNSUPPORTED });
  }
  for (const reading of words.readings)
    for (const term of candidates(reading, index)) {
      const isBelow = beginning !== undefined && lineage(term.category).includes(beginning);
      const scored = inShop(scoreTerm(term, reading, words, index), words, departments);
      add(isBelow ? { ...scored, score: Math.min(1, scored.score * BELOW_BEGINNING) } : scored);
    }
  return [...best.values()]
    .sort((a, b) => b.score - a.score || a.category.id - b.category.id)
    .slice(0, MAX_SUGGESTIONS);
}

/** A root says too little. */
function beginningOf(path: readonly string[], { language }: CategoryIndex): Category | undefined {
  const { deepest } = followPath(path.join(" > "), language);
  return deepest?.parent === undefined ? undefined : deepest;
}

/** The share of words that a language must know. A few known ones in a text of another language mean something else. */
const MOSTLY_KNOWN = 0.5;

function withConfidence(
  ranked: readonly Scored[],
  words: PathWords,
  { language }: CategoryIndex,
): readonly CategorySuggestion[] {
  return ranked
    .map(({ category, score, stems, limit }, position) => {
      // A close runner-up makes the first one less certain.
      const gap = position === 0 ? (score - (ranked[1]?.score ?? 0)) / score : 0;
      const most = Math.min(
        limit,
        words.known < MOSTLY_KNOWN ? UNSUPPORTED : 1,
        MEASURED.has(language) ? 1 : UNMEASURED,
      );
      const confidence = Math.min(most, score * (0.8 + Math.min(0.2, gap)));
      return { id: category.id, confidence: Math.round(confidence * 100) / 100, matched: words.texts(stems) };
    })
    .filter(({ confidence }) => confidence >= MIN_CONFIDENCE);
}

/** The names that share a word with what the product is. */
function candidates({ leaf }: Reading, index: CategoryIndex): ReadonlySet<CategoryTerm> {
  const terms = new Set<CategoryTerm>();
  for (const stem of leaf.keys()) for (const term of index.byStem.get(stem) ?? []) terms.add(term);
  return terms;
}

const KIND: Readonly<Record<CategoryTerm["kind"], number>> = { own: 1, part: 0.97, further: 0.93 };
/** The name does not have the noun of the path. */
const HEAD_MISSING = 0.55;
/** The path does not have the noun of the name. */
const OTHER_HEAD = 0.6;
const OTHER_HEAD_BUT_ALL_WORDS = 0.85;
const NARROW = 0.75;

function scoreTerm(term: CategoryTerm, reading: Reading, words: PathWords, index: CategoryIndex): Scored {
  const { leaf, context } = reading;
  const leafShare = share(leaf, new Set(term.stems));
  const above = index.lineageStems(term.category);
  let score =
    (0.55 * leafShare + 0.45 * termCoverage(term, reading, words, index)) * reading.factor * KIND[term.kind];
  if (!term.stems.includes(reading.head)) score *= HEAD_MISSING;
  const head = headOf(term.stems, index);
  if (!leaf.has(head) && !context.has(head))
    score *= leafShare > 0.99 ? OTHER_HEAD_BUT_ALL_WORDS : OTHER_HEAD;
  const unnamed = unnamedUses(term.category, reading, words, index);
  if (unnamed.length > 0) score *= NARROW;
  const contextShare = context.size === 0 ? 0.5 : share(context, above);
  const titleShare = share(words.titles, new Set([...term.stems, ...above]));
  score *= 0.72 + 0.2 * contextShare + 0.08 * titleShare;
  const all = new Set([...term.stems, ...above]);
  const stems = new Set([...leaf.keys(), ...context.keys()].filter((stem) => all.has(stem)));
  // A furniture shop's "Daybed" is no outdoor bed: that the shop sells furniture says nothing about a use within furniture.
  const isWithin = unnamed.some(({ parent }) => parent !== undefined);
  const limit = isWithin ? PARTLY : limitOf(term, reading, words, index);
  return { category: term.category, score, stems, limit };
}

const SUPPORTED = 0.97;
const UNSUPPORTED = 0.7;
/** For a category that is a part of what a level lists, or of a use that nothing names. No support changes that. */
const PARTLY = 0.6;
/** Titles support a category if at least this share of them has one of its other words. */
const TITLE_SUPPORT = 0.3;

/** Words that led to a category are no second witness for it: other ones have to point there as well. */
function limitOf(
  { category, stems }: CategoryTerm,
  { leaf, context, list }: Reading,
  { titles }: PathWords,
  index: CategoryIndex,
): number {
  // "Computers and accessories" are not "Computer accessories", and "Tables and chairs" are more than tables.
  const hasAll = /[&,]/.test(category.name) && [...leaf.keys()].every((stem) => stems.includes(stem));
  if (list === "part" || (list === "whole" && !hasAll)) return PARTLY;
  const above = index.lineageStems(category);
  const own = new Set(stems);
  // "Care" and "accessories" are in many departments.
  const isOther = (stem: string): boolean =>
    above.has(stem) && !leaf.has(stem) && !isWeakWord(stem, index.language);
  if ([...context.keys()].some((stem) => isOther(stem) && !own.has(stem))) return SUPPORTED;
  if ([...titles].some(([stem, share]) => share >= TITLE_SUPPORT && isOther(stem))) return SUPPORTED;
  return UNSUPPORTED;
}

/** The share from which a department is what the shop sells. */
const MAIN = 0.4;
const IN_DEPARTMENT = 0.9;
const OUTSIDE = 0.6;

/**
 * A shop of pipes and taps sells no tubas, unless the levels above or the titles say so. A word of the path that the taxonomy does not have
 * may be what the thing is ("Aeropulsometri grasso" are pumps for grease), so then the department is no second witness.
 */
function inShop(scored: Scored, { isKnown }: PathWords, departments: Departments): Scored {
  const main = Math.max(0, ...departments.values());
  if (main < MAIN || scored.limit <= PARTLY) return scored;
  const share = departments.get(rootOf(scored.category).id) ?? 0;
  if (share >= MAIN) return isKnown ? { ...scored, limit: Math.max(scored.limit, IN_DEPARTMENT) } : scored;
  const isOutside = share < main / 2 && scored.limit <= UNSUPPORTED;
  return isOutside ? { ...scored, score: scored.score * OUTSIDE } : scored;
}

/** How much of the weight of some words a name has. */
function share(weights: ReadonlyMap<string, number>, stems: ReadonlySet<string>): number {
  let found = 0;
  let total = 0;
  for (const [stem, weight] of weights) {
    total += weight;
    if (stems.has(stem)) found += weight;
  }
  return total === 0 ? 0 : found / total;
}

const IN_CONTEXT = 0.85;
const IN_TITLES = 0.6;

/** How much of a category's name the path and the titles have. */
function termCoverage(
  { stems }: CategoryTerm,
  { leaf, context }: Reading,
  { titles }: PathWords,
  index: CategoryIndex,
): number {
  let found = 0;
  let total = 0;
  for (const stem of stems) {
    const weight = index.weight(stem);
    total += weight;
    if (leaf.has(stem)) found += weight;
    else if (context.has(stem)) found += weight * IN_CONTEXT;
    else found += weight * IN_TITLES * (titles.get(stem) ?? 0);
  }
  return total === 0 ? 0 : found / total;
}

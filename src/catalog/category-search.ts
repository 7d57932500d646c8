/**
 * Search over Google's taxonomy, for a field that completes what is typed, and the category that a wrong one most
 * likely means.
 */
import { type CategoryIndex, categoryIndex, type CategoryTerm } from "./category-index.ts";
import { categoryWords, fold } from "./category-words.ts";
import { closest } from "../lib/closest.ts";
import { memoize } from "../lib/memoize.ts";
import {
  type Category,
  categoryById,
  categoryPath,
  followPath,
  lineage,
  type TaxonomyLanguage,
} from "./google-taxonomy.ts";

const DEFAULT_LIMIT = 20;
/** Longer queries are prose; words after this many are ignored. */
const MAX_WORDS = 8;
const MAX_QUERY = 200;

const OWN_NAME = 3;
const FURTHER_NAME = 2;
const ANCESTOR = 1;
/** For a word of which only the beginning is typed. */
const PREFIX = 0.6;

export type FoundCategory = {
  readonly category: Category;
  /** In which it fits best. */
  readonly language: TaxonomyLanguage;
};

/**
 * Best first: those that have most of the words, in their own names rather than in names of ancestors. An id or a
 * complete path finds its category.
 */
export function searchCategories(
  query: string,
  {
    languages = ["en"],
    limit = DEFAULT_LIMIT,
  }: { readonly languages?: readonly TaxonomyLanguage[]; readonly limit?: number } = {},
): readonly FoundCategory[] {
  const text = query.trim().slice(0, MAX_QUERY);
  const exact = languages.flatMap((language) => {
    const category = /^\d+$/.test(text) ? categoryById(Number(text)) : completePath(text, language);
    return category === undefined ? [] : [{ category, language }];
  });
  const ranked = languages
    .flatMap((language) => rank(text, categoryIndex(language)).map((scored) => ({ scored, language })))
    .sort((a, b) => byScore(a.scored, b.scored))
    .map(({ scored: [category], language }) => ({ category, language }));
  const found = new Map<Category, FoundCategory>();
  for (const one of [...exact, ...ranked]) if (!found.has(one.category)) found.set(one.category, one);
  return [...found.values()].slice(0, limit);
}

/**
 * Finds the category that an unknown category most likely means. Numbers are not near each other, so an unknown id has
 * no nearest category.
 */
export const nearestCategory: (category: string) => Category | undefined = (category) => nearest(category)[0];

const nearest = memoize(1_000, (category: string): readonly Category[] => {
  const text = category.slice(0, MAX_QUERY);
  if (/^\d+$/.test(text)) return [];
  // A line of Google's own list: `2271 - Apparel & Accessories > …`.
  const listed = /^(\d+) ?-/.exec(text)?.[1];
  const found = (listed === undefined ? undefined : categoryById(Number(listed))) ?? nearestPath(text);
  return found === undefined ? [] : [found];
});

function nearestPath(path: string): Category | undefined {
  const { deepest } = followPath(path, "en");
  const levels = path.split(">");
  const last = levels.at(-1) ?? "";
  if (deepest === undefined) return withAllWords(last, () => true);
  const misspelled = levels[lineage(deepest).length]?.trim() ?? "";
  const names = deepest.children.map(({ name }) => name);
  const child = deepest.children[names.indexOf(closest(misspelled, names) ?? "")];
  const root = lineage(deepest)[0];
  const found = child ?? withAllWords(last, (category) => lineage(category)[0] === root);
  return found ?? (deepest === root ? undefined : deepest);
}

/** The best category for a text, if it has all of the words. */
function withAllWords(text: string, isAllowed: (category: Category) => boolean): Category | undefined {
  const words = categoryWords(text, "en").length;
  return rank(text, categoryIndex("en")).find(
    ([category, score]) => score.words === words && isAllowed(category),
  )?.[0];
}

/** Ends a message with the nearest category, as a sentence after a space; empty if there is none. */
export function nearestHint(category: string): string {
  const found = nearestCategory(category);
  return found === undefined ? "" : ` The nearest one is ${found.id}, ${categoryPath(found)}.`;
}

function completePath(path: string, language: TaxonomyLanguage): Category | undefined {
  const { deepest, isComplete } = followPath(path, language);
  return isComplete ? deepest : undefined;
}

type CategoryScore = { words: number; points: number; size: number };

function rank(text: string, index: CategoryIndex): [Category, CategoryScore][] {
  const words = categoryWords(text, index.language).slice(0, MAX_WORDS);
  const scores = new Map<Category, CategoryScore>();
  for (const [position, { stem, text: word }] of words.entries())
    for (const [category, points] of matches(index, stem, position === words.length - 1 ? fold(word) : "")) {
      let score = scores.get(category);
      if (score === undefined)
        scores.set(category, (score = { words: 0, points: 0, size: category.name.length }));
      score.words += 1;
      score.points += points;
    }
  for (const [category, score] of scores) addAncestors(index, category, score, words);
  return [...scores].sort(byScore);
}

const byScore = ([a, x]: [Category, CategoryScore], [b, y]: [Category, CategoryScore]): number =>
  y.words - x.words || y.points - x.points || x.size - y.size || a.id - b.id;

/** The points of each category that has the word in one of its names; the best name counts. */
function matches(index: CategoryIndex, stem: string, typed: string): ReadonlyMap<Category, number> {
  const points = new Map<Category, number>();
  for (const known of new Set([stem, ...completions(index.stems, typed)]))
    for (const term of index.byStem.get(known) ?? []) {
      const earned = termPoints(term) * (known === stem ? 1 : PREFIX) * (1 + index.weight(known));
      if (earned > (points.get(term.category) ?? 0)) points.set(term.category, earned);
    }
  return points;
}

/** A name of which the word is a larger part is closer to what is meant. */
function termPoints({ kind, stems }: CategoryTerm): number {
  return (kind === "further" ? FURTHER_NAME : OWN_NAME) + 1 / stems.length;
}

function addAncestors(
  index: CategoryIndex,
  category: Category,
  score: CategoryScore,
  words: readonly { stem: string }[],
): void {
  if (score.words === words.length || category.parent === undefined) return;
  const above = index.lineageStems(category.parent);
  for (const { stem } of words) {
    if (!above.has(stem)) continue;
    score.words += 1;
    score.points += ANCESTOR * (1 + index.weight(stem));
  }
}

/** Stems that begin with what is typed; `stems` are in order. */
function completions(stems: readonly string[], word: string): readonly string[] {
  if (word.length < 2) return [];
  let low = 0;
  let high = stems.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stems[middle] ?? "") < word) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (stems[end]?.startsWith(word) === true) end += 1;
  return stems.slice(low, end);
}

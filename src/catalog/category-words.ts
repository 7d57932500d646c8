/** The words of category names: without endings of number and case, so that "lamps" and "lamp" are one. */
import { memoize } from "../lib/memoize.ts";
import type { TaxonomyLanguage } from "./google-taxonomy.ts";
import data from "./vocabulary/category-words.json" with { type: "json" };

/** A word without its ending has at least this many letters. */
const SHORTEST_STEM = 3;
const MEMOIZED_WORDS = 4_000;
const NO_WORD = /[^\p{L}\p{N}]+/u;
const LETTERS: Readonly<Record<string, string>> = { ß: "ss", ł: "l", ø: "o", æ: "ae", œ: "oe", đ: "d" };

export type CategoryWord = {
  /** The form of the word that is compared. */
  readonly stem: string;
  /** The word as it is written. */
  readonly text: string;
};

/** In order, without words such as "and" and "for". */
export function categoryWords(text: string, language: TaxonomyLanguage): CategoryWord[] {
  const { stemsOf } = languageWords(language);
  return split(text).flatMap((word) => stemsOf(word).map((stem) => ({ stem, text: word })));
}

/** Returns only the stems of the words. */
export function categoryStems(text: string, language: TaxonomyLanguage): string[] {
  const { stemsOf } = languageWords(language);
  const stems: string[] = [];
  for (const word of split(text))
    for (const stem of stemsOf(word)) if (!stems.includes(stem)) stems.push(stem);
  return stems;
}

function split(text: string): readonly string[] {
  // An apostrophe belongs to the word before it: men's, bandana's.
  const plain = /['’]/.test(text) ? text.replace(/(\p{L})['’](?=s\b)/gu, "$1") : text;
  return plain.split(NO_WORD).filter((word) => word !== "");
}

/** Words such as "and" and "for": they say which language a text is in. */
export function isJoiningWord(word: string, language: TaxonomyLanguage): boolean {
  return languageWords(language).joining.has(fold(word));
}

/** Categories of a special audience or use: their parts are meant only where the path says so. */
export const NARROW_CATEGORIES: ReadonlySet<number> = new Set(data.narrow);

/** Words that say little about what a product is: "men", "new", "accessories". */
export function isWeakWord(stem: string, language: TaxonomyLanguage): boolean {
  return languageWords(language).weak.has(stem);
}

/** Returns whether the written word is weak in any language: shops in Italy have a "Sale", too, which is not salt. */
export function isWeakAnywhere(text: string): boolean {
  weakAnywhere ??= new Set(Object.values(data.weak).flatMap((list) => list.split(" ").map(fold)));
  return weakAnywhere.has(fold(text));
}
let weakAnywhere: ReadonlySet<string> | undefined;

/** Returns where the noun of a name is: "table lamp", but "lampe de table". */
export function isHeadFirst(language: TaxonomyLanguage): boolean {
  return data.headFirst.split(" ").includes(language);
}

/** Returns whether the language writes "Tischlampe" as one word. */
export function hasCompounds(language: TaxonomyLanguage): boolean {
  return data.compounds.split(" ").includes(language);
}

/** Lower case, without accents. */
export function fold(word: string): string {
  const lower = word.toLowerCase();
  if (/^[\0-\x7f]*$/.test(lower)) return lower;
  return lower
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[ßłøæœđ]/g, (letter) => LETTERS[letter] ?? letter);
}

type Endings = readonly (readonly [ending: string, replacement: string])[];

const languageWords = memoize(20, (language: string) => {
  const code = language as TaxonomyLanguage;
  const endings = data.endings[code].map((rule): [string, string] => {
    const [ending = "", replacement = ""] = rule.split(":");
    return [ending, replacement];
  });
  const stems = (list: string): ReadonlySet<string> =>
    new Set(list.split(" ").map((word) => withoutEnding(fold(word), endings)));
  const joining: ReadonlySet<string> = new Set(data.joining[code].split(" ").map(fold));
  /** Words that mean the same as others of the taxonomy, by the folded word. */
  const same: ReadonlyMap<string, readonly string[]> = new Map(
    Object.entries(data.same[code]).map(([word, meaning]) => [fold(word), meaning.split(" ").map(fold)]),
  );
  /** Most words occur many times, in the names and in titles. */
  const stemsOf = memoize(MEMOIZED_WORDS, (word: string): readonly string[] => {
    const folded = fold(word);
    if (joining.has(folded)) return [];
    return (same.get(folded) ?? [folded]).map((one) => withoutEnding(one, endings));
  });
  return { joining, stemsOf, weak: stems(data.weak[code]) };
});

function withoutEnding(word: string, endings: Endings): string {
  for (const [ending, replacement] of endings) {
    if (!word.endsWith(ending)) continue;
    const stem = word.slice(0, word.length - ending.length) + replacement;
    if (stem.length >= SHORTEST_STEM) return stem;
  }
  return word;
}

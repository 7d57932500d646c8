/** The words of a merchant's category path and of example titles, with weights in one language. */
import type { CategoryIndex } from "../../catalog/category-index.ts";
import {
  type CategoryWord,
  categoryWords,
  hasCompounds,
  isHeadFirst,
  isJoiningWord,
  isWeakAnywhere,
  isWeakWord,
} from "../../catalog/category-words.ts";

/** Stem → weight. */
type Weights = ReadonlyMap<string, number>;

/** One way to read a path: what the product is, and what is said around it. */
export type Reading = {
  /** The words that say what the product is. */
  readonly leaf: Weights;
  /** The noun among them. */
  readonly head: string;
  /** The other words of the path. */
  readonly context: Weights;
  /** Whether the level lists several things, or the reading is of one of these. */
  readonly list?: "whole" | "part";
  /** Below 1 for a reading that is less certain than that of the path as a whole. */
  readonly factor: number;
};

export type PathWords = {
  readonly readings: readonly Reading[];
  /** Word of the titles → share of the titles that have it. */
  readonly titles: Weights;
  /** 0 to 1: how much of the texts this language knows. */
  readonly known: number;
  /** Whether it knows every word of the path. */
  readonly isKnown: boolean;
  /** What the merchant wrote for the stems. */
  readonly texts: (stems: ReadonlySet<string>) => readonly string[];
};

const HEAD = 1.6;
const WEAK = 0.25;
/** A word that the taxonomy does not have, such as a brand. */
const UNKNOWN = 0.3;
const MAX_TITLES = 10;
/** What follows is not what the product is, but what it has or is for: "Table lamp with linen shade". */
const TITLE_END = / (?:with|for|mit|für|avec|pour|con|para|per|met|voor|com|med|til|dla) | [-–—|] |[,|(]/i;
/** A level that lists several things: "Tea & Coffee". */
const LIST = /[&,+/]| (?:and|und|et|y|e|en|og|i|ja) /;
const MAX_PARTS = 6;
const LIST_PART = 0.93;
const TITLES_ONLY = 0.7;
/** A word of a title says what the product is if most titles have it. */
const COMMON = 0.5;

export function pathWords(
  path: readonly string[],
  allTitles: readonly string[],
  index: CategoryIndex,
): PathWords {
  const fullTitles = allTitles.slice(0, MAX_TITLES);
  const titles = fullTitles.map((title) => title.split(TITLE_END, 1)[0] ?? "");
  const levels = path.map((level) => wordsOf(level, index));
  const common = titleShares(titles, index);
  const words = levels.flat();
  const titleWords = titles.flatMap((title) => wordsOf(title, index));
  return {
    readings: readings(path, levels, common, index),
    titles: common,
    known: knownShare(path.join(" "), fullTitles.join(" "), index),
    isKnown: words.every(({ stem }) => index.weight(stem) > 0),
    texts: (stems) => [
      ...new Set([...words, ...titleWords].filter(({ stem }) => stems.has(stem)).map(({ text }) => text)),
    ],
  };
}

function readings(
  path: readonly string[],
  levels: readonly CategoryWord[][],
  common: Weights,
  index: CategoryIndex,
): readonly Reading[] {
  const position = levels.findLastIndex((level) => level.some((word) => isStrong(word, index)));
  const found: Reading[] = [];
  if (position !== -1) {
    // Levels below that say little, such as "Accessories", belong to it.
    const leaf = levels.slice(position).flat();
    const above = levels.slice(0, position).flat();
    const parts = (path[position] ?? "").split(LIST).slice(0, MAX_PARTS);
    const isList = parts.length > 1;
    found.push({ ...reading(leaf, above, 1, index), ...(isList && { list: "whole" }) });
    if (isList)
      for (const part of parts)
        found.push({ ...reading(wordsOf(part, index), levels.flat(), LIST_PART, index), list: "part" });
  }
  const titleWords = [...common].filter(([, share]) => share >= COMMON).map(([stem]) => ({ stem, text: "" }));
  if (titleWords.length > 0) found.push(reading(titleWords, levels.flat(), TITLES_ONLY, index));
  return found.filter(({ leaf }) => leaf.size > 0);
}

function isStrong({ stem, text }: CategoryWord, index: CategoryIndex): boolean {
  return !isWeakWord(stem, index.language) && !isWeakAnywhere(text) && index.weight(stem) > 0;
}

const strongStems = (words: readonly CategoryWord[], index: CategoryIndex): string[] =>
  words.filter((word) => isStrong(word, index)).map(({ stem }) => stem);

function reading(
  leafWords: readonly CategoryWord[],
  others: readonly CategoryWord[],
  factor: number,
  index: CategoryIndex,
): Reading {
  const head = headOf(strongStems(leafWords, index), index);
  const weigh = (stem: string): number => {
    if (isWeakWord(stem, index.language)) return WEAK;
    return (index.weight(stem) || UNKNOWN) * (stem === head ? HEAD : 1);
  };
  const leaf = new Map(leafWords.map(({ stem }) => [stem, weigh(stem)]));
  const context = new Map<string, number>();
  for (const { stem } of others)
    if (index.weight(stem) > 0 && !leaf.has(stem)) context.set(stem, weigh(stem));
  return { leaf, head, context, factor };
}

/** The noun of a name: the last word, or the first one in languages such as French. */
export function headOf(stems: readonly string[], { language }: CategoryIndex): string {
  return (isHeadFirst(language) ? stems[0] : stems.at(-1)) ?? "";
}

/** Of each word that the taxonomy has, the share of titles that have it. */
function titleShares(titles: readonly string[], index: CategoryIndex): Weights {
  const shares = new Map<string, number>();
  for (const title of titles)
    for (const stem of new Set(strongStems(wordsOf(title, index), index)))
      shares.set(stem, (shares.get(stem) ?? 0) + 1 / titles.length);
  return shares;
}

const PATH_TO_TITLES = 3;

/** Words of the taxonomy and small words of the language. Those of the path count more than those of titles. */
function knownShare(path: string, titles: string, index: CategoryIndex): number {
  let known = 0;
  let total = 0;
  for (const [text, weight] of [
    [path, PATH_TO_TITLES],
    [titles, 1],
  ] as const)
    for (const [word] of text.matchAll(/\p{L}{2,}/gu)) {
      total += weight;
      const isKnown =
        isJoiningWord(word, index.language) ||
        wordsOf(word, index).some(({ stem }) => index.weight(stem) > 0);
      if (isKnown) known += weight;
    }
  return total === 0 ? 0 : known / total;
}

/** A compound that the taxonomy does not have counts as its parts: "Gartenlampe" as "Garten" and "Lampe". */
function wordsOf(text: string, index: CategoryIndex): CategoryWord[] {
  const words = categoryWords(text, index.language);
  if (!hasCompounds(index.language)) return words;
  return words.flatMap((word) => (index.weight(word.stem) > 0 ? [word] : partsOf(word, index)));
}

const SHORTEST_PART = 4;

function partsOf(word: CategoryWord, index: CategoryIndex): CategoryWord[] {
  const { stem, text } = word;
  for (let at = 3; at <= stem.length - SHORTEST_PART; at += 1) {
    if (index.weight(stem.slice(at)) === 0) continue;
    const first = stem.slice(0, at);
    const before = [first, first.replace(/(?:en|er|es|s|n|e)$/, "")].find((part) => index.weight(part) > 0);
    const last = { stem: stem.slice(at), text };
    return before === undefined ? [last] : [{ stem: before, text }, last];
  }
  return [word];
}

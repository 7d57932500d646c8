/**
 * Words of a text with their positions, and the phrases of a vocabulary among them. One pass over the text, whatever it
 * contains. Case, accents and apostrophes make no difference.
 */
import { wordKey } from "../../catalog/words.ts";
import { memoize } from "../../lib/memoize.ts";

export type Word = { readonly key: string; readonly from: number; readonly to: number };

const WORD = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{M}]+)*['’]?/gu;
const TOKEN = /\p{N}+|[\p{L}\p{M}]+/gu;
const BEYOND_ASCII = /[^\0-\x7f]/;
/** As long as the longest description that is stored. */
const LONGEST_TEXT = 20_000;

/** Several extractors read the same title and description. */
const KEPT_TEXTS = 16;

export const wordsOf = memoize(KEPT_TEXTS, (text: string): readonly Word[] => {
  const words: Word[] = [];
  for (const { 0: written, index } of beginning(text).matchAll(WORD))
    words.push({ key: foldWord(written), from: index, to: index + trimmedLength(written) });
  return words;
});

/** A quote after a word belongs to it only as a genitive (`ladies'`), and never to its span. */
function trimmedLength(written: string): number {
  return /['’]$/.test(written) ? written.length - 1 : written.length;
}

function foldWord(written: string): string {
  const lower = written.toLowerCase();
  if (BEYOND_ASCII.test(lower)) return wordKey(lower);
  return lower.replaceAll("'", "");
}

/** Letters and digits as separate keys: `500ml` has the same ones as `500 ml`. */
export function tokenKeys(text: string): readonly string[] {
  return Array.from(text.matchAll(TOKEN), ([token]) => foldWord(token));
}

function beginning(text: string): string {
  return text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text;
}

export const LANGUAGES = ["en", "de", "fr", "es", "it", "nl"] as const;
export type Language = (typeof LANGUAGES)[number];

export type PhraseTable<Meaning> = ReadonlyMap<string, Meaning>;
const MAX_WORDS = 4;

export function phraseKey(phrase: string): string {
  return wordsOf(phrase)
    .map(({ key }) => key)
    .join(" ");
}

/**
 * The tables of a vocabulary by language: its words and the English ones, which all shops use. If a phrase means
 * something else in the shop's own language, that counts.
 */
export function phraseTables<Meaning extends string>(
  vocabulary: Readonly<Record<Language, Readonly<Partial<Record<Meaning, readonly string[]>>>>>,
): (language: string | undefined) => PhraseTable<Meaning> {
  const table = memoize(LANGUAGES.length, (language: string): PhraseTable<Meaning> => {
    const phrases = new Map<string, Meaning>();
    for (const spoken of new Set(["en", language])) addPhrases(vocabulary[spoken as Language], phrases);
    return phrases;
  });
  return (language) => table(isSupported(language) ? language : "en");
}

function addPhrases<Meaning extends string>(
  meanings: Readonly<Partial<Record<Meaning, readonly string[]>>>,
  phrases: Map<string, Meaning>,
): void {
  for (const meaning in meanings)
    for (const phrase of meanings[meaning] ?? []) phrases.set(phraseKey(phrase), meaning);
}

function isSupported(language: string | undefined): language is Language {
  return LANGUAGES.some((known) => known === language);
}

/** Languages that write compounds as one word: a `Lederjacke` is a `jacke`. */
const COMPOUNDING = new Set<string | undefined>(["de", "nl"]);
const SHORTEST_HEAD = 4;
const LONGEST_HEAD = 12;

/** Whether a text has one of the nouns of a language, on its own or as the last part of a compound. */
export function compoundTables(
  nouns: Readonly<Record<Language, readonly string[]>>,
): (text: string, language: string | undefined) => boolean {
  const byLanguage = LANGUAGES.map((language) => [language, { noun: nouns[language] }]);
  const tableFor = phraseTables<"noun">(
    Object.fromEntries(byLanguage) as Record<Language, { noun: readonly string[] }>,
  );
  return (text, language) => {
    const table = tableFor(language);
    const words = wordsOf(text);
    if (phrasesIn(text, words, table).length > 0) return true;
    return COMPOUNDING.has(language) && words.some(({ key }) => endsIn(key, table));
  };
}

function endsIn(word: string, table: PhraseTable<unknown>): boolean {
  for (let length = SHORTEST_HEAD; length <= Math.min(LONGEST_HEAD, word.length - 2); length++)
    if (table.has(word.slice(-length))) return true;
  return false;
}

export type Match<Meaning> = {
  readonly meaning: Meaning;
  /** Positions in the list of words; `last` is that of its last word. */
  readonly first: number;
  readonly last: number;
  readonly from: number;
  readonly to: number;
};

/** Whether two words of a text may belong to one phrase. */
type Adjacency = (text: string, left: Word, right: Word) => boolean;

/** The longest phrases, from left to right, without overlaps. Words of a phrase are separated by one space or hyphen. */
export function phrasesIn<Meaning>(
  text: string,
  words: readonly Word[],
  table: PhraseTable<Meaning>,
  areAdjacent: Adjacency = isAdjacent,
): readonly Match<Meaning>[] {
  const matches: Match<Meaning>[] = [];
  for (let at = 0; at < words.length; at++) {
    const match = phraseAt({ text, words, areAdjacent }, at, table);
    if (match === undefined) continue;
    matches.push(match);
    at = match.last;
  }
  return matches;
}

type Searched = { readonly text: string; readonly words: readonly Word[]; readonly areAdjacent: Adjacency };

function phraseAt<Meaning>(
  { text, words, areAdjacent }: Searched,
  first: number,
  table: PhraseTable<Meaning>,
): Match<Meaning> | undefined {
  let longest: Match<Meaning> | undefined;
  let key = "";
  for (let last = first; last < Math.min(first + MAX_WORDS, words.length); last++) {
    const word = words[last] as Word;
    if (last > first && !areAdjacent(text, words[last - 1] as Word, word)) break;
    key = last === first ? word.key : `${key} ${word.key}`;
    const meaning = table.get(key);
    if (meaning !== undefined)
      longest = { meaning, first, last, from: (words[first] as Word).from, to: word.to };
  }
  return longest;
}

export function isAdjacent(text: string, left: { readonly to: number }, right: { readonly from: number }) {
  return right.from - left.to === 1 && /[\s\-‐‑–'’]/.test(text.charAt(left.to));
}

const SEPARATOR = /[|,;:/()[\]·•–—+]/;

/** Whether a span begins or ends a part of a text between separators: `Shirt - Blue (M)` has three parts. */
export function edgesOf(text: string, from: number, to: number): { before: boolean; after: boolean } {
  let left = from - 1;
  while (text.charAt(left) === " ") left--;
  let right = to;
  while (text.charAt(right) === " ") right++;
  return {
    before: isEdge(text.charAt(left), left < from - 1),
    after: isEdge(text.charAt(right), right > to),
  };
}

/** A hyphen separates only with a space next to it. */
function isEdge(character: string, isSpaced: boolean): boolean {
  return character === "" || SEPARATOR.test(character) || (character === "-" && isSpaced);
}

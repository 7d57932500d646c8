/**
 * What a shop's words say about the condition. Google's three values decide: `new` is unused in its original, unopened
 * package; whatever was used, opened, shown or damaged is `used`, and so is what is only like new.
 *
 * A phrase is looked up as a whole, then phrase by phrase, since shops add grades and remarks ("Used - Very Good",
 * "Refurbished Grade A"). The words that claim less win: refurbished before used before new, and a word that limits
 * ("like new", "new other") makes new goods used.
 */
import type { Condition } from "../item.ts";
import { meaningOf, wordKey, wordTable } from "../words.ts";
import phrases from "./condition.json" with { type: "json" };

/** The meaning of a text: a condition, or none. */
export type StatedCondition = Condition | "unstated";
/** `limited` takes the claim out of "new". */
type Word = StatedCondition | "limited";

// Numbers are eBay's condition ids. Of Amazon's (1 to 11) only 11, "new", can be nothing else: `1` to `10` are also
// marks out of ten, and shops' own numbers.
const CONDITION_WORDS = wordTable<Word>(phrases);

/** Scripts that put no space between words: there a known phrase counts in any position. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const UNSPACED_PHRASES: readonly (readonly [string, Word])[] = [...CONDITION_WORDS]
  .filter(([phrase]) => UNSPACED.test(phrase) && phrase.length > 1)
  .toSorted(([a], [b]) => b.length - a.length);
/** `refurbishedGradeA`, `refurbishing`: words that begin so have the same meaning. */
const STEMS: readonly (readonly [string, Word])[] = [
  ["refurb", "refurbished"],
  ["recondi", "refurbished"],
  ["preowned", "used"],
  ["secondhand", "used"],
  ["used", "used"],
];
/** `UsedLikeNew` is three words. */
const WORD_BREAK = /[^\p{L}\p{N}\p{M}]+|(?<=\p{Ll})(?=\p{Lu})/u;
/** The number of words of our longest phrases. */
const MAX_WORDS = 4;
/** A number among words is a remark ("used, 2 of 5"), not a condition id. */
const NUMBER = /^\d+$/;
/** The words about the condition come first. */
const LONGEST_TEXT = 200;

export function readCondition(text: string): StatedCondition | undefined {
  const known = meaningOf(CONDITION_WORDS, text);
  if (known !== undefined && known !== "limited") return known;
  const beginning = text.slice(0, LONGEST_TEXT);
  const words = new Set(UNSPACED.test(beginning) ? phrasesIn(beginning) : []);
  addWords(beginning, words);
  if (words.has("refurbished")) return "refurbished";
  if (words.has("used")) return "used";
  if (words.has("new")) return words.has("limited") ? "used" : "new";
  return undefined;
}

/** The longest known phrase counts instead of its words: "never used" does not say "used". */
function addWords(text: string, found: Set<Word>): void {
  const keys = text
    .split(WORD_BREAK)
    .map(wordKey)
    .filter((key) => key !== "");
  let at = 0;
  while (at < keys.length) {
    const { word, length } = phraseAt(keys, at);
    if (word !== undefined) found.add(word);
    at += length;
  }
}

function phraseAt(
  keys: readonly string[],
  at: number,
): { readonly word: Word | undefined; readonly length: number } {
  for (let length = Math.min(MAX_WORDS, keys.length - at); length > 1; length--) {
    const word = CONDITION_WORDS.get(keys.slice(at, at + length).join(""));
    if (word !== undefined) return { word, length };
  }
  const key = keys[at] ?? "";
  return { word: NUMBER.test(key) ? undefined : (CONDITION_WORDS.get(key) ?? stemOf(key)), length: 1 };
}

function stemOf(key: string): Word | undefined {
  return STEMS.find(([stem]) => key.startsWith(stem))?.[1];
}

/** The longest phrases count, and what they cover is not looked at again: 新品同様 ("as good as new") is not 新品 ("new"). */
function phrasesIn(text: string): Word[] {
  const found: Word[] = [];
  let rest = wordKey(text);
  for (const [phrase, word] of UNSPACED_PHRASES) {
    if (!rest.includes(phrase)) continue;
    found.push(word);
    rest = rest.replaceAll(phrase, " ");
  }
  return found;
}

/**
 * Delivery times as shops write them ("ships in 3 days", "Lieferzeit: 2-4 Werktage", "24h", "3日以内に発送"), read into
 * days. Every word has to be in `delivery-time.json`: a unit, or a word that changes nothing. A text with any other
 * word is no delivery time, so "not before 3 weeks" and "3 days late" are not read wrong.
 */
import { byMeaning, wordKey, wordTable } from "../words.ts";
import words from "./delivery-time.json" with { type: "json" };

/** Whole days, like Google's `min_handling_time` and `max_handling_time`. */
export type HandlingTime = { readonly min?: number; readonly max: number };

const UNITS = ["hour", "day", "week", "month"] as const;
type Unit = (typeof UNITS)[number];
const HOURS: Readonly<Record<Unit, number>> = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24 };

const WORDS = wordTable<Unit | "other">(byMeaning<Unit | "other">(words));
const LONGEST_WORD = Math.max(...[...WORDS.keys()].map(({ length }) => length));

const LONGEST_TEXT = 100;
/** A number with decimals is one token, so that "1.5 weeks" is not read as a range. */
const TOKENS = /\d+(?:[.,]\d+)*|[\p{L}\p{M}]+|[^\s]/gu;
/**
 * Marks that change nothing, or separate the ends of a range. `>` and `+` have no upper limit and are not among them.
 */
const MARKS: ReadonlySet<string> = new Set("-–—−~〜～/.,:;()[]<≤*!'’’");
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const NUMBER = /^\d{1,3}$/;
const LONGEST_DAYS = 365;

type Count = { readonly count: number; unit?: Unit };

/** `bareUnit` is the unit of numbers that name none. */
export function readDeliveryTime(text: string, bareUnit?: Unit): HandlingTime | undefined {
  if (text.length > LONGEST_TEXT || !/\d/.test(text)) return undefined;
  const counts: Count[] = [];
  for (const [token] of text.matchAll(TOKENS))
    if (!MARKS.has(token) && !addToken(counts, token)) return undefined;
  return toDays(counts, bareUnit);
}

/** Adds a number, or the unit of the number before. False for a word that is not known. */
function addToken(counts: Count[], token: string): boolean {
  if (/^\d/.test(token)) {
    counts.push({ count: Number(token) });
    return NUMBER.test(token);
  }
  const meanings = meaningsIn(token);
  const last = counts.at(-1);
  const unit = meanings?.find((meaning) => meaning !== "other");
  if (last !== undefined && unit !== undefined) last.unit ??= unit;
  return meanings !== undefined;
}

function toDays(counts: readonly Count[], bareUnit: Unit | undefined): HandlingTime | undefined {
  const [from, to = from] = counts;
  if (from === undefined || to === undefined || counts.length > 2) return undefined;
  const unit = to.unit ?? bareUnit;
  return unit === undefined
    ? undefined
    : spanOf(days(from.count, from.unit ?? unit), days(to.count, unit), counts.length);
}

function spanOf(min: number, max: number, ends: number): HandlingTime | undefined {
  if (min > max || max > LONGEST_DAYS) return undefined;
  return ends === 1 ? { max } : { min, max };
}

const days = (count: number, unit: Unit): number => Math.ceil((count * HOURS[unit]) / 24);

/** The meanings of a word; of several where a script puts no space between them. Undefined if one is not known. */
function meaningsIn(word: string): readonly (Unit | "other")[] | undefined {
  const key = wordKey(word);
  const known = WORDS.get(key);
  if (known !== undefined) return [known];
  if (!UNSPACED.test(word)) return undefined;
  const meanings: (Unit | "other")[] = [];
  for (let at = 0; at < key.length; ) {
    let length = Math.min(LONGEST_WORD, key.length - at);
    while (length > 0 && !WORDS.has(key.slice(at, at + length))) length -= 1;
    const meaning = WORDS.get(key.slice(at, at + length));
    if (meaning === undefined) return undefined;
    meanings.push(meaning);
    at += length;
  }
  return meanings;
}

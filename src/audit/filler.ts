/** Words that say nothing in one field, though they may in another, as Google lists them. Compared in lower case. */
import { isPlaceholder } from "../catalog/placeholder.ts";

type Fillers = {
  readonly words: ReadonlySet<string>;
  /** By character code: 1 for what a word of the list may begin with. For most values the first letter settles it. */
  readonly firsts: Uint8Array;
};

const LONGEST_FILLER = 14;

const BRAND_FILLERS = fillers(["generic", "no brand", "does not exist"]);
const COLOR_FILLERS = fillers([
  "multicolor",
  "multicolour",
  "various",
  "variety",
  "see image",
  "men's",
  "women's",
]);
const NO_COLOR = /^(?:#.*|\d+|[a-z])$/i;
const FIRST_LETTER = 65;

function fillers(words: readonly string[]): Fillers {
  const firsts = new Uint8Array(128);
  for (const word of words) {
    firsts[word.charCodeAt(0)] = 1;
    firsts[word.toUpperCase().charCodeAt(0)] = 1;
  }
  return { words: new Set(words), firsts };
}

function isAmong(value: string, { words, firsts }: Fillers): boolean {
  if (value.length > LONGEST_FILLER || firsts[value.charCodeAt(0)] !== 1) return false;
  return words.has(value.toLowerCase());
}

/** What Google refuses as a brand, beside the words that mean nothing anywhere. */
export function isBrandFiller(value: string): boolean {
  return isAmong(value, BRAND_FILLERS);
}

/** What Google refuses as a color: these words, color codes, numbers and single Latin letters. */
export function isColorFiller(value: string): boolean {
  if (isPlaceholder(value) || isAmong(value, COLOR_FILLERS)) return true;
  return (value.length === 1 || value.charCodeAt(0) < FIRST_LETTER) && NO_COLOR.test(value);
}

/** A value that says something. */
export function isSaid(value: string | undefined): value is string {
  return value !== undefined && !isPlaceholder(value);
}

const NOUN =
  "items?|products?|articles?|artikel|produkte?|produits?|productos?|prodott[oi]|produtos?|товар|商品";
const DUMMY = new RegExp(
  `^(?:(?:this is|the|an?|of|for|my|new|test|sample|example|dummy|demo|default|title|name|description) )*` +
    `(?:(?:${NOUN})(?: (?:title|name|description|text))?|test|dummy|title|name|description|text|placeholder|todo|foo|bar|asdf|xxx)` +
    `(?: ?(?:#|no\\.|nr\\.|-|_)? ?(?:\\d{1,8}|[a-z]))?[.!]?$`,
  "i",
);
const LONGEST_DUMMY = 60;
const LOREM = /^lorem ipsum/i;

/** Text that is not meant for buyers: "Item 1", "Test product", "Lorem ipsum …". */
export function isDummyText(text: string): boolean {
  if (text.length > LONGEST_DUMMY) return LOREM.test(text);
  return DUMMY.test(text) || LOREM.test(text);
}

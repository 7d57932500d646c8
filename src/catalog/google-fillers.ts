/** Words that Google does not accept as a brand or as a color. Compared in lower case. */
import { isPlaceholder } from "./placeholder.ts";

type Fillers = {
  readonly words: ReadonlySet<string>;
  /** By character code: 1 for what a word of the list may begin with. For most values the first letter decides. */
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

/** What Google does not accept as a brand, apart from placeholders. */
export function isBrandFiller(value: string): boolean {
  return isAmong(value, BRAND_FILLERS);
}

/** What Google does not accept as a color: placeholders, these words, color codes, numbers and single Latin letters. */
export function isColorFiller(value: string): boolean {
  if (isPlaceholder(value) || isAmong(value, COLOR_FILLERS)) return true;
  return (value.length === 1 || value.charCodeAt(0) < FIRST_LETTER) && NO_COLOR.test(value);
}

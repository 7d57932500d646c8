/**
 * Filler words and texts without information, all in one place. A channel refuses them in required fields and asks to
 * leave other values out rather than to fill them; no feed of ours states one.
 */

/** Words that programs and people write if there is no value. They are compared in lower case, like all words here. */
const NO_VALUE = ["n/a", "null", "none", "undefined", "-"];

/** Values that are absent as soon as they are read: these, and what else only programs and spreadsheets write. */
export const EMPTY_WORDS: ReadonlySet<string> = new Set([
  ...NO_VALUE,
  ..."nan -- – — #n/a #ref! #value! #name? #null! #num! #div/0! [object] 0000-00-00".split(" "),
  "[object object]",
  "0000-00-00 00:00:00",
]);

type Fillers = {
  readonly words: ReadonlySet<string>;
  readonly longest: number;
  /** Has a 1 at each ASCII code that a word of the list may begin with. For most values the first letter decides. */
  readonly firsts: Uint8Array;
};

/** Values that are kept as the shop has them, and are not stated. */
const PLACEHOLDERS = fillers([...NO_VALUE, "na", "unknown", "tbd"]);
/**
 * Words for "no brand", as exports write them into the column of the brand. They are absent as soon as they are read.
 */
const NO_BRAND = [
  "no brand|nobrand|unbranded|not specified|ohne marke|keine marke|keine angabe|sans marque|aucune marque|sin marca",
  "senza marca|nessuna marca|sem marca|geen merk|merkloos|utan märke|uden mærke|brak|brak marki|brak producenta|bez marki",
  "niezdefiniowany|niezdefiniowana|nieokreślony|nieokreślona|bez značky|neuvedeno|neuvedené|márka nélkül|nincs|fără marcă",
  "fara marca|markasız|без бренда|без бренду|без марки|нет бренда|нет|немає|не указан|не указана|не указано|не вказано",
  "не вказаний|неизвестный|χωρίς μάρκα|无品牌|無品牌|ノーブランド|ノーブランド品|브랜드 없음|بدون ماركة|ללא מותג",
].flatMap((line) => line.split("|"));
const NO_BRAND_FILLERS = fillers(NO_BRAND);
/** Words that Google does not accept as a brand or as a color, apart from placeholders. */
const BRAND_FILLERS = fillers(["generic", "does not exist", ...NO_BRAND]);
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
  return { words: new Set(words), longest: Math.max(...words.map(({ length }) => length)), firsts };
}

function isAmong(value: string, { words, longest, firsts }: Fillers): boolean {
  const first = value.charCodeAt(0);
  if (value.length > longest || (first < firsts.length && firsts[first] !== 1)) return false;
  return words.has(value.toLowerCase());
}

/** Whether the whole value is a filler word, in any case. */
export function isPlaceholder(value: string): boolean {
  return isAmong(value, PLACEHOLDERS);
}

/** The value, unless it is a filler word. */
export function meaningful(value: string | undefined): string | undefined {
  return value === undefined || isPlaceholder(value) ? undefined : value;
}

export function isMeaningful(value: string | undefined): value is string {
  return value !== undefined && !isPlaceholder(value);
}

/** Whether the whole value says that there is no brand. */
export function isNoBrand(value: string): boolean {
  return isAmong(value, NO_BRAND_FILLERS);
}

/** Finds values that Google does not accept as a brand, apart from placeholders. */
export function isBrandFiller(value: string): boolean {
  return isAmong(value, BRAND_FILLERS);
}

/**
 * Finds values that Google does not accept as a color: placeholders, these words, color codes, numbers and single Latin
 * letters.
 */
export function isColorFiller(value: string): boolean {
  if (isPlaceholder(value) || isAmong(value, COLOR_FILLERS)) return true;
  return (value.length === 1 || value.charCodeAt(0) < FIRST_LETTER) && NO_COLOR.test(value);
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

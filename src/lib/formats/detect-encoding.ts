/**
 * Finds the encoding of text that is not UTF-8. Each encoding decodes the words of the file that have bytes outside
 * ASCII. The encoding whose letters suit one of its languages best is the likeliest: by the frequency of the letters
 * (`languages.json`), by capitals inside words, and by neighbours. An accented Latin letter stands beside plain ones; a
 * Greek letter does not.
 */
import languages from "./languages.json" with { type: "json" };

export type EncodingReading = {
  readonly encoding: string;
  /** A word of the file in this reading. */
  readonly example: string;
};

export type DetectedEncoding = EncodingReading & {
  /** The likeliest other reading of the same word, if it is hardly less likely. */
  readonly other: EncodingReading | null;
};

/** Logarithm of the probability of a letter, given its neighbours. */
type Fit = (letter: string, near: number) => number;
type EncodingCandidate = {
  readonly encoding: string;
  readonly fit: Fit;
  readonly currencies: readonly string[];
  /** In English, as in `languages.json`. */
  readonly language: string;
  /**
   * False for a reading of a few letters in words of other letters, which are stray bytes. Latin letters need no proof.
   */
  readonly hasWords?: (text: string) => boolean;
};

/** What is near a letter, as bits. */
const AFTER_ASCII = 1;
const AFTER_OTHER = 2;
const AFTER_LOWER = 4;
const BEFORE_ASCII = 8;
const BEFORE_OTHER = 16;
const NEIGHBOURS = 32;

/** Probabilities of what no table has. They are rough: sums over many letters decide. */
const FOREIGN_LETTER = 4e-4;
const SIGN = 4e-3;
/** Signs in their usual place: the apostrophe of "Men’s", quotes around a word, a dash alone. */
const USUAL_SIGN = 0.5;
const RARE = 1e-6;
const UNREADABLE = 1e-7;
/** Capitals are this many times rarer than their small letters. */
const CAPITAL = 0.15;
/**
 * Factors for letters in unlikely places: a capital or a sign inside a word, a letter of another alphabet, two accents
 * in a row.
 */
const CAPITAL_INSIDE = 0.002;
const UNLIKELY = 0.01;
const SELDOM = 0.2;

/** A reading is sure if it is more likely than every other one by this logarithm: about ten thousand to one. */
const SURE = 9;
/** For each byte outside ASCII on average, in a text that suits a language at all. */
const SUITABLE = Math.log(1e-3);
/** Most files that are not UTF-8 have this encoding; those of other systems than Windows are rare. Logarithms, too. */
const USUAL_ENCODING = "windows-1252";
const USUAL_BONUS = 3;
const RARE_ENCODINGS = ["macintosh", "x-mac-cyrillic", "ibm866"];
const RARE_BONUS = -4;
const ISO_BONUS = -1.5;
const CURRENCY_BONUS = 6;
const LANGUAGE_BONUS = 6;

/** Shown parts of a word are not longer. */
const EXAMPLE_LENGTH = 40;

let candidates: readonly EncodingCandidate[] | undefined;

/** Made for the first file that needs them: the tables take a tenth of a second. */
const candidatesOnce = () => (candidates ??= [...alphabets(), ...characterSets()]);

const alphabets = (): readonly EncodingCandidate[] =>
  languages.flatMap(({ language, encodings, letters, currencies = [] }) => {
    const fit = alphabetFit(letters);
    const isLatin = /\p{Script=Latin}/u.test(letters);
    return encodings.map((encoding) => ({
      encoding,
      fit,
      language,
      currencies,
      ...(!isLatin && { hasWords: hasOwnWords }),
    }));
  });

/** Two bytes make a character. In each encoding, the characters of everyday use begin with certain bytes. */
function characterSets(): readonly EncodingCandidate[] {
  const japanese = characterFit([
    [range(0x3041, 0x3093), 0.35],
    [range(0x30a1, 0x30fc), 0.25],
    [charactersOf("euc-jp", 0xb0, 0xcf), 0.3],
  ]);
  const sets: readonly EncodingCandidate[] = [
    { encoding: "shift_jis", language: "Japanese", currencies: ["JPY"], fit: japanese },
    { encoding: "euc-jp", language: "Japanese", currencies: ["JPY"], fit: japanese },
    {
      encoding: "gb18030",
      language: "Chinese",
      currencies: ["CNY"],
      fit: characterFit([[charactersOf("gb18030", 0xb0, 0xd7), 0.9]]),
    },
    {
      encoding: "big5",
      language: "Chinese",
      currencies: ["TWD", "HKD"],
      fit: characterFit([[charactersOf("big5", 0xa4, 0xc6), 0.9]]),
    },
    {
      encoding: "euc-kr",
      language: "Korean",
      currencies: ["KRW"],
      fit: characterFit([[charactersOf("euc-kr", 0xb0, 0xc8), 0.95]]),
    },
  ];
  return sets.map((candidate) => ({ ...candidate, hasWords: hasCharacterWords }));
}

const OWN_LETTER = /[^\P{L}\p{Script=Latin}]/u;
const OWN_WORD = /[^\P{L}\p{Script=Latin}]{2}/u;

/** Whether letters of the alphabet make words of their own more often than they stand in words of ASCII letters. */
function hasOwnWords(text: string): boolean {
  let own = 0;
  let mixed = 0;
  for (const word of text.split("\n")) {
    if (!OWN_LETTER.test(word)) continue;
    if (/[A-Za-z]/.test(word)) mixed += 1;
    else if (OWN_WORD.test(word)) own += 1;
  }
  return own > 0 && own >= mixed;
}

/**
 * The same for characters of two bytes, which may stand beside ASCII letters: of those, single ones are stray bytes.
 */
function hasCharacterWords(text: string): boolean {
  const words = text.split("\n").filter((word) => OWN_LETTER.test(word));
  const single = words.filter((word) => /[A-Za-z]/.test(word) && !OWN_WORD.test(word));
  return words.length > single.length && words.length >= 2 * single.length;
}

export type CatalogHints = {
  /** That of the file or of the catalog; it speaks for its languages. */
  readonly currency?: string | undefined;
  /** That of the catalog, as a code such as `pl` or `pt-BR`. */
  readonly language?: string | undefined;
};

/** `words`: words with bytes outside ASCII, separated by line feeds. */
export function detectEncoding(words: Uint8Array, hints: CatalogHints = {}): DetectedEncoding {
  const readings = readingsOf(words, hints);
  const [best, second] = readings;
  if (best === undefined) return { encoding: USUAL_ENCODING, example: "", other: null };
  const lines = best.text.split("\n");
  const at = second === undefined ? 0 : firstDifference(lines, second.text.split("\n"));
  const shown = lines.findIndex((line) => /\p{L}{4}/u.test(line) && /[^\0-\x7f]/.test(line));
  const isSure =
    second === undefined ||
    (best.fit - second.fit > SURE && best.fit > SUITABLE * words.filter((byte) => byte > 0x7f).length);
  if (isSure)
    return { encoding: best.encoding, example: exampleOf(best.text, Math.max(0, shown)), other: null };
  return {
    encoding: best.encoding,
    example: exampleOf(best.text, at),
    other: { encoding: second.encoding, example: exampleOf(second.text, at) },
  };
}

type TextReading = {
  readonly encoding: string;
  readonly text: string;
  readonly fit: number;
};

/** The different readings, the likeliest first. Encodings that give the same text are one reading. */
function readingsOf(words: Uint8Array, hints: CatalogHints): readonly TextReading[] {
  const hintBonus = hintBonusOf(hints);
  const byText = new Map<string, TextReading>();
  const decoded = new Map<string, DecodedWords>();
  for (const candidate of candidatesOnce()) {
    const { encoding, fit, hasWords } = candidate;
    const known = decoded.get(encoding) ?? decode(words, encoding);
    decoded.set(encoding, known);
    const { text, counts } = known;
    if (hasWords?.(text) === false) continue;
    const reading = { encoding, text, fit: usage(encoding) + hintBonus(candidate) + fitOf(counts, fit) };
    const same = byText.get(text);
    if (same === undefined) byText.set(text, reading);
    else if (same.fit < reading.fit) byText.set(text, { ...reading, encoding: same.encoding });
  }
  return [...byText.values()].toSorted((a, b) => b.fit - a.fit);
}

/** How much likelier the catalog's currency and language make a candidate. */
function hintBonusOf({ currency, language }: CatalogHints): (candidate: EncodingCandidate) => number {
  const spoken = language === undefined ? undefined : LANGUAGE_NAMES.of(language.split("-")[0] ?? "");
  return ({ currencies, language: own }) =>
    (currency !== undefined && currencies.includes(currency) ? CURRENCY_BONUS : 0) +
    (spoken?.startsWith(own) === true ? LANGUAGE_BONUS : 0);
}

const LANGUAGE_NAMES = new Intl.DisplayNames("en", { type: "language", fallback: "code" });

function usage(encoding: string): number {
  if (encoding === USUAL_ENCODING) return USUAL_BONUS;
  if (RARE_ENCODINGS.includes(encoding)) return RARE_BONUS;
  return encoding.startsWith("iso-") ? ISO_BONUS : 0;
}

/** How often each letter occurs with which neighbours. */
type LetterCounts = ReadonlyMap<string, Uint32Array>;
type DecodedWords = { readonly text: string; readonly counts: LetterCounts };

function decode(words: Uint8Array, encoding: string): DecodedWords {
  const text = new TextDecoder(encoding).decode(words);
  const byLetter = new Map<string, Uint32Array>();
  const letters = Array.from(text);
  for (const [at, letter] of letters.entries()) {
    if (letter <= "\u007f") continue;
    const counts = byLetter.get(letter) ?? new Uint32Array(NEIGHBOURS);
    byLetter.set(letter, counts);
    const near = neighbours(letters[at - 1] ?? "\n", letters[at + 1] ?? "\n");
    counts[near] = (counts[near] ?? 0) + 1;
  }
  return { text, counts: byLetter };
}

function neighbours(before: string, after: string): number {
  return (
    (isAsciiLetter(before) ? AFTER_ASCII : 0) |
    (isOtherLetter(before) ? AFTER_OTHER : 0) |
    (before !== before.toUpperCase() ? AFTER_LOWER : 0) |
    (isAsciiLetter(after) ? BEFORE_ASCII : 0) |
    (isOtherLetter(after) ? BEFORE_OTHER : 0)
  );
}

const isAsciiLetter = (letter: string): boolean => /^[A-Za-z]$/.test(letter);
const isOtherLetter = (letter: string): boolean => letter > "\u007f" && /^[\p{L}\p{M}]$/u.test(letter);

function fitOf(byLetter: LetterCounts, fit: Fit): number {
  let sum = 0;
  for (const [letter, counts] of byLetter)
    for (const [near, count] of counts.entries()) if (count > 0) sum += count * fit(letter, near);
  return sum;
}

/** `text`: letters with their frequencies, such as "ü7 ä6 ö4". */
function alphabetFit(text: string): Fit {
  const entries = text.split(" ").map((entry) => [entry.slice(0, 1), Number(entry.slice(1))] as const);
  const sum = entries.reduce((total, [, weight]) => total + weight, 0);
  const shares = new Map(entries.map(([letter, weight]) => [letter, weight / sum]));
  const isLatin = entries.every(([letter]) => /\p{Script=Latin}/u.test(letter));
  return (letter, near) => {
    if (!isOtherLetter(letter)) return Math.log(signShare(letter, near));
    const small = shares.get(letter.toLowerCase());
    const share = shares.get(letter) ?? (small === undefined ? FOREIGN_LETTER : CAPITAL * small);
    return Math.log(share * placeFactor(letter, near, isLatin));
  };
}

function placeFactor(letter: string, near: number, isLatin: boolean): number {
  const isCapital = letter !== letter.toLowerCase();
  const capital = isCapital && (near & AFTER_LOWER) !== 0 ? CAPITAL_INSIDE : 1;
  if (isLatin) return capital * ((near & AFTER_OTHER) !== 0 ? SELDOM : 1);
  return capital * ((near & (AFTER_ASCII | BEFORE_ASCII)) !== 0 ? UNLIKELY : 1);
}

const APOSTROPHES = "’‘´·‑-";

function signShare(sign: string, near: number): number {
  if (/[\u0080-\u009f\ufffd\ue000-\uf8ff]/.test(sign)) return UNREADABLE;
  if (/[\u2500-\u25ff]/.test(sign)) return RARE;
  if (near === usualPlace(sign, near)) return USUAL_SIGN;
  const isInside = (near & (AFTER_ASCII | AFTER_OTHER)) !== 0 && (near & (BEFORE_ASCII | BEFORE_OTHER)) !== 0;
  return SIGN * (isInside && !APOSTROPHES.includes(sign) ? UNLIKELY : 1);
}

/** Where quotes, the apostrophe and the dash stand in a text of ASCII letters. */
function usualPlace(sign: string, near: number): number | undefined {
  const lower = near & AFTER_LOWER;
  if (sign === "’") return AFTER_ASCII | BEFORE_ASCII | lower;
  if (sign === "“") return BEFORE_ASCII;
  if (sign === "–") return 0;
  return sign === "”" ? AFTER_ASCII | lower : undefined;
}

/** `sets`: characters with the share of a text that they make up. */
function characterFit(sets: readonly (readonly [ReadonlySet<string>, number])[]): Fit {
  return (letter, near) => {
    const found = sets.find(([characters]) => characters.has(letter));
    if (found !== undefined) return Math.log(found[1] / found[0].size);
    if (isOtherLetter(letter)) return Math.log(RARE);
    return Math.log(signShare(letter, near));
  };
}

const range = (first: number, last: number): ReadonlySet<string> =>
  new Set(Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)));

/** The characters of an encoding whose first byte is in this range. */
function charactersOf(encoding: string, first: number, last: number): ReadonlySet<string> {
  const bytes: number[] = [];
  for (let lead = first; lead <= last; lead += 1)
    for (let trail = 0x40; trail <= 0xfe; trail += 1) bytes.push(lead, trail, 0x0a);
  const decoded = new TextDecoder(encoding).decode(Uint8Array.from(bytes)).split("\n");
  return new Set(decoded.filter((text) => /^[\p{Script=Han}\p{Script=Hangul}]$/u.test(text)));
}

function firstDifference(lines: readonly string[], others: readonly string[]): number {
  const at = lines.findIndex((line, index) => line !== others[index]);
  return Math.max(0, at);
}

const exampleOf = (text: string, line: number): string =>
  Array.from(text.split("\n")[line] ?? "")
    .slice(0, EXAMPLE_LENGTH)
    .join("");

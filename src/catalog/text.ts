/**
 * Normalizes a text before it is kept: plain, well-formed, in NFC, free of invisible characters; on one line, or, for
 * descriptions, in lines separated by `\n`. Clean text, which most texts are, costs one check; nothing is copied unless
 * something has to change.
 */
import { EMPTY_WORDS } from "./filler-words.ts";
import { stripMarkup, stripMarkupToLines } from "./markup.ts";

/**
 * Anything but single spaces and the usual letters, signs and quotes of Latin scripts. Texts without it are in NFC and
 * have nothing invisible. One pass for all: looking for double spaces on their own doubled the time a clean description
 * took.
 */
const NEEDS_FOLDING = /[^ -~\xa1-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2122]| {2}/;
const SPACE_TO_FOLD = /[^\S ]|\u0085| {2}/;
const SPACES = /[\s\u0085]+/g;
/** Anything but plain letters, signs and spaces: needs the slower check for invisible characters. */
const SUSPICIOUS =
  /[^ -~\t\n\r\xa0-\xac\xae-\u200a\u2010-\u2029\u202f-\u205f\u2070-\ud7ff\uf900-\ufdcf\ufe10-\ufefe\uff01-\uffee]/;
/** A character with ink of its own. Joiners and direction marks alone make no text. */
const VISIBLE = /[^\s\p{Cf}]/u;

/**
 * Controls, private use, noncharacters; soft hyphens, zero-width spaces and byte order marks, which break searches;
 * embeddings and overrides of direction, which reach past the end of a shortened text. Tag characters hide whole
 * sentences from people but not from language models: they stay only where they spell a flag.
 */
const INVISIBLE =
  /\u{1f3f4}[\u{e0020}-\u{e007e}]{1,8}\u{e007f}|(?![\s\u0085])\p{Cc}|[\xad\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\p{Co}\p{Noncharacter_Code_Point}\u{e0000}-\u{e007f}]/gu;

/** Markup stripped, references decoded, then as `foldText`. */
export function plainText(text: string): string {
  return foldText(mayHaveMarkup(text) ? stripMarkup(text) : text);
}

/** Reads like `plainText`, but paragraphs, list items and the source's own lines stay lines. */
export function plainLines(text: string): string {
  return foldLines(mayHaveMarkup(text) ? stripMarkupToLines(text) : text);
}

/** `Bags & Cases` has no reference: Google's categories are full of such. */
const MAY_BE_REFERENCE = /&[a-z#]/i;

function mayHaveMarkup(text: string): boolean {
  return text.includes("<") || (text.includes("&") && MAY_BE_REFERENCE.test(text));
}

/** One line of visible, well-formed text. Folding twice changes nothing more. */
export function foldText(text: string): string {
  return NEEDS_FOLDING.test(text) ? foldUnicode(text) : text.trim();
}

function foldUnicode(text: string): string {
  const seen = withoutInvisible(text);
  const line = (SPACE_TO_FOLD.test(seen) ? seen.replace(SPACES, " ") : seen).trim();
  return VISIBLE.test(line) ? line.normalize("NFC") : "";
}

const OTHER_LINE_BREAK = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
/** Only what changes: a match for every single space took most of the time. */
const SPACES_IN_LINE = /[^\S\n]{2,}|[^\S\n ]/g;
const AROUND_LINE_BREAK = / \n ?|\n /g;
const SEVERAL_EMPTY_LINES = /\n{3,}/g;

/** Lines of visible, well-formed text, with at most one empty line in a row. Folding twice changes nothing more. */
export function foldLines(text: string): string {
  if (!NEEDS_FOLDING.test(text)) return text.trim();
  const broken = withoutInvisible(text).replace(OTHER_LINE_BREAK, "\n");
  if (!broken.includes("\n")) return foldUnicode(broken);
  const lines = broken
    .replace(SPACES_IN_LINE, " ")
    .replace(AROUND_LINE_BREAK, "\n")
    .replace(SEVERAL_EMPTY_LINES, "\n\n")
    .trim();
  return VISIBLE.test(lines) ? lines.normalize("NFC") : "";
}

function withoutInvisible(text: string): string {
  return SUSPICIOUS.test(text) ? text.toWellFormed().replace(INVISIBLE, keepFlags) : text;
}

function keepFlags(match: string): string {
  return match.startsWith("\u{1f3f4}") ? match : "";
}

const LONGEST_EMPTY_WORD = 19;
/** Characters that begin an empty word or nothing visible. For most values the first character decides. */
const MAY_BEGIN_BLANK = new Uint8Array(128).map((_, code) =>
  code < 33 || "NnUu-#[0".includes(String.fromCharCode(code)) ? 1 : 0,
);

/** Returns whether a value is as good as absent. */
export function isBlank(text: string): boolean {
  if (MAY_BEGIN_BLANK[text.charCodeAt(0)] === 0) return false;
  if (text.length > LONGEST_EMPTY_WORD) return !/\S/.test(text);
  const word = text.trim();
  return word === "" || EMPTY_WORDS.has(word.toLowerCase());
}

const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });
/** A cut gives up at most this share of the limit to end on a whole word. */
const WORD_SEARCH = 0.3;

/**
 * Returns the longest beginning of a text within `maxCodePoints`. It ends on a whole word if one is near. It never ends
 * inside a character as a reader sees it, except if this character alone is longer than the limit.
 */
export function clamp(text: string, maxCodePoints: number): string {
  if (text.length <= maxCodePoints) return text;
  const limit = unitsOf(text, maxCodePoints);
  if (limit >= text.length) return text;
  const end = graphemeStart(text, limit);
  if (isGap(text.charAt(end))) return text.slice(0, end).trimEnd();
  const space = Math.max(text.lastIndexOf(" ", end - 1), text.lastIndexOf("\n", end - 1));
  return text.slice(0, space > end * (1 - WORD_SEARCH) ? space : end).trimEnd();
}

function isGap(character: string): boolean {
  return character === " " || character === "\n";
}

/** How many code units the first `codePoints` code points take. */
function unitsOf(text: string, codePoints: number): number {
  let units = 0;
  for (let left = codePoints; left > 0 && units < text.length; left--) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}

/**
 * Returns where the grapheme that contains `index` begins, or `index` itself if it is a boundary or the grapheme is too
 * long.
 */
function graphemeStart(text: string, index: number): number {
  // A little past the cut is enough to see whether the grapheme goes on.
  const segment = GRAPHEMES.segment(text.slice(0, index + 64)).containing(index);
  const start = segment?.index ?? index;
  return start === 0 ? index : start;
}

/**
 * Checks of titles and descriptions: capitals, promotional text, decoration, addresses, markup, leftovers of templates,
 * wrong encodings. Cheap tests for single characters come first, so that most texts never reach the slower expressions.
 */
import { isDummyText } from "../catalog/filler-words.ts";
import { isGarbled } from "../catalog/garbled-text.ts";

const MAX_CAPITALS_SHARE = 0.6;
/** Shorter texts may be names and codes. */
const MIN_LETTERS = 10;

/** Most titles have no two capitals in a row. */
const CAPITALS = /[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]{2}/;
const UPPER_CASE = /\p{Lu}/gu;
const CASED = /[\p{Lu}\p{Ll}]/gu;

export function isMostlyCapitals(text: string): boolean {
  if (!CAPITALS.test(text) || hasManySmallLetters(text)) return false;
  const capitals = text.match(UPPER_CASE)?.length ?? 0;
  const letters = text.match(CASED)?.length ?? 0;
  return letters > MIN_LETTERS && capitals > letters * MAX_CAPITALS_SHARE;
}

const SMALL_A = 97;
const SMALL_Z = 122;

/**
 * Whether the text has so many letters from `a` to `z` that its share of capitals is too low even if all other
 * characters are capitals.
 */
function hasManySmallLetters(text: string): boolean {
  let small = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= SMALL_A && code <= SMALL_Z) small++;
  }
  return text.length - small <= text.length * MAX_CAPITALS_SHARE;
}

/** Matches arrows, boxes, stars, dingbats and emoji, and punctuation that is decoration when it is doubled. */
const MAYBE_DECORATED = /[\u2190-\u2bff\ud83c-\ud83e!?*~$#=]/;
const DECORATED = /[\u2190-\u2bff\ud83c-\ud83e]|([!?*~$#=])\1/;

/** Finds emoji, stars and similar signs, and doubled punctuation: `!!`, `***`. */
export function isDecorated(text: string): boolean {
  return MAYBE_DECORATED.test(text) && DECORATED.test(text);
}

const TITLE_PROMOTION =
  /\b(?:free (?:shipping|delivery|gift)|(?:buy|order|shop) now|(?:best|lowest) price|on sale|clearance|limited (?:offer|time)|special offer|best ?seller|versandkostenfrei|kostenloser versand|sonderangebot|jetzt (?:kaufen|bestellen)|livraison gratuite|en promotion|envío gratis|spedizione gratuita|gratis verzending)\b|\d ?% (?:off|rabatt|discount)/i;

export function isPromotional(title: string): boolean {
  return TITLE_PROMOTION.test(title);
}

/**
 * The text is searched for these hints before `DESCRIPTION_PROMOTION` is run. The hints begin with rare letters:
 * searching for them takes a tenth of the time of the expression, and one description in a hundred has any.
 */
const PROMOTION_HINTS = ["% off", "ree ", "y now", "kostenfrei", "grat"];
const DESCRIPTION_PROMOTION =
  /\bfree (?:shipping|delivery)\b|\bbuy now\b|% off\b|\bversandkostenfrei|\blivraison gratuite|\benvío gratis|\bspedizione gratuita|\bgratis verzending/i;

function hasPromotion(text: string): boolean {
  for (const hint of PROMOTION_HINTS) if (text.includes(hint)) return DESCRIPTION_PROMOTION.test(text);
  return false;
}

const E_MAIL = /[\w.+-]@[\w-]+\.[a-z]{2}/i;

function hasAddress(text: string): boolean {
  if (text.includes("://") || text.includes("www.")) return true;
  return text.includes("@") && E_MAIL.test(text);
}

const TAG = /<\/?[a-z][^<>]*>/i;
const ENTITY = /&(?:[a-z]{2,8}|#\d{1,7}|#x[\da-f]{1,6});/i;
const TEMPLATE = /\{\{|\$\{|\[object |Lorem ipsum/;
/**
 * Every match of the expressions above, every address and every text with wrong letters contains one of these
 * characters; most texts contain none.
 */
const SUSPICIOUS = /[<&{$[@:?\u00c2-\u00f4\ufffd]|www\.|Lorem/;

export const TEXT_DEFECTS = {
  markup: "contains HTML",
  entity: "contains a character reference that was not decoded",
  template: "contains an unfilled template placeholder",
  encoding: "was read in the wrong encoding",
} as const satisfies Record<string, string>;
export type TextDefect = keyof typeof TEXT_DEFECTS;

export function findDefect(text: string): TextDefect | undefined {
  return SUSPICIOUS.test(text) ? defectIn(text) : undefined;
}

function defectIn(text: string): TextDefect | undefined {
  if (TAG.test(text)) return "markup";
  if (ENTITY.test(text)) return "entity";
  if (TEMPLATE.test(text)) return "template";
  return isGarbled(text) ? "encoding" : undefined;
}

export type TextFacts = {
  readonly defect: TextDefect | undefined;
  readonly hasAddress: boolean;
  readonly hasPromotion: boolean;
  readonly isDummy: boolean;
};

export const NO_TEXT_FACTS: TextFacts = {
  defect: undefined,
  hasAddress: false,
  hasPromotion: false,
  isDummy: false,
};

export function textFacts(text: string): TextFacts {
  const isSuspicious = SUSPICIOUS.test(text);
  const promotes = hasPromotion(text);
  const isDummy = isDummyText(text);
  if (!isSuspicious && !promotes && !isDummy) return NO_TEXT_FACTS;
  return { defect: defectIn(text), hasAddress: hasAddress(text), hasPromotion: promotes, isDummy };
}

/** "<title> - buy now at our shop" is not a description. */
const MAX_EXTRA_CHARACTERS = 20;
const NON_WORD = /[^\p{L}\p{N}]+/gu;

const normalize = (text: string): string => text.toLowerCase().replace(NON_WORD, " ").trim();

/** Whether a description is a copy of the title, a part of it, or the title and a few words. */
export function repeatsTitle(title: string, description: string): boolean {
  if (description === title) return true;
  // Punctuation has some length too. Nearly all descriptions return here.
  if (description.length > 2 * title.length + 2 * MAX_EXTRA_CHARACTERS) return false;
  const [short, long] = [normalize(title), normalize(description)];
  if (long === "" || short === "") return true;
  return short.includes(long) || (long.includes(short) && long.length - short.length <= MAX_EXTRA_CHARACTERS);
}

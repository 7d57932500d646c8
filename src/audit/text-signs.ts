/**
 * Signs of careless texts: shouting, sales talk, decoration, addresses, and what templates and wrong encodings leave
 * behind. A look at single characters comes first everywhere; an expression only runs on what looked suspicious.
 */
import { isDummyText } from "../catalog/filler-words.ts";

/** Capitals among the letters, beyond which a text shouts; short ones may be names and codes. */
const SHOUTING_SHARE = 0.6;
const SHORTEST_SHOUT = 10;

/** Whoever shouts has two capitals in a row somewhere; most titles have not. */
const CAPITALS = /[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]{2}/;
const UPPER_CASE = /\p{Lu}/gu;
const CASED = /[\p{Lu}\p{Ll}]/gu;

export function isShouting(text: string): boolean {
  if (!CAPITALS.test(text)) return false;
  const capitals = text.match(UPPER_CASE)?.length ?? 0;
  const letters = text.match(CASED)?.length ?? 0;
  return letters > SHORTEST_SHOUT && capitals > letters * SHOUTING_SHARE;
}

/** Arrows, boxes, stars, dingbats and emoji; and marks that are loud when they come in twos. */
const MAYBE_DECORATED = /[\u2190-\u2bff\ud83c-\ud83e!?*~$#=]/;
const DECORATED = /[\u2190-\u2bff\ud83c-\ud83e]|([!?*~$#=])\1/;

/** Emoji, stars and the like, or a mark said twice: `!!`, `***`. */
export function isDecorated(text: string): boolean {
  return MAYBE_DECORATED.test(text) && DECORATED.test(text);
}

const PROMOTION =
  /\b(?:free (?:shipping|delivery|gift)|(?:buy|order|shop) now|(?:best|lowest) price|on sale|clearance|limited (?:offer|time)|special offer|best ?seller|versandkostenfrei|kostenloser versand|sonderangebot|jetzt (?:kaufen|bestellen)|livraison gratuite|en promotion|envío gratis|spedizione gratuita|gratis verzending)\b|\d ?% (?:off|rabatt|discount)/i;

export function isPromotion(title: string): boolean {
  return PROMOTION.test(title);
}

/**
 * Letters that sales talk cannot do without, chosen for being rare at their first one: looking up a rare letter takes
 * a tenth of the time that the expression does, and one description in a hundred has any of these.
 */
const SALES_HINTS = ["% off", "ree ", "y now", "kostenfrei", "grat"];
const SALES_TALK =
  /\bfree (?:shipping|delivery)\b|\bbuy now\b|% off\b|\bversandkostenfrei|\blivraison gratuite|\benvío gratis|\bspedizione gratuita|\bgratis verzending/i;

function hasSalesTalk(text: string): boolean {
  for (const hint of SALES_HINTS) if (text.includes(hint)) return SALES_TALK.test(text);
  return false;
}

const E_MAIL = /[\w.+-]@[\w-]+\.[a-z]{2}/i;

/** A web or e-mail address among the words. */
function hasAddress(text: string): boolean {
  if (text.includes("://") || text.includes("www.")) return true;
  return text.includes("@") && E_MAIL.test(text);
}

const TAG = /<\/?[a-z][^<>]*>/i;
const ENTITY = /&(?:[a-z]{2,8}|#\d{1,7}|#x[\da-f]{1,6});/i;
const TEMPLATE = /\{\{|\$\{|\[object |Lorem ipsum/;
/** UTF-8 read as Latin-1 or Windows-1252: `Ã¼`, `â€™`. */
const WRONG_ENCODING = /\ufffd|Ã[\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€|Â[\u00a0-\u00bf]/;
/** What everything above, and every address, has in it: one look tells that most texts have nothing of the kind. */
const SUSPICIOUS = /[<&{$[@:ÃÂâ\ufffd]|www\.|Lorem/;

export const RESIDUES = {
  markup: "has markup in it",
  entity: "has an undecoded character reference in it",
  template: "has the remains of a template in it",
  encoding: "was read in the wrong encoding somewhere",
} as const satisfies Record<string, string>;
export type Residue = keyof typeof RESIDUES;

/** What should have been taken out of a text before it was shown to anybody, if anything. */
export function residueIn(text: string): Residue | undefined {
  return SUSPICIOUS.test(text) ? findResidue(text) : undefined;
}

function findResidue(text: string): Residue | undefined {
  if (TAG.test(text)) return "markup";
  if (ENTITY.test(text)) return "entity";
  if (TEMPLATE.test(text)) return "template";
  return WRONG_ENCODING.test(text) ? "encoding" : undefined;
}

/** All that a long text gives away, worked out together. */
export type TextSigns = {
  readonly residue: Residue | undefined;
  readonly hasAddress: boolean;
  readonly hasSalesTalk: boolean;
  readonly isDummy: boolean;
};

export const NO_SIGNS: TextSigns = {
  residue: undefined,
  hasAddress: false,
  hasSalesTalk: false,
  isDummy: false,
};

export function signsOf(text: string): TextSigns {
  const isSuspicious = SUSPICIOUS.test(text);
  const talks = hasSalesTalk(text);
  const isDummy = isDummyText(text);
  if (!isSuspicious && !talks && !isDummy) return NO_SIGNS;
  return { residue: findResidue(text), hasAddress: hasAddress(text), hasSalesTalk: talks, isDummy };
}

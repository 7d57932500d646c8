/**
 * Finds signs of mistakes in texts. Every pattern takes time in proportion to the text: feeds come from anyone, and a
 * cell may be a megabyte long.
 */
import { stripMarkup } from "../../../../catalog/markup.ts";

const LOWER = /\p{Ll}/u;
const LETTERS = /\p{L}/gu;
const CAPITALS = /\p{Lu}/gu;
/** Matches text that templates and programs leave behind. */
const LEFTOVER = /lorem ipsum|\{\{[^{}]{0,100}\}\}|\[object Object\]|^(?:undefined|null|NaN)$/i;
const ADDRESS = /\bhttps?:\/\/\S|\bwww\.[a-z0-9-]+\.[a-z]|[\w.+-]@[a-z0-9-]{1,63}\.[a-z]{2}/i;
const PROMOTION =
  /\bfree (?:shipping|delivery)\b|\b\d{1,2} ?% (?:off|discount)|\bbuy now\b|\bon sale\b|\bbest price\b|\blimited time\b|\bsale!/i;

/** Everything but controls; tabs and line breaks are checked by each format. */
const CONTROL = /[^\t\n\r -~\xa0-\uffff]/;

/** A title this short may well be a name in capitals. */
const SHORT_TITLE = 10;
const MANY_CAPITALS = 0.6;

/** Tags that HTML knows, and references; `a < b` and `<Type C>` are text. */
export function hasMarkup(text: string): boolean {
  return (text.includes("<") || text.includes("&")) && stripMarkup(text) !== text;
}

export function hasControls(text: string): boolean {
  return CONTROL.test(text);
}

export function isAllCapitals(text: string): boolean {
  return text.length > SHORT_TITLE && !LOWER.test(text) && /\p{Lu}/u.test(text);
}

/**
 * Google's measure: more than ten letters, more than six in ten of them capitals. The numbers of models are not
 * counted, and a single word in capitals may be a name.
 */
export function hasManyCapitals(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => !/\d/.test(word));
  if (words.filter((word) => word.length > 2 && !LOWER.test(word) && /\p{Lu}/u.test(word)).length < 2)
    return false;
  const counted = words.join(" ");
  const capitals = counted.match(CAPITALS)?.length ?? 0;
  if (capitals <= SHORT_TITLE * MANY_CAPITALS) return false;
  const letters = counted.match(LETTERS)?.length ?? 0;
  return letters > SHORT_TITLE && capitals > letters * MANY_CAPITALS;
}

export function isLeftover(text: string): boolean {
  return LEFTOVER.test(text);
}

export function hasAddress(text: string): boolean {
  return (text.includes("@") || /\bhttps?:|\bwww\./i.test(text)) && ADDRESS.test(text);
}

export function isPromotion(text: string): boolean {
  return PROMOTION.test(text);
}

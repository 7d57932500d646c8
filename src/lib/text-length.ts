/** The length of a text: in code points, as channels count, and weighted by the information of a character. */

/** Compares code units first: there are never fewer of them than code points. */
export function isLonger(text: string, codePoints: number): boolean {
  return text.length > codePoints && lengthOf(text) > codePoints;
}

export function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0xdc00 && code <= 0xdfff) length--;
  }
  return length;
}

/** Hangul, kana and Han: a character has as much information as a few Latin letters. */
const FIRST_DENSE = 0x2e80;
const LAST_DENSE = 0xd7ff;
const DENSITY = 3;

/** The length in Latin letters, up to `enough`. */
export function weightOf(text: string, enough: number): number {
  if (text.length >= enough) return enough;
  let weight = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    weight += code >= FIRST_DENSE && code <= LAST_DENSE ? DENSITY : 1;
  }
  return Math.min(weight, enough);
}

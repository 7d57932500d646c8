/** How long a text is, the two ways that matter: in characters as channels count them, and in what it can tell a reader. */

/** Channels count code points. A text never has more of them than code units, so one look settles most. */
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

/** Hangul, kana and Han: where one character says what takes others a word. */
const FIRST_DENSE = 0x2e80;
const LAST_DENSE = 0xd7ff;
const DENSITY = 3;

/** The length of a text as a reader of an alphabet would feel it, up to `enough`. Only short texts are counted out. */
export function weightOf(text: string, enough: number): number {
  if (text.length >= enough) return enough;
  let weight = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    weight += code >= FIRST_DENSE && code <= LAST_DENSE ? DENSITY : 1;
  }
  return Math.min(weight, enough);
}

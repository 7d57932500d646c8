/**
 * Finds text that was written or read with a wrong encoding, such as "Ã¤" or "?" instead of "ä". Reads each letter once
 * or twice.
 */

/** The letters that Windows-1252 has for the bytes 0x80 to 0x9F, without quotation marks, dashes and the like. */
const WINDOWS_1252 = "‚ƒ†‡ˆ‰ŠŒŽ˜šœžŸ";
/**
 * Signs that real text has behind a letter with an accent, such as a space that does not break before a quotation mark.
 */
const PUNCTUATION = "\u00a0«»€„…‹‘’“”•–—™›©®°·";
/** The letter that a decoder writes for bytes that it cannot read. */
const REPLACEMENT = 0xfffd;
/** The first bytes of the UTF-8 of most letters with an accent, as the letters Â and Ã. */
const [A_CIRCUMFLEX, A_TILDE] = [0xc2, 0xc3];
/** The beginning of a quotation mark or dash of UTF-8. */
const QUOTE_START = "â€";

/**
 * UTF-8 that was read as Latin-1 or Windows-1252 shows each letter outside ASCII as two to four letters: one for the
 * first byte of UTF-8, and those for the bytes that must follow it. Real words have no such sequence that begins with Â
 * or Ã, and not two others.
 */
export function isGarbled(text: string): boolean {
  let others = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < A_CIRCUMFLEX) continue;
    if (code === REPLACEMENT) return true;
    if (code > 0xf4 || !isSequence(text, at, code)) continue;
    if (code <= A_TILDE || text.startsWith(QUOTE_START, at) || ++others > 1) return true;
  }
  return hasLostLetter(text);
}

/** A question mark inside a word: an encoder writes it for each letter that its encoding lacks. */
const LOST_LETTER = /\p{L}\?+\p{Ll}|\p{Lu}\?+\p{Lu}/u;
/** Addresses have question marks between letters, too. */
const ADDRESS_SIGN = /[/=&@]|^www\./i;

/** A capital letter behind a small one begins a sentence: "Cold?Wear it". */
function hasLostLetter(text: string): boolean {
  if (!text.includes("?")) return false;
  return text.split(/\s+/).some((word) => LOST_LETTER.test(word) && !ADDRESS_SIGN.test(word));
}

function isSequence(text: string, at: number, first: number): boolean {
  if (first === 0xe2 && text.startsWith(QUOTE_START, at)) return true;
  const following = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  let punctuation = 0;
  for (let next = at + 1; next <= at + following; next++) {
    const code = text.charCodeAt(next);
    if (PUNCTUATION.includes(String.fromCharCode(code))) punctuation += 1;
    else if (!isFollowing(code)) return false;
  }
  return punctuation < following || first === A_CIRCUMFLEX;
}

/** The letter stands for a byte from 0x80 to 0xBF, in Latin-1 or Windows-1252. */
function isFollowing(code: number): boolean {
  if (code >= 0x80 && code <= 0xbf) return true;
  return code > 0xff && WINDOWS_1252.includes(String.fromCharCode(code));
}

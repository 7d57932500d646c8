/** Whether a text has a value as a word of its own: size "M" is not found in "Mug" nor "Blue" in "Bluetooth". */
const LETTER_OR_DIGIT = /[\p{L}\p{N}\p{M}]/u;
/** Scripts that put no space between words: there the next character does not show where a word ends. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

function continuesWord(character: string): boolean {
  return LETTER_OR_DIGIT.test(character) && !UNSPACED.test(character);
}

/** Both in lower case. */
export function mentions(text: string, value: string): boolean {
  const joinsLeft = continuesWord(value.charAt(0));
  const joinsRight = continuesWord(value.charAt(value.length - 1));
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
    const end = at + value.length;
    const isCutLeft = joinsLeft && at > 0 && continuesWord(text.charAt(at - 1));
    const isCutRight = joinsRight && end < text.length && continuesWord(text.charAt(end));
    if (!isCutLeft && !isCutRight) return true;
  }
  return false;
}

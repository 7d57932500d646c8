/**
 * Copies of texts that were cut from a file. V8 makes a slice point into the text it was cut from, so a slice that
 * is kept keeps a whole piece of the file alive with it.
 */

/** V8 copies slices shorter than this by itself. */
const SHORTEST_SLICE = 13;

/** The same text, holding on to nothing else. */
export function detached(text: string): string {
  if (text.length < SHORTEST_SLICE) return text;
  // One byte a character where that is enough.
  const encoding = /[^\0-\xff]/.test(text) ? "utf16le" : "latin1";
  return Buffer.from(text, encoding).toString(encoding);
}

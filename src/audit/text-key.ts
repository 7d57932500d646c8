/**
 * A 64-bit key for a text or its beginning. Two different texts among a million have the same key about once in
 * thirty million catalogs; that is what we accept for not keeping the texts.
 */

/** How much of a text counts: whoever shares this much has copied. */
export const OPENING = 200;

export type Key = { high: number; low: number };

/** The key of a text's beginning. */
export function keyOfOpening(text: string, key: Key): void {
  keyOf(text, key, OPENING);
}

/** Writes the key of a text, or of its beginning, into `key`: one object serves all, since this runs once an item. */
export function keyOf(text: string, key: Key, most: number = text.length): void {
  const end = Math.min(text.length, most);
  let high = 0x2545f491;
  let low = 0x4f6cdd1d;
  for (let i = 0; i < end; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
    low ^= high >>> 15;
  }
  key.high = finish(high ^ end) >>> 0;
  key.low = finish(low ^ Math.imul(high, 0x2c1b3c6d)) >>> 0;
}

/** The finishing steps of MurmurHash3, so that every bit of the text reaches every bit of the key. */
function finish(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/**
 * 64-bit hashes of texts, kept instead of the texts. Two different texts among a million have the same hash about once
 * in thirty million catalogs.
 */
import type { Item } from "../catalog/item.ts";

export type Key = { high: number; low: number };

/** How many characters of a description are compared: a text that shares this many is a copy. */
export const COMPARED_LENGTH = 200;

/** Hashes a text, or its first characters, into `key`: one object serves all items. */
export function hashText(text: string, key: Key, length: number = text.length): void {
  const end = Math.min(text.length, length);
  let high = 0x2545f491;
  let low = 0x4f6cdd1d;
  for (let i = 0; i < end; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
    low ^= high >>> 15;
  }
  key.high = finalize(high ^ end) >>> 0;
  key.low = finalize(low ^ Math.imul(high, 0x2c1b3c6d)) >>> 0;
}

/** The final mix of MurmurHash3: every bit of the text affects every bit of the key. */
function finalize(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

const PREFIX_WORDS = 2;
const SPACE = 32;
const prefixKey: Key = { high: 0, low: 0 };

/** A hash of the first two words of the title. The brand is skipped: all titles of a shop may begin with it. */
export function hashTitlePrefix({ title, brand }: Pick<Item, "title" | "brand">): number {
  let at = brand !== undefined && title.startsWith(brand) ? brand.length : 0;
  while (title.charCodeAt(at) === SPACE) at++;
  const start = at;
  for (let words = 0; at < title.length; at++) {
    if (title.charCodeAt(at) === SPACE && ++words === PREFIX_WORDS) break;
  }
  hashText(title.slice(start, at).toLowerCase(), prefixKey);
  return prefixKey.low;
}

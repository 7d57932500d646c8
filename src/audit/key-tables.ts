/**
 * Hash tables of 64-bit keys with bounded memory, and the hashes of texts that are their keys. A full table accepts no
 * further keys. The answers depend only on the keys and their order. Two different texts among a million have the same
 * hash about once in thirty million catalogs.
 */
import type { Item } from "../catalog/item.ts";
import { SPACE } from "../lib/char-codes.ts";

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

const FIRST_SLOTS = 1 << 10;

/** Open addressing. Each slot has the two words of the key, then the words of the value. */
class KeyTable {
  protected slots: Uint32Array;
  private mask = FIRST_SLOTS - 1;
  /** How many keys the table has. */
  keys = 0;
  private readonly words: number;
  private readonly maxSlots: number;
  private readonly limit: number;

  constructor(words: number, maxSlots: number, limit: number) {
    this.words = words;
    this.maxSlots = maxSlots;
    // At most half full: beyond that, finding a free slot takes long.
    this.limit = Math.min(limit, maxSlots / 2);
    this.slots = new Uint32Array(words * FIRST_SLOTS);
  }

  /** The position of the key, or of the empty slot where it belongs. */
  protected find(high: number, low: number): number {
    const { slots, mask, words } = this;
    let slot = spread(high, low) & mask;
    while (true) {
      const at = words * slot;
      const slotHigh = slots[at];
      const slotLow = slots[at + 1];
      if ((slotHigh === high && slotLow === low) || (slotHigh === 0 && slotLow === 0)) return at;
      slot = (slot + 1) & mask;
    }
  }

  protected isEmpty(at: number): boolean {
    return this.slots[at] === 0 && this.slots[at + 1] === 0;
  }

  /** Writes into the empty slot at this position; false when the table is full. */
  protected insert(at: number, high: number, low: number, value = 0): boolean {
    if (this.keys >= this.limit) return false;
    this.slots[at] = high;
    this.slots[at + 1] = low;
    if (this.words > 2) this.slots[at + 2] = value;
    this.keys++;
    if (2 * this.keys > this.mask && this.mask < this.maxSlots - 1) this.grow();
    return true;
  }

  private grow(): void {
    const { slots: old, words } = this;
    this.mask = 2 * (this.mask + 1) - 1;
    this.slots = new Uint32Array(words * (this.mask + 1));
    for (let at = 0; at < old.length; at += words) {
      const [high = 0, low = 0] = [old[at], old[at + 1]];
      if (high === 0 && low === 0) continue;
      const free = this.find(high, low);
      for (let word = 0; word < words; word++) this.slots[free + word] = old[at + word] ?? 0;
    }
  }
}

/** An empty slot is two zeros, so the key of two zeros is stored as another one. */
const storedLow = (high: number, low: number): number => (high === 0 && low === 0 ? 1 : low);

/** Consecutive numbers, such as the GTINs of one maker, must not share a region of the table. */
function spread(high: number, low: number): number {
  const mixed = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}

export type Seen = "new" | "seen" | "full";

/** Two million slots of eight bytes: 16 MB. */
const MAX_SEEN_SLOTS = 1 << 21;

/** A set of keys. */
export class SeenTable extends KeyTable {
  constructor(limit = MAX_SEEN_SLOTS / 2) {
    super(2, MAX_SEEN_SLOTS, limit);
  }

  /** Whether the key was added before. `full`: it was not, but it may have been among those that did not fit. */
  add(high: number, key: number): Seen {
    const low = storedLow(high, key);
    const at = this.find(high, low);
    if (!this.isEmpty(at)) return "seen";
    return this.insert(at, high, low) ? "new" : "full";
  }
}

/** Two million slots of twelve bytes: 24 MB. */
const MAX_SHARED_SLOTS = 1 << 21;
/** How many addresses are remembered. */
export const MAX_SHARED_KEYS = MAX_SHARED_SLOTS / 2;
const MAX_COUNT = 255;

/**
 * Counts how many unrelated products use the same image or page. Products are unrelated when the first words of their
 * titles differ: sizes of one shoe that a feed lists without a group are related. The value of a key is the title
 * prefix of its first product (24 bits) and the count (8 bits).
 */
export class SharedTable extends KeyTable {
  constructor(limit = MAX_SHARED_KEYS) {
    super(3, MAX_SHARED_SLOTS, limit);
  }

  /** How many unrelated products before had this key; 0 for a new key when the table is full. */
  count({ high, low: key }: Key, titlePrefix: number): number {
    const low = storedLow(high, key);
    const prefix = titlePrefix & 0xffffff;
    const at = this.find(high, low);
    if (this.isEmpty(at)) {
      this.insert(at, high, low, (prefix << 8) >>> 0);
      return 0;
    }
    const value = this.slots[at + 2] ?? 0;
    if (value >>> 8 === prefix) return 0;
    const count = Math.min((value & 0xff) + 1, MAX_COUNT);
    this.slots[at + 2] = ((value & 0xffffff00) | count) >>> 0;
    return count;
  }
}

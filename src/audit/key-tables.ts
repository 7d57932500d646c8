/**
 * Which keys an audit has seen, and how many products share a key, with bounded memory. A full table accepts no further
 * keys. The answers depend only on the keys and their order.
 */
import type { Item } from "../catalog/item.ts";
import { SPACE } from "../lib/char-codes.ts";
import { HashTable, hashText, type HashKey } from "../lib/hash-table.ts";

/** How many characters of a description are compared: a text that shares this many is a copy. */
export const COMPARED_LENGTH = 200;

const PREFIX_WORDS = 2;
const prefixKey: HashKey = { high: 0, low: 0 };

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

export type Seen = "new" | "seen" | "full";

/** 16 MB. */
const MAX_SEEN_KEYS = 1 << 20;

/** A set of keys. */
export class SeenTable {
  private readonly table = new HashTable(0);
  private readonly limit: number;

  constructor(limit = MAX_SEEN_KEYS) {
    this.limit = limit;
  }

  get keys(): number {
    return this.table.size;
  }

  /** Whether the key was added before. `full`: it was not, but it may have been among those that did not fit. */
  add(high: number, low: number): Seen {
    const place = this.table.find(high, low);
    if (this.table.has(place)) return "seen";
    if (this.table.size >= this.limit) return "full";
    this.table.insert(place, high, low);
    return "new";
  }
}

/** How many addresses are remembered, in 24 MB. */
export const MAX_SHARED_KEYS = 1 << 20;
const MAX_COUNT = 255;

/**
 * Counts how many unrelated products use the same image or page. Products are unrelated when the first words of their
 * titles differ: sizes of one shoe that a feed lists without a group are related. The number of a key is the title
 * prefix of its first product (24 bits) and the count (8 bits).
 */
export class SharedTable {
  private readonly table = new HashTable(1);
  private readonly limit: number;

  constructor(limit = MAX_SHARED_KEYS) {
    this.limit = limit;
  }

  get keys(): number {
    return this.table.size;
  }

  /** How many unrelated products before had this key; 0 for a new key when the table is full. */
  count({ high, low }: HashKey, titlePrefix: number): number {
    const { table } = this;
    const prefix = titlePrefix & 0xffffff;
    const place = table.find(high, low);
    if (!table.has(place)) {
      if (table.size < this.limit) table.write(table.insert(place, high, low), (prefix << 8) >>> 0);
      return 0;
    }
    const value = table.read(place);
    if (value >>> 8 === prefix) return 0;
    const count = Math.min((value & 0xff) + 1, MAX_COUNT);
    table.write(place, ((value & 0xffffff00) | count) >>> 0);
    return count;
  }
}

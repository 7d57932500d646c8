/**
 * Counts how many unrelated products use the same image or the same page, in bounded memory: twelve bytes a slot, at
 * most half a million slots. Products are unrelated when their titles begin with different words; the sizes of one
 * shoe that a feed lists without a group are not. What it answers depends on the keys and their order alone.
 */
import type { Key } from "./text-key.ts";

const FIRST_SLOTS = 1 << 10;
const MOST_SLOTS = 1 << 19;
/** How many addresses are remembered. Half full at most: beyond that, finding a free slot takes long. */
export const MOST_SHARED_KEYS = MOST_SLOTS / 2;
const WORDS = 3;
const HIGHEST_COUNT = 255;

export class SharedTable {
  private slots = new Uint32Array(WORDS * FIRST_SLOTS);
  private mask = FIRST_SLOTS - 1;
  private keys = 0;
  private readonly limit: number;

  constructor(limit = MOST_SHARED_KEYS) {
    this.limit = Math.min(limit, MOST_SHARED_KEYS);
  }

  /** How many unrelated products came by with this key; 0 for a key that is new when the table is full. */
  count({ high, low }: Key, stem: number): number {
    const { slots } = this;
    // An empty slot has no key and no stem.
    const stemBits = (stem & 0xffffff) === 0 ? 1 : stem & 0xffffff;
    const at = this.find(high, low);
    const tail = slots[at + 2] ?? 0;
    if (tail === 0) {
      this.insert(at, { high, low }, stemBits);
      return 0;
    }
    if (tail >>> 8 === stemBits) return 0;
    const count = Math.min((tail & 0xff) + 1, HIGHEST_COUNT);
    slots[at + 2] = ((tail & 0xffffff00) | count) >>> 0;
    return count;
  }

  private insert(at: number, { high, low }: Key, stem: number): void {
    if (this.keys >= this.limit) return;
    this.slots[at] = high;
    this.slots[at + 1] = low;
    this.slots[at + 2] = (stem << 8) >>> 0;
    this.keys++;
    if (2 * this.keys > this.mask && this.mask < MOST_SLOTS - 1) this.grow();
  }

  /** Where the key is, or the empty slot where it belongs. */
  private find(high: number, low: number): number {
    const { slots, mask } = this;
    let slot = low & mask;
    while (true) {
      const at = WORDS * slot;
      if (slots[at + 2] === 0 || (slots[at] === high && slots[at + 1] === low)) return at;
      slot = (slot + 1) & mask;
    }
  }

  private grow(): void {
    const old = this.slots;
    this.mask = 2 * (this.mask + 1) - 1;
    this.slots = new Uint32Array(WORDS * (this.mask + 1));
    for (let at = 0; at < old.length; at += WORDS) {
      if (old[at + 2] === 0) continue;
      this.slots.set(old.subarray(at, at + WORDS), this.find(old[at] ?? 0, old[at + 1] ?? 0));
    }
  }
}

/**
 * A table of 64-bit keys with numbers, in flat memory: for a million keys without numbers 11 to 21 bytes each, and 5 to
 * 11 more for each number, where a `Set` or `Map` takes 50 and more. Open addressing, at most three quarters full. The
 * users add what a key is and what a full table answers.
 */
export type HashKey = { high: number; low: number };

const KEY_WORDS = 2;
const FIRST_SLOTS = 1 << 10;
const FULLEST = 0.75;

export class HashTable {
  size = 0;
  private slots: number;
  private readonly slotWords: number;
  /** Slot by slot the two words of the key, then the numbers. */
  private words: Uint32Array;

  /** `expected`: so many keys are added without growing. */
  constructor(numbers: number, expected = 0) {
    this.slotWords = KEY_WORDS + numbers;
    this.slots = Math.max(FIRST_SLOTS, Math.ceil((expected + 1) / FULLEST));
    this.words = new Uint32Array(this.slotWords * this.slots);
  }

  /** The place of the key, or of the free slot where it belongs. A place is valid until the next `insert`. */
  find(high: number, low: number): number {
    return this.placeOf(high, storedLow(high, low));
  }

  has(place: number): boolean {
    return this.words[place] !== 0 || this.words[place + 1] !== 0;
  }

  /** Adds a key in the free slot that `find` has returned, with zeros as its numbers. Returns its place. */
  insert(free: number, high: number, low: number): number {
    let place = free;
    if (this.size >= Math.floor(this.slots * FULLEST)) {
      this.grow();
      place = this.placeOf(high, storedLow(high, low));
    }
    this.words[place] = high;
    this.words[place + 1] = storedLow(high, low);
    this.size += 1;
    return place;
  }

  read(place: number, index = 0): number {
    return this.words[place + KEY_WORDS + index] ?? 0;
  }

  write(place: number, value: number, index = 0): void {
    this.words[place + KEY_WORDS + index] = value;
  }

  keyAt(place: number): HashKey {
    return { high: this.words[place] ?? 0, low: this.words[place + 1] ?? 0 };
  }

  /** The places of all keys. */
  *places(): Generator<number> {
    for (let place = 0; place < this.words.length; place += this.slotWords) if (this.has(place)) yield place;
  }

  private placeOf(high: number, low: number): number {
    const { words, slotWords } = this;
    let place = slotWords * (((spread(high, low) / 2 ** 32) * this.slots) | 0);
    for (;;) {
      const isKey = words[place] === high && words[place + 1] === low;
      if (isKey || (words[place] === 0 && words[place + 1] === 0)) return place;
      place += slotWords;
      if (place === words.length) place = 0;
    }
  }

  private grow(): void {
    const { words: old, slotWords } = this;
    this.slots *= 2;
    this.words = new Uint32Array(slotWords * this.slots);
    for (let from = 0; from < old.length; from += slotWords) {
      const high = old[from] ?? 0;
      const low = old[from + 1] ?? 0;
      if (high === 0 && low === 0) continue;
      const to = this.placeOf(high, low);
      for (let word = 0; word < slotWords; word += 1) this.words[to + word] = old[from + word] ?? 0;
    }
  }
}

/** A free slot begins with two zeros, so the key of two zeros is stored as another one. */
const storedLow = (high: number, low: number): number => (high === 0 && low === 0 ? 1 : low);

/**
 * Multiplication by the golden ratio: consecutive numbers, such as the GTINs of one maker, get slots far from each
 * other.
 */
function spread(high: number, low: number): number {
  return Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1) >>> 0;
}

/**
 * Hashes a text, or its first characters, into `key`. Two of a million texts share a hash once in thirty million
 * catalogs.
 */
export function hashText(text: string, key: HashKey, length: number = text.length): void {
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

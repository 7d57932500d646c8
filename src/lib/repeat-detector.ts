/**
 * Tells whether any text was added twice. It keeps 64 bits of hash for each text and not the text, so it never misses a
 * repetition, and very rarely reports one that is none. 11 to 21 bytes of memory for each text.
 */
export class RepeatDetector {
  private words = new Uint32Array(2 * FIRST_SLOTS);
  private slots = FIRST_SLOTS;
  private size = 0;
  private readonly hash = new Uint32Array(2);
  private readonly maxTexts: number;
  /** False: no text was added twice. */
  mayRepeat = false;

  /** Above `maxTexts` everything may be a repetition: that limits the memory. */
  constructor(maxTexts = MAX_TEXTS) {
    this.maxTexts = maxTexts;
  }

  add(text: string): void {
    writeHash(text, this.hash, 0);
    this.addHashes(this.hash);
  }

  /** Two words each, as `writeHash` writes them. */
  addHashes(hashes: Uint32Array): void {
    for (let i = 0; i < hashes.length && !this.mayRepeat; i += 2)
      this.addHash(hashes[i] ?? 0, hashes[i + 1] ?? 0);
  }

  private addHash(a: number, b: number): void {
    if (!this.insert(a, b) || this.size >= this.maxTexts) {
      this.mayRepeat = true;
      this.words = new Uint32Array();
    } else if (this.size * 4 > this.slots * 3) this.grow();
  }

  /** False if the hash is there already. */
  private insert(a: number, b: number): boolean {
    const { words, slots } = this;
    let slot = a & (slots - 1);
    while (words[2 * slot + 1] !== 0) {
      if (words[2 * slot] === a && words[2 * slot + 1] === b) return false;
      slot = (slot + 1) & (slots - 1);
    }
    words[2 * slot] = a;
    words[2 * slot + 1] = b;
    this.size += 1;
    return true;
  }

  private grow(): void {
    const old = this.words;
    this.slots *= 2;
    this.words = new Uint32Array(2 * this.slots);
    this.size = 0;
    for (let i = 0; i < old.length; i += 2) {
      const b = old[i + 1] ?? 0;
      if (b !== 0) this.insert(old[i] ?? 0, b);
    }
  }
}

const FIRST_SLOTS = 1 << 10;
const MAX_TEXTS = 3_000_000;

export function writeHash(text: string, into: Uint32Array, at: number): void {
  let [high, low] = [text.length ^ 0x9e3779b9, 0x85ebca6b];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x9e3779b1);
    high ^= high >>> 15;
    low = Math.imul(low ^ code, 0x85ebca77);
    low ^= low >>> 13;
  }
  into[at] = mixed(high, low);
  // A slot is free if its second word is zero.
  into[at + 1] = mixed(low, high) || 1;
}

/** The finalizer of MurmurHash3, with the other half of the hash as its key. */
function mixed(word: number, key: number): number {
  let mix = word ^ Math.imul(key, 0x9e3779b1);
  mix = Math.imul(mix ^ (mix >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return mix ^ (mix >>> 16);
}

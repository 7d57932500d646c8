/**
 * Tells whether any text was added twice. It keeps hashes and not texts, so it never misses a repetition, and very
 * rarely reports one that is none. 11 to 21 bytes of memory for each text.
 */
import { HashTable, hashText, type HashKey } from "./hash-table.ts";

const MAX_TEXTS = 3_000_000;

export class RepeatDetector {
  private table = new HashTable(0);
  private readonly key: HashKey = { high: 0, low: 0 };
  private readonly maxTexts: number;
  /** False: no text was added twice. */
  mayRepeat = false;

  /** Above `maxTexts` everything may be a repetition: that limits the memory. */
  constructor(maxTexts = MAX_TEXTS) {
    this.maxTexts = maxTexts;
  }

  add(text: string): void {
    hashText(text, this.key);
    this.addHash(this.key.high, this.key.low);
  }

  /** Two words for each text, as `hashText` computes them. */
  addHashes(hashes: Uint32Array): void {
    for (let i = 0; i < hashes.length && !this.mayRepeat; i += 2)
      this.addHash(hashes[i] ?? 0, hashes[i + 1] ?? 0);
  }

  private addHash(high: number, low: number): void {
    if (this.mayRepeat) return;
    const place = this.table.find(high, low);
    this.mayRepeat = this.table.has(place) || this.table.size + 1 >= this.maxTexts;
    if (this.mayRepeat) this.table = new HashTable(0);
    else this.table.insert(place, high, low);
  }
}

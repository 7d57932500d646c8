/**
 * Texts seen so far, and the line on which each text was seen first. The comparison is exact: a hash alone would report
 * duplicates that are not duplicates. The texts are in flat memory: a million rows with three ids each take 259 MB at
 * the peak, and 456 MB with a Map for each id. Once the memory is full, new texts are not added and `isFull` is set.
 */

/** Characters of all texts together. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Slots are kept at most half full, so that a lookup is short. */
const FULLEST = 0.5;

const NARROW = 0;
const WIDE = 1;

export class SeenTexts {
  isFull = false;
  private readonly most: number;
  private size = 0;
  private used = 0;
  /** For each slot the number of its text, from 1; 0 is an empty slot. */
  private slots = new Uint32Array(1024);
  /** Where each text begins; a text ends where the next text begins. */
  private starts = new Uint32Array(512);
  private lines = new Uint32Array(512);
  private bytes = Buffer.allocUnsafe(16 * 1024);

  constructor(most: number) {
    this.most = most;
  }

  /** The line on which the text was seen first, or undefined for a new one, which is then added. */
  add(text: string, line: number): number | undefined {
    const length = this.write(text);
    if (length === null) return undefined;
    const slot = this.find(length);
    const found = this.slots[slot] ?? 0;
    if (found > 0) return this.lines[found - 1];
    if (this.size < this.most) this.insert(slot, length, line);
    else this.isFull = true;
    return undefined;
  }

  lineOf(text: string): number | undefined {
    const length = this.write(text);
    const found = length === null ? 0 : (this.slots[this.find(length)] ?? 0);
    return found === 0 ? undefined : this.lines[found - 1];
  }

  /** Writes the text after all others and returns how many bytes it takes; null when it does not fit. */
  private write(text: string): number | null {
    const length = 1 + text.length * 2;
    if (this.used + length > MAX_BYTES) {
      this.isFull = true;
      return null;
    }
    if (this.used + length > this.bytes.length) this.bytes = grown(this.bytes, this.used + length);
    // Two bytes a character only where one is not enough; the first byte is the flag.
    const isWide = /[^\0-\xff]/.test(text);
    this.bytes[this.used] = isWide ? WIDE : NARROW;
    return 1 + this.bytes.write(text, this.used + 1, isWide ? "utf16le" : "latin1");
  }

  /** The slot of the text just written, or the empty one where it belongs. */
  private find(length: number): number {
    const mask = this.slots.length - 1;
    let slot = this.hash(this.used, this.used + length) & mask;
    for (;;) {
      const found = this.slots[slot] ?? 0;
      if (found === 0 || this.isSame(found - 1, length)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private isSame(place: number, length: number): boolean {
    const start = this.starts[place] ?? 0;
    const end = place + 1 < this.size ? (this.starts[place + 1] ?? 0) : this.used;
    if (end - start !== length) return false;
    return this.bytes.compare(this.bytes, start, end, this.used, this.used + length) === 0;
  }

  private insert(slot: number, length: number, line: number): void {
    if (this.size === this.starts.length) {
      this.starts = doubled(this.starts);
      this.lines = doubled(this.lines);
    }
    this.starts[this.size] = this.used;
    this.lines[this.size] = line;
    this.used += length;
    this.size += 1;
    this.slots[slot] = this.size;
    if (this.size > this.slots.length * FULLEST) this.spread();
  }

  /** Twice as many slots, and every text in its new one. */
  private spread(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    const mask = this.slots.length - 1;
    for (let place = 0; place < this.size; place += 1) {
      const end = place + 1 < this.size ? (this.starts[place + 1] ?? 0) : this.used;
      let slot = this.hash(this.starts[place] ?? 0, end) & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = place + 1;
    }
  }

  /** FNV-1a. */
  private hash(start: number, end: number): number {
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (this.bytes[at] ?? 0), 0x01000193);
    return hash ^ (hash >>> 15);
  }
}

function doubled(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

function grown(bytes: Buffer<ArrayBuffer>, needed: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(Math.max(needed, Math.min(bytes.length * 2, MAX_BYTES)));
  larger.set(bytes);
  return larger;
}

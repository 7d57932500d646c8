/**
 * Hashes of 16 bytes that are known from an earlier pass, and which of them this pass has seen. About 27 bytes of
 * memory for each.
 */
const HASH_BYTES = 16;

/** What `seenAt` has for a free slot and for a row that was not seen yet. Positions begin at 1. */
const FREE = 0;
const UNSEEN = 1;
const LOAD_FACTOR = 0.75;
const BATCH = 10_000;

/** A table with open addressing: four words of hash and the position of each row. */
export class KnownHashes {
  private readonly capacity: number;
  private readonly words: Uint32Array;
  private readonly seenAt: Uint32Array;
  private readonly looked = Buffer.alloc(HASH_BYTES);
  size = 0;
  seen = 0;

  constructor(maxRows: number) {
    this.capacity = Math.ceil(maxRows / LOAD_FACTOR) + 1;
    this.words = new Uint32Array(this.capacity * 4);
    this.seenAt = new Uint32Array(this.capacity);
  }

  add(row: Buffer): void {
    const slot = this.slotOf(row);
    if (this.seenAt[slot] !== FREE || this.size + 1 >= this.capacity) return;
    for (let i = 0; i < 4; i += 1) this.words[slot * 4 + i] = row.readUInt32LE(i * 4);
    this.seenAt[slot] = UNSEEN;
    this.size += 1;
  }

  has(row: Buffer): boolean {
    return this.seenAt[this.slotOf(row)] !== FREE;
  }

  /**
   * Marks a row by its hash in hexadecimal. False if it is not known, or was seen before in this read: then it is a
   * duplicate.
   */
  see(hash: string, position: number): boolean {
    this.looked.write(hash, "hex");
    const slot = this.slotOf(this.looked);
    if (this.seenAt[slot] !== UNSEEN) return false;
    this.seenAt[slot] = position + 1;
    this.seen += 1;
    return true;
  }

  /** Where the row was seen in this read; null if it was not. */
  positionOf(row: Buffer): number | null {
    const at = this.seenAt[this.slotOf(row)] ?? FREE;
    return at === FREE || at === UNSEEN ? null : at - 1;
  }

  /** The rows that were not seen, in batches. */
  *unseen(): Generator<readonly Buffer[]> {
    let batch: Buffer[] = [];
    for (let slot = 0; slot < this.capacity; slot += 1) {
      if (this.seenAt[slot] !== UNSEEN) continue;
      const row = Buffer.allocUnsafe(HASH_BYTES);
      for (let i = 0; i < 4; i += 1) row.writeUInt32LE(this.words[slot * 4 + i] ?? 0, i * 4);
      batch.push(row);
      if (batch.length === BATCH) {
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) yield batch;
  }

  /** The slot of the row, or the free one where it belongs. */
  private slotOf(row: Buffer): number {
    const [a, b, c, d] = [
      row.readUInt32LE(0),
      row.readUInt32LE(4),
      row.readUInt32LE(8),
      row.readUInt32LE(12),
    ];
    const { words, seenAt, capacity } = this;
    for (let slot = a % capacity; ; slot = slot + 1 === capacity ? 0 : slot + 1) {
      if (seenAt[slot] === FREE) return slot;
      const at = slot * 4;
      if (words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d) return slot;
    }
  }
}

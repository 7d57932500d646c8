/**
 * Hashes of 16 bytes that are known from an earlier pass, and which of them this pass has seen. About 27 bytes of
 * memory for each.
 */
import { HashTable } from "./hash-table.ts";

const HASH_BYTES = 16;

/** The numbers of a row: the second half of its hash, and where it was seen. */
const THIRD = 0;
const FOURTH = 1;
const SEEN_AT = 2;
/** Positions begin at 1. */
const UNSEEN = 0;
const BATCH = 10_000;

export class KnownHashes {
  private readonly table: HashTable;
  private readonly looked = Buffer.alloc(HASH_BYTES);
  private readonly maxRows: number;
  seen = 0;

  constructor(maxRows: number) {
    this.maxRows = maxRows;
    this.table = new HashTable(3, maxRows);
  }

  get size(): number {
    return this.table.size;
  }

  add(row: Buffer): void {
    const free = this.find(row);
    if (this.table.has(free) || this.size >= this.maxRows) return;
    const place = this.table.insert(free, row.readUInt32LE(0), row.readUInt32LE(4));
    this.table.write(place, row.readUInt32LE(8), THIRD);
    this.table.write(place, row.readUInt32LE(12), FOURTH);
  }

  has(row: Buffer): boolean {
    return this.placeOf(row) !== null;
  }

  /**
   * Marks a row by its hash in hexadecimal. False if it is not known, or was seen before in this read: then it is a
   * duplicate.
   */
  see(hash: string, position: number): boolean {
    this.looked.write(hash, "hex");
    const place = this.placeOf(this.looked);
    if (place === null || this.table.read(place, SEEN_AT) !== UNSEEN) return false;
    this.table.write(place, position, SEEN_AT);
    this.seen += 1;
    return true;
  }

  /** Where the row was seen in this read; null if it was not. */
  positionOf(row: Buffer): number | null {
    const place = this.placeOf(row);
    const at = place === null ? UNSEEN : this.table.read(place, SEEN_AT);
    return at === UNSEEN ? null : at;
  }

  /** The rows that were not seen, in batches. */
  *unseen(): Generator<readonly Buffer[]> {
    let batch: Buffer[] = [];
    for (const place of this.table.places()) {
      if (this.table.read(place, SEEN_AT) !== UNSEEN) continue;
      const { high, low } = this.table.keyAt(place);
      const row = Uint32Array.of(high, low, this.table.read(place, THIRD), this.table.read(place, FOURTH));
      batch.push(Buffer.from(row.buffer));
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  private placeOf(row: Buffer): number | null {
    const place = this.find(row);
    const isSame =
      this.table.has(place) &&
      this.table.read(place, THIRD) === row.readUInt32LE(8) &&
      this.table.read(place, FOURTH) === row.readUInt32LE(12);
    return isSame ? place : null;
  }

  private find(row: Buffer): number {
    return this.table.find(row.readUInt32LE(0), row.readUInt32LE(4));
  }
}

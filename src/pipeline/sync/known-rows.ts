/**
 * The rows of a source's last complete read. A row that is found here gave its item without a warning, with the same
 * settings: the item is what it was, so the row is only marked as seen. About 27 bytes of memory for each.
 */
import { eachRowHash, eachStagedItemHash, stageRemovals, stageStored } from "../../store/row-hashes.ts";
import type { RowOwner } from "../../store/row-hashes.ts";
import type { Queries, Session } from "../../store/db.ts";

const HASH_BYTES = 16;

/** What `seenAt` has for a free slot and for a row that was not seen yet. Positions begin at 1. */
const FREE = 0;
const UNSEEN = 1;
const LOAD_FACTOR = 0.75;
const BATCH = 10_000;

/** A hash table with open addressing: four words of hash and the position of each row. */
export class KnownRows {
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

  /** Marks a row by its hash in hexadecimal. False if it is not known, or was seen before in this read: then it is a duplicate. */
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

/** Larger sources are read in full: the table would take more than 54 MB. */
const MAX_ROWS = 2_000_000;

/** Undefined if there is nothing to compare with. */
export async function loadKnownRows(
  session: Session,
  owner: RowOwner,
  itemCount: number,
): Promise<KnownRows | undefined> {
  if (itemCount === 0 || itemCount > MAX_ROWS) return undefined;
  const known = new KnownRows(itemCount);
  for await (const rows of eachRowHash(session, owner)) for (const row of rows) known.add(row);
  return known.size === 0 ? undefined : known;
}

/**
 * Adds to staging what a merge needs to know about rows that were skipped: the removal of items whose rows are gone, and
 * skipped rows whose id is staged too, because the first of the two wins. Returns how many of these there are.
 */
export async function stageAroundKnown(
  tx: Queries,
  owner: RowOwner,
  { known, itemCount }: { readonly known: KnownRows; readonly itemCount: number },
): Promise<{ readonly repeated: number }> {
  let repeated = 0;
  let replaced = 0;
  for await (const staged of eachStagedItemHash(tx, owner)) {
    const rows = staged.flatMap(({ id, hash: row }) => {
      const position = known.positionOf(row);
      return position === null ? [] : [{ id, position }];
    });
    if (rows.length > 0) await stageStored(tx, owner.catalogId, rows);
    repeated += rows.length;
    replaced += staged.length - rows.length;
  }
  // To find the items whose rows are gone takes a pass over all items. If every item was skipped or is staged, there are none.
  if (known.seen + replaced < itemCount) await stageRemovals(tx, owner, known.unseen());
  return { repeated };
}

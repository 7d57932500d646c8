/**
 * The directory of an index: what its segments have in sum. With it, a render skips the segments in which nothing has changed, and
 * the place of a group in a file is found without reading the index up to it.
 */
import { eachKeyHash, setsCurrency } from "../../audit/catalog-tables.ts";
import { FEED_FILES } from "../../channels/registry.ts";
import type { GroupEntry } from "./render-index.ts";

/** The bytes of the feed files, then those of the search list and of the refusals. */
const LENGTHS = FEED_FILES.length + 2;
/** After the lengths: the bytes in the index, when time changes an entry first, the same of a verdict, and flags. */
const INDEX_BYTES = LENGTHS;
const STALE = LENGTHS + 1;
const SAME_UNTIL = LENGTHS + 2;
const FLAGS = LENGTHS + 3;
const NUMBERS = LENGTHS + 4;
const NUMBER_BYTES = 8;

const CONTINUES = 1;
const SETS_CURRENCY = 2;

/** A filter has so many bits for each key of a lookup, and a key sets so many of them: one in a hundred other keys seems to be there. */
const BITS_PER_KEY = 10;
const PROBES = 5;

/** What the directory keeps of an entry. Times are in milliseconds; 0: never. */
export type DirectoryEntry = Pick<
  GroupEntry,
  "files" | "searchBytes" | "refusalBytes" | "sortKey" | "lookups"
> & {
  readonly bytes: number;
  readonly staleMs: number;
  readonly sameUntilMs: number;
};

export class DirectoryWriter {
  private readonly records: Buffer[] = [];
  private open: OpenRecord | undefined;
  private lastKey: Buffer = Buffer.alloc(0);

  add(entry: DirectoryEntry): void {
    const { sortKey } = entry;
    this.open ??= { ...newRecord(sortKey), flags: this.lastKey.equals(sortKey) ? CONTINUES : 0 };
    addEntry(this.open, entry);
    if (!this.lastKey.equals(sortKey)) this.lastKey = Buffer.from(sortKey);
  }

  /** The segment is complete. */
  end(): void {
    if (this.open) this.records.push(encodeRecord(this.open));
    this.open = undefined;
  }

  /** A segment of the previous index that is kept. It stays open: entries may follow. */
  keep(record: DirectoryRecord): void {
    this.end();
    this.open = {
      firstKey: record.firstKey,
      // Copied: entries that follow in this segment are added, and the record of the previous index is still needed.
      numbers: record.numbers.slice(),
      flags: record.numbers[FLAGS] ?? 0,
      filter: record.filter,
      hashes: [],
    };
    // A kept segment is not followed by a part of its last group.
    this.lastKey = Buffer.alloc(0);
  }

  encode(): Buffer {
    return Buffer.concat(this.records);
  }
}

type OpenRecord = {
  readonly firstKey: Buffer;
  readonly numbers: Float64Array;
  flags: number;
  /** Of the segment that was kept. */
  readonly filter: Buffer | undefined;
  /** Two for each key that was added. */
  readonly hashes: number[];
};

const newRecord = (sortKey: Buffer): OpenRecord => ({
  firstKey: Buffer.from(sortKey),
  numbers: new Float64Array(NUMBERS),
  flags: 0,
  filter: undefined,
  hashes: [],
});

function addEntry(record: OpenRecord, entry: DirectoryEntry): void {
  const { numbers, hashes } = record;
  addLengths(numbers, entry);
  numbers[INDEX_BYTES] = (numbers[INDEX_BYTES] ?? 0) + entry.bytes;
  numbers[STALE] = earlier(numbers[STALE] ?? 0, entry.staleMs);
  numbers[SAME_UNTIL] = earlier(numbers[SAME_UNTIL] ?? 0, entry.sameUntilMs);
  if (setsCurrency(entry.lookups)) record.flags |= SETS_CURRENCY;
  eachKeyHash(entry.lookups, (first, second) => hashes.push(first, second));
}

/** 0 means never. */
export const earlier = (a: number, b: number): number => (a === 0 ? b : b === 0 ? a : Math.min(a, b));

function encodeRecord({ firstKey, numbers, flags, filter, hashes }: OpenRecord): Buffer {
  const bits = filter
    ? Buffer.from(filter)
    : Buffer.alloc(1 + Math.ceil(((hashes.length / 2) * BITS_PER_KEY) / 8));
  for (let at = 0; at < hashes.length; at += 2)
    eachBit(
      bits,
      hashes[at] ?? 0,
      hashes[at + 1] ?? 0,
      (byte, bit) => void (bits[byte] = (bits[byte] ?? 0) | bit),
    );
  numbers[FLAGS] = flags;
  const head = Buffer.alloc(8);
  head.writeUInt32LE(firstKey.length, 0);
  head.writeUInt32LE(bits.length, 4);
  return Buffer.concat([
    head,
    firstKey,
    bits,
    Buffer.from(numbers.buffer, numbers.byteOffset, NUMBERS * NUMBER_BYTES),
  ]);
}

function eachBit(
  bits: Buffer,
  first: number,
  second: number,
  visit: (byte: number, bit: number) => void,
): void {
  const size = 8 * bits.length;
  for (let probe = 0; probe < PROBES; probe++) {
    const place = (first + probe * second) % size;
    visit(place >>> 3, 1 << (place & 7));
  }
}

/** A segment as the directory of an earlier render has it. */
export class DirectoryRecord {
  readonly firstKey: Buffer;
  readonly numbers: Float64Array;
  readonly filter: Buffer;

  constructor(bytes: Buffer, start: number) {
    const filterStart = start + 8 + bytes.readUInt32LE(start);
    const numbersStart = filterStart + bytes.readUInt32LE(start + 4);
    this.firstKey = bytes.subarray(start + 8, filterStart);
    this.filter = bytes.subarray(filterStart, numbersStart);
    // Copied, because the numbers need not begin at a multiple of eight.
    const numbers = Uint8Array.prototype.slice.call(
      bytes,
      numbersStart,
      numbersStart + NUMBERS * NUMBER_BYTES,
    );
    this.numbers = new Float64Array(numbers.buffer);
  }

  get encodedBytes(): number {
    return 8 + this.firstKey.length + this.filter.length + NUMBERS * NUMBER_BYTES;
  }

  /** How many bytes of the index belong to it. */
  get bytes(): number {
    return this.numbers[INDEX_BYTES] ?? 0;
  }

  get staleMs(): number {
    return this.numbers[STALE] ?? 0;
  }

  get sameUntilMs(): number {
    return this.numbers[SAME_UNTIL] ?? 0;
  }

  /** Whether its first entry is a further part of the last group before it. */
  get continues(): boolean {
    return ((this.numbers[FLAGS] ?? 0) & CONTINUES) !== 0;
  }

  /** Whether one of its groups is the first one of a market. */
  get setsCurrency(): boolean {
    return ((this.numbers[FLAGS] ?? 0) & SETS_CURRENCY) !== 0;
  }

  get lengths(): Offsets {
    return offsetsOf(this.numbers);
  }

  /** False: no group of the segment looks up this key. True may be a coincidence. */
  mayLookUp(first: number, second: number): boolean {
    let isSet = true;
    eachBit(this.filter, first, second, (byte, bit) => {
      if (((this.filter[byte] ?? 0) & bit) === 0) isSet = false;
    });
    return isSet;
  }
}

export function decodeDirectory(bytes: Buffer): readonly DirectoryRecord[] {
  const records: DirectoryRecord[] = [];
  for (let at = 0; at < bytes.length; ) {
    const record = new DirectoryRecord(bytes, at);
    records.push(record);
    at += record.encodedBytes;
  }
  return records;
}

type EntryLengths = Pick<GroupEntry, "files" | "searchBytes" | "refusalBytes">;

function addLengths(to: Float64Array, { files, searchBytes, refusalBytes }: EntryLengths): void {
  for (let at = 0; at < files.length; at++) to[at] = (to[at] ?? 0) + (files[at]?.bytes ?? 0);
  to[LENGTHS - 2] = (to[LENGTHS - 2] ?? 0) + searchBytes;
  to[LENGTHS - 1] = (to[LENGTHS - 1] ?? 0) + refusalBytes;
}

/** Where the text of a group begins in each file, or how many bytes a segment has of each. */
export type Offsets = {
  /** In the order of `FEED_FILES`. */
  readonly files: readonly number[];
  readonly search: number;
  readonly refusals: number;
};

const offsetsOf = (numbers: Float64Array): Offsets => ({
  files: Array.from(numbers.subarray(0, FEED_FILES.length)),
  search: numbers[LENGTHS - 2] ?? 0,
  refusals: numbers[LENGTHS - 1] ?? 0,
});

/** Goes through an index, by segments or by entries. */
export class OffsetCounter {
  private readonly at = new Float64Array(NUMBERS);

  /** `heads`: how many bytes precede the first group. */
  constructor(heads: readonly number[]) {
    this.at.set(heads);
  }

  skipSegment({ numbers }: DirectoryRecord): void {
    for (let at = 0; at < LENGTHS; at++) this.at[at] = (this.at[at] ?? 0) + (numbers[at] ?? 0);
  }

  skipEntry(entry: EntryLengths): void {
    addLengths(this.at, entry);
  }

  offsets(): Offsets {
    return offsetsOf(this.at);
  }
}

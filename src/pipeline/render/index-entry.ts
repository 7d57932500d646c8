/** Reads the entries of an index. An entry knows its bytes, and reads of them what is asked for: most of it is never used. */
import { OUTCOME_BYTES } from "../../audit/item-score.ts";
import { FEED_FILES } from "../../channels/registry.ts";
import { DamagedFile } from "../../files/stored-files.ts";
import { FACTS_BYTES } from "./item-facts.ts";
import {
  type EntryFile,
  FINGERPRINT_BYTES,
  type GroupEntry,
  HAS_SOURCES,
  IS_GROUPED,
} from "./render-index.ts";

/** Of a group with as many items as one part of a group may have, with the longest ids and findings: some hundred kilobytes. */
const MAX_ENTRY = 64 * 1024 * 1024;

/** Its bytes are checked as well when they are kept, which is after they were read. */
const damaged = (): DamagedFile => new DamagedFile("the index of the previous render is damaged");

/** Appends the entries that are complete; returns where they end. */
function decodeEntries(data: Buffer, entries: IndexEntry[]): number {
  let at = 0;
  while (at + 4 <= data.length) {
    const bytes = data.readUInt32LE(at);
    if (bytes === 0 || bytes > MAX_ENTRY) throw damaged();
    if (at + bytes > data.length) break;
    entries.push(new IndexEntry(data, at));
    at += bytes;
  }
  return at;
}

/** The entries of one segment: it ends with an entry. */
export function entriesOf(segment: Buffer): readonly IndexEntry[] {
  const entries: IndexEntry[] = [];
  decodeEntries(segment, entries);
  return entries;
}

/** The part of an entry after the times. */
type Lengths = Pick<GroupEntry, "files" | "searchBytes" | "refusalBytes" | "lookups" | "outcomes">;

const TIME_BYTES = 8;

export class IndexEntry implements GroupEntry {
  readonly data: Buffer;
  readonly bytes: number;
  readonly isGrouped: boolean;
  readonly sortKeyStart: number;
  readonly sortKeyEnd: number;
  readonly items: number;
  /** Where each id begins and ends. */
  readonly idRanges: readonly number[];
  readonly fingerprintsStart: number;
  readonly sourcesStart: number;
  private readonly factsStart: number;
  /** Where the next number is read. */
  private at: number;
  private lengths: Lengths | undefined;

  constructor(data: Buffer, start: number) {
    this.data = data;
    this.bytes = data.readUInt32LE(start);
    this.at = start + 4;
    const flags = this.number();
    this.isGrouped = (flags & IS_GROUPED) !== 0;
    const keyBytes = this.number();
    this.sortKeyStart = this.at;
    this.sortKeyEnd = this.at += keyBytes;
    this.items = this.number();
    // Otherwise the loop over ids might not end.
    if (this.items > this.bytes) throw damaged();
    this.idRanges = this.isGrouped ? this.readIdRanges() : [this.sortKeyStart, this.sortKeyEnd];
    const all = this.items * FINGERPRINT_BYTES;
    this.fingerprintsStart = this.at;
    this.sourcesStart = (flags & HAS_SOURCES) === 0 ? this.at : this.at + all;
    this.factsStart = this.sourcesStart + all;
    if (this.factsStart + this.items * FACTS_BYTES + 2 * TIME_BYTES > start + this.bytes) throw damaged();
  }

  get sortKey(): Buffer {
    return this.data.subarray(this.sortKeyStart, this.sortKeyEnd);
  }

  get ids(): readonly Buffer[] {
    return Array.from({ length: this.items }, (_, at) =>
      this.data.subarray(this.idRanges[2 * at], this.idRanges[2 * at + 1]),
    );
  }

  get fingerprints(): Buffer {
    return this.part(this.fingerprintsStart, FINGERPRINT_BYTES);
  }

  get sources(): Buffer {
    return this.part(this.sourcesStart, FINGERPRINT_BYTES);
  }

  get facts(): Buffer {
    return this.part(this.factsStart, FACTS_BYTES);
  }

  get staleAt(): string | null {
    return timeOf(this.staleMs);
  }

  get sameUntil(): string | null {
    return timeOf(this.sameUntilMs);
  }

  /** The times in milliseconds; 0: never. */
  get staleMs(): number {
    return this.data.readDoubleLE(this.factsStart + this.items * FACTS_BYTES);
  }

  get sameUntilMs(): number {
    return this.data.readDoubleLE(this.factsStart + this.items * FACTS_BYTES + TIME_BYTES);
  }

  get files(): readonly EntryFile[] {
    return this.readLengths().files;
  }

  get searchBytes(): number {
    return this.readLengths().searchBytes;
  }

  get refusalBytes(): number {
    return this.readLengths().refusalBytes;
  }

  get lookups(): Buffer {
    return this.readLengths().lookups;
  }

  get outcomes(): Buffer {
    return this.readLengths().outcomes;
  }

  private readLengths(): Lengths {
    if (this.lengths) return this.lengths;
    this.at = this.factsStart + this.items * FACTS_BYTES + 2 * TIME_BYTES;
    const files: EntryFile[] = [];
    while (files.length < FEED_FILES.length) files.push({ bytes: this.number(), written: this.number() });
    const searchBytes = this.number();
    const refusalBytes = this.number();
    const lookupBytes = this.number();
    const lookups = this.data.subarray(this.at, this.at + lookupBytes);
    const outcomes = this.part(this.at + lookupBytes, OUTCOME_BYTES);
    this.lengths = { files, searchBytes, refusalBytes, lookups, outcomes };
    return this.lengths;
  }

  private readIdRanges(): readonly number[] {
    const ranges: number[] = [];
    while (ranges.length < 2 * this.items) {
      const bytes = this.number();
      ranges.push(this.at, this.at + bytes);
      this.at += bytes;
    }
    return ranges;
  }

  /** So many bytes for each item. */
  private part(start: number, bytesEach: number): Buffer {
    return this.data.subarray(start, start + this.items * bytesEach);
  }

  /** See `EntryEncoder`. */
  private number(): number {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = this.data[this.at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }
}

/** A time in milliseconds; 0: never. */
export const timeOf = (ms: number): string | null => (ms === 0 ? null : new Date(ms).toISOString());

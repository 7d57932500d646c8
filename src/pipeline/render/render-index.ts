/**
 * What a render leaves for the next one, as a file next to the feeds: for every group, in feed order, which items it had, how
 * many bytes it takes in each file, and what the audit found. The next render keeps the bytes and findings of the groups that
 * have not changed. An entry has lengths and no positions, so it can be kept as it is. Two renders are compared by their
 * indexes (`compare-indexes.ts`).
 */
import type { AuditState, GroupRecord } from "../../audit/audit.ts";
import { OUTCOME_BYTES } from "../../audit/item-score.ts";
import type { RuleExamples } from "../../audit/counters.ts";
import type { Item, ItemGroup } from "../../catalog/item.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { FACTS_BYTES, type FactsWriter } from "./item-facts.ts";
import type { RenderTotals } from "./render-totals.ts";
import { sortKeyOf } from "./segment-starts.ts";
import type { StoredTally } from "./tally.ts";

export const INDEX_FILE = "index.bin";
/** What the index was made under, the totals of its items, and the examples of the audit. */
export const INDEX_INFO_FILE = "index.json";
/** What the segments of the index have in sum (`index-directory.ts`). */
export const INDEX_DIRECTORY_FILE = "index.directory";
/** How many items have which outcomes of the audit (`audit/outcome-counts.ts`). */
export const INDEX_OUTCOMES_FILE = "index.outcomes";

/** What the files show apart from the items: with the same items, they can be made again from it. */
export type RenderContext = {
  readonly slug: string;
  readonly name: string;
  readonly settings: CatalogSettings;
  readonly snapshot_at: string;
  /** Of the newest change of rules or category mappings; null if the items did not have it yet. */
  readonly rules_version: number | null;
};

export type IndexInfo = {
  /** Of the entries: an index of another version cannot be read. */
  readonly version: number;
  /** What the kept parts depend on, apart from the items and the time; null if nothing can be kept, as the audit failed. */
  readonly basis: string | null;
  /** The time of the render, and from what it was made: see `RenderStats`. */
  readonly as_of: string;
  readonly base: string;
  readonly effects: number;
  readonly context: RenderContext;
  readonly items: number;
  readonly totals: RenderTotals;
  /** The names of hosts, by their hashes in the facts of items. */
  readonly hosts: Readonly<Record<string, string>>;
  /** How many bytes precede the first group, in each of `FEED_FILES`. */
  readonly heads: readonly number[];
  readonly examples: RuleExamples;
  readonly table_keys: AuditState["tableKeys"];
  /** In the order of `FEED_FILES`. */
  readonly tallies: readonly StoredTally[];
  /** The CRC-32 of the files that only the next render reads. */
  readonly crcs: Readonly<Record<string, number>>;
  /** The version of the items. */
  readonly snapshot: number;
  /** When the items were compared with those of an index, or all read. */
  readonly compared_at: string;
};

/** Goes up when the format of an entry changes. */
export const INDEX_VERSION = 4;

export const FINGERPRINT_BYTES = 8;
export const IS_GROUPED = 1;
export const HAS_SOURCES = 2;

export type GroupEntry = {
  /** All of it, to be kept in the next index. */
  readonly bytes: number;
  /** The id of the group, or of the item without a group. */
  readonly sortKey: Buffer;
  readonly isGrouped: boolean;
  readonly ids: readonly Buffer[];
  /** The first bytes of the fingerprints of the items, one after the other. */
  readonly fingerprints: Buffer;
  /** The same of the items as their sources have them; these are `fingerprints` if no item was changed by rules or values. */
  readonly sources: Buffer;
  /** `FACTS_BYTES` for each item; see `readFacts`. */
  readonly facts: Buffer;
  /** When time alone changes a row of a feed, or a verdict; null: never. */
  readonly staleAt: string | null;
  readonly sameUntil: string | null;
  /** The same in milliseconds; 0: never. */
  readonly staleMs: number;
  readonly sameUntilMs: number;
  /** In the order of `FEED_FILES`. */
  readonly files: readonly EntryFile[];
  readonly searchBytes: number;
  readonly refusalBytes: number;
  readonly lookups: Buffer;
  readonly outcomes: Buffer;
};

export type EntryFile = { readonly bytes: number; readonly written: number };

export type NewEntry = {
  readonly group: ItemGroup;
  readonly fingerprints: readonly Buffer[];
  /** Null where the item is as its source has it. */
  readonly sources: readonly (Buffer | null)[];
  readonly staleAt: string | null;
  readonly files: readonly EntryFile[];
  readonly searchBytes: number;
  readonly refusalBytes: number;
  /** Null after the audit has failed. */
  readonly record: GroupRecord | null;
};

/** Whether the parts of two lists of fingerprints at these places are equal. */
export function isSameFingerprint(a: Buffer, at: number, b: Buffer, bAt: number): boolean {
  const [start, bStart] = [at * FINGERPRINT_BYTES, bAt * FINGERPRINT_BYTES];
  return a.compare(b, bStart, bStart + FINGERPRINT_BYTES, start, start + FINGERPRINT_BYTES) === 0;
}

export type EncodedEntry = {
  readonly bytes: Buffer;
  /** The part of it with the facts of the items. */
  readonly facts: Buffer;
};

const noRecord = (items: number): GroupRecord => ({
  sameUntil: null,
  lookups: Buffer.alloc(0),
  outcomes: Buffer.alloc(items * OUTCOME_BYTES),
});

/** Encodes entries into one buffer that is used again. */
export class EntryEncoder {
  private readonly factsWriter: FactsWriter;
  private buffer = Buffer.alloc(64 * 1024);
  private at = 0;

  constructor(factsWriter: FactsWriter) {
    this.factsWriter = factsWriter;
  }

  /** Valid until the next call. */
  encode({ group, fingerprints, sources, staleAt, files, ...entry }: NewEntry): EncodedEntry {
    const { groupId, items } = group;
    const hasSources = sources.some((source) => source !== null);
    this.at = 4;
    this.number((groupId === null ? 0 : IS_GROUPED) | (hasSources ? HAS_SOURCES : 0));
    this.text(sortKeyOf(group));
    this.number(items.length);
    if (groupId !== null) for (const { id } of items) this.text(id);
    for (const fingerprint of fingerprints) this.bytes(fingerprint.subarray(0, FINGERPRINT_BYTES));
    if (hasSources) this.sources(fingerprints, sources);
    const factsAt = this.at;
    this.facts(items);
    const record = entry.record ?? noRecord(items.length);
    this.time(staleAt);
    this.time(record.sameUntil);
    for (const { bytes, written } of files) {
      this.number(bytes);
      this.number(written);
    }
    this.number(entry.searchBytes);
    this.number(entry.refusalBytes);
    this.number(record.lookups.length);
    this.bytes(record.lookups);
    this.bytes(record.outcomes);
    this.buffer.writeUInt32LE(this.at, 0);
    const facts = this.buffer.subarray(factsAt, factsAt + items.length * FACTS_BYTES);
    return { bytes: this.buffer.subarray(0, this.at), facts };
  }

  private sources(fingerprints: readonly Buffer[], sources: readonly (Buffer | null)[]): void {
    for (const [at, fingerprint] of fingerprints.entries())
      this.bytes((sources[at] ?? fingerprint).subarray(0, FINGERPRINT_BYTES));
  }

  private facts(items: readonly Item[]): void {
    this.reserve(items.length * FACTS_BYTES);
    this.at = this.factsWriter.writeGroup(items, this.buffer, this.at);
  }

  /** Seven bits a byte, the lowest first; the highest bit says that more follow. */
  private number(value: number): void {
    this.reserve(8);
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.buffer[this.at++] = (rest % 128) | 128;
    this.buffer[this.at++] = rest;
  }

  private text(text: string): void {
    this.number(Buffer.byteLength(text));
    this.reserve(3 * text.length);
    this.at += this.buffer.write(text, this.at, "utf8");
  }

  private bytes(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.at);
    this.at += bytes.length;
  }

  private time(time: string | null): void {
    this.reserve(8);
    this.at = this.buffer.writeDoubleLE(time === null ? 0 : Date.parse(time), this.at);
  }

  private reserve(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return;
    const larger = Buffer.alloc(2 * (this.at + bytes));
    this.buffer.copy(larger, 0, 0, this.at);
    this.buffer = larger;
  }
}

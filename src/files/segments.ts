/**
 * Which bytes a rendered file consists of. A file is a list of segments, and a segment may have been written by an
 * earlier render: a render writes only the segments that changed. The list is stored next to the bytes, as
 * `<file>.segments`.
 *
 * Each segment has the hash of its bytes, and the ETag of the file is the hash of these hashes. So a file with kept
 * segments is identified without reading them. Where segments begin depends on the content alone, so equal files have
 * equal ETags.
 */
import { createHash, hash } from "node:crypto";

/** The length of the list is the number of segments. `at` and `gzipAt` are places in the files of `folder`. */
export type Segment = {
  readonly folder: string;
  readonly at: number;
  readonly bytes: number;
  readonly gzipAt: number;
  readonly gzipBytes: number;
  readonly crc: number;
  /** `SEGMENT_HASH_BYTES` of SHA-256. */
  readonly hash: Buffer;
};

/** Goes up when segments of an earlier render cannot be kept. */
export const SEGMENTS_VERSION = 3;

const SEGMENT_HASH_BYTES = 16;
const NO_HASH = Buffer.alloc(SEGMENT_HASH_BYTES);

export const hashSegment = (bytes: Buffer): Buffer =>
  hash("sha256", bytes, "buffer").subarray(0, SEGMENT_HASH_BYTES);

/** In one typed array: a file of a million items has 37,000 segments. */
const FIELDS = 6;
const [FOLDER, AT, BYTES, GZIP_AT, GZIP_BYTES, CRC] = [0, 1, 2, 3, 4, 5] as const;
const NUMBER_BYTES = FIELDS * Float64Array.BYTES_PER_ELEMENT;
const NUMBER_ALIGN = Float64Array.BYTES_PER_ELEMENT;
const SPARE_CAPACITY = 64;

/** The first line of a stored list. Lists of version 0.1.0 and earlier have the folders alone, and no hashes. */
type Heading = { readonly folders: readonly string[]; readonly has_hashes: true } | readonly string[];

export class SegmentList {
  readonly folders: string[] = [];
  private values: Float64Array;
  private hashes: Buffer;
  private lastFolder = "";
  private lastFolderAt = -1;
  length = 0;
  /** False for a list that an earlier version has stored. */
  hasHashes = true;

  constructor(capacity = 0) {
    this.values = new Float64Array((capacity + SPARE_CAPACITY) * FIELDS);
    this.hashes = Buffer.alloc((capacity + SPARE_CAPACITY) * SEGMENT_HASH_BYTES);
  }

  push({ folder, at, bytes, gzipAt, gzipBytes, crc, hash: own }: Segment): void {
    this.reserve(1);
    this.values.set([this.folderAt(folder), at, bytes, gzipAt, gzipBytes, crc], this.length * FIELDS);
    this.hashes.set(own, this.length * SEGMENT_HASH_BYTES);
    this.length += 1;
  }

  /** Adds the segments of another list from `start` up to but not including `end`. */
  append(from: SegmentList, start: number, end: number): void {
    const count = end - start;
    this.reserve(count);
    this.values.set(from.values.subarray(start * FIELDS, end * FIELDS), this.length * FIELDS);
    const hashes = from.hashes.subarray(start * SEGMENT_HASH_BYTES, end * SEGMENT_HASH_BYTES);
    this.hashes.set(hashes, this.length * SEGMENT_HASH_BYTES);
    const folderAt = from.folders.map(() => -1);
    for (let index = this.length; index < this.length + count; index++) {
      const old = this.values[index * FIELDS + FOLDER] ?? 0;
      if (folderAt[old] === -1) folderAt[old] = this.folderAt(from.folders[old] ?? "");
      this.values[index * FIELDS + FOLDER] = folderAt[old] ?? 0;
    }
    this.length += count;
  }

  private reserve(count: number): void {
    const needed = (this.length + count) * FIELDS;
    if (needed <= this.values.length) return;
    const capacity = Math.max(needed / FIELDS + SPARE_CAPACITY, (2 * this.values.length) / FIELDS);
    const [values, hashes] = [this.values, this.hashes];
    this.values = new Float64Array(capacity * FIELDS);
    this.values.set(values);
    this.hashes = Buffer.alloc(capacity * SEGMENT_HASH_BYTES);
    this.hashes.set(hashes);
  }

  /** The hash of the hashes of all segments that have bytes. */
  etag(): string {
    const all = createHash("sha256");
    let start = 0;
    for (let index = 0; index <= this.length; index++) {
      if (index < this.length && this.bytesOf(index) > 0) continue;
      all.update(this.hashes.subarray(start * SEGMENT_HASH_BYTES, index * SEGMENT_HASH_BYTES));
      start = index + 1;
    }
    return all.digest("hex");
  }

  at(index: number): Segment {
    const value = (field: number): number => this.values[index * FIELDS + field] ?? 0;
    const hashAt = index * SEGMENT_HASH_BYTES;
    return {
      folder: this.folders[value(FOLDER)] ?? "",
      at: value(AT),
      bytes: value(BYTES),
      gzipAt: value(GZIP_AT),
      gzipBytes: value(GZIP_BYTES),
      crc: value(CRC),
      hash: this.hasHashes ? this.hashes.subarray(hashAt, hashAt + SEGMENT_HASH_BYTES) : NO_HASH,
    };
  }

  // Without an object for each segment, where all segments of a file are gone through.

  /** The index of its folder. */
  folderIndexOf(index: number): number {
    return this.values[index * FIELDS + FOLDER] ?? 0;
  }

  bytesOf(index: number): number {
    return this.values[index * FIELDS + BYTES] ?? 0;
  }

  gzipBytesOf(index: number): number {
    return this.values[index * FIELDS + GZIP_BYTES] ?? 0;
  }

  /** Where it ends in the file of its folder. */
  endOf(index: number): number {
    return (this.values[index * FIELDS + AT] ?? 0) + this.bytesOf(index);
  }

  gzipEndOf(index: number): number {
    return (this.values[index * FIELDS + GZIP_AT] ?? 0) + this.gzipBytesOf(index);
  }

  crcOf(index: number): number {
    return this.values[index * FIELDS + CRC] ?? 0;
  }

  private folderAt(folder: string): number {
    if (folder === this.lastFolder) return this.lastFolderAt;
    let at = this.folders.indexOf(folder);
    if (at < 0) at = this.folders.push(folder) - 1;
    [this.lastFolder, this.lastFolderAt] = [folder, at];
    return at;
  }

  /** The folders on one line, then the numbers, then the hashes. The numbers begin at a multiple of eight. */
  encode(): readonly Buffer[] {
    const { buffer, byteOffset } = this.values;
    const numbers = Buffer.from(buffer, byteOffset, this.length * NUMBER_BYTES);
    const heading: Heading = { folders: this.folders, has_hashes: true };
    const line = Buffer.from(JSON.stringify(heading));
    const lineEnd = `\n`.padStart(NUMBER_ALIGN - (line.length % NUMBER_ALIGN));
    const hashes = this.hashes.subarray(0, this.length * SEGMENT_HASH_BYTES);
    return [line, Buffer.from(lineEnd), numbers, hashes];
  }

  /** The folders alone, which are at the beginning. Undefined if there is more of them. */
  static parseFolders(start: Buffer): readonly string[] | undefined {
    const lineEnd = start.indexOf("\n");
    return lineEnd < 0 ? undefined : headingOf(start, lineEnd).folders;
  }

  /** The bytes are used by the list. */
  static parse(bytes: Buffer, file: string): SegmentList {
    const lineEnd = bytes.indexOf("\n");
    const list = new SegmentList();
    const { folders, hasHashes } = headingOf(bytes, lineEnd);
    list.folders.push(...folders);
    list.hasHashes = hasHashes;
    const rest = bytes.subarray(lineEnd + 1);
    list.length = rest.length / (NUMBER_BYTES + (hasHashes ? SEGMENT_HASH_BYTES : 0));
    if (!Number.isInteger(list.length)) throw new RangeError(`the list of segments of ${file} is damaged`);
    const isAligned = rest.byteOffset % NUMBER_ALIGN === 0;
    const numbers = isAligned ? rest : Buffer.from(new Uint8Array(rest).buffer);
    list.values = new Float64Array(numbers.buffer, numbers.byteOffset, list.length * FIELDS);
    list.hashes = rest.subarray(list.length * NUMBER_BYTES);
    return list;
  }
}

function headingOf(bytes: Buffer, lineEnd: number) {
  const heading = JSON.parse(bytes.toString("utf8", 0, lineEnd)) as Heading;
  return "has_hashes" in heading
    ? { folders: heading.folders, hasHashes: true }
    : { folders: heading, hasHashes: false };
}

/** A part of a file in a folder, up to but not including `end`. */
export type Extent = { readonly folder: string; readonly start: number; readonly end: number };

type Range = { readonly start: number; readonly end: number };

/** Goes through the segments of a file, from front to back. */
export class SegmentCursor {
  private readonly list: SegmentList;
  /** The current segment; the length of the list after the last one. */
  index = 0;
  /** Where the segment begins in the file. */
  start = 0;

  constructor(list: SegmentList) {
    this.list = list;
  }

  get bytes(): number {
    return this.index < this.list.length ? this.list.bytesOf(this.index) : 0;
  }

  /** Goes on to the segment with this byte. Returns whether the byte is its first one. */
  seek(byte: number): boolean {
    const { list } = this;
    let { index, start } = this;
    for (; index < list.length; index++) {
      const next = start + list.bytesOf(index);
      if (next > byte) break;
      start = next;
    }
    this.index = index;
    this.start = start;
    return start === byte && index < list.length;
  }

  /**
   * Goes on by the segments that are complete before so many bytes, counted from the start of this one. Returns their
   * number.
   */
  pass(bytes: number): number {
    const { list } = this;
    let { index, start } = this;
    const first = index;
    const end = start + bytes;
    for (; index < list.length; index++) {
      const next = start + list.bytesOf(index);
      if (next >= end) break;
      start = next;
    }
    this.index = index;
    this.start = start;
    return index - first;
  }
}

/** The parts in which the bytes of a range are, the fewest possible. The range includes its end, as in HTTP. */
export function extentsOf(list: SegmentList, isGzip: boolean, { start, end }: Range): readonly Extent[] {
  const extents: Extent[] = [];
  let position = 0;
  for (let index = 0; index < list.length && position <= end; index++) {
    const bytes = isGzip ? list.gzipBytesOf(index) : list.bytesOf(index);
    const from = Math.max(start - position, 0);
    const to = Math.min(end + 1 - position, bytes);
    position += bytes;
    if (from >= to) continue;
    const segment = list.at(index);
    const { folder } = segment;
    const at = isGzip ? segment.gzipAt : segment.at;
    const previous = extents.at(-1);
    if (previous?.folder === folder && previous.end === at + from)
      extents[extents.length - 1] = { ...previous, end: at + to };
    else extents.push({ folder, start: at + from, end: at + to });
  }
  return extents;
}

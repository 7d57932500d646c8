/**
 * Which bytes a rendered file consists of. A file is a list of segments, and a segment may have been written by an earlier
 * render: a render writes only the segments that changed. The list is stored next to the bytes, as `<file>.segments`.
 *
 * Each segment has the hash of its bytes, and the ETag of the file is the hash of these hashes. So a file with kept segments is
 * identified without reading them. Where segments begin depends on the content alone, so equal files have equal ETags.
 */
import { createHash, hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { open, readFile } from "node:fs/promises";

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
export const SEGMENTS_VERSION = 2;

const SEGMENT_HASH_BYTES = 16;
const NO_HASH = Buffer.alloc(SEGMENT_HASH_BYTES);

export const hashSegment = (bytes: Buffer): Buffer =>
  hash("sha256", bytes, "buffer").subarray(0, SEGMENT_HASH_BYTES);

/** In one typed array: a file of a million items has 30,000 segments. */
const FIELDS = 6;
const NUMBER_BYTES = FIELDS * Float64Array.BYTES_PER_ELEMENT;
const FIRST_CAPACITY = 64;

/** The first line of a stored list. Lists of version 0.1.0 and earlier have the folders alone, and no hashes. */
type Heading = { readonly folders: readonly string[]; readonly has_hashes: true } | readonly string[];

export class SegmentList {
  readonly folders: string[] = [];
  private values = new Float64Array(FIRST_CAPACITY * FIELDS);
  private hashes: Buffer = Buffer.alloc(FIRST_CAPACITY * SEGMENT_HASH_BYTES);
  private lastFolder = "";
  private lastFolderAt = -1;
  length = 0;
  /** False for a list that an earlier version has stored. */
  hasHashes = true;

  push({ folder, at, bytes, gzipAt, gzipBytes, crc, hash: own }: Segment): void {
    const start = this.length * FIELDS;
    if (start === this.values.length) {
      const larger = new Float64Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
      this.hashes = Buffer.concat([this.hashes, Buffer.alloc(this.hashes.length)]);
    }
    this.values.set([this.folderAt(folder), at, bytes, gzipAt, gzipBytes, crc], start);
    this.hashes.set(own, this.length * SEGMENT_HASH_BYTES);
    this.length += 1;
  }

  /** The hash of the hashes of all segments that have bytes. */
  etag(): string {
    const all = createHash("sha256");
    for (let index = 0; index < this.length; index++) {
      const segment = this.at(index);
      if (segment.bytes > 0) all.update(segment.hash);
    }
    return all.digest("hex");
  }

  at(index: number): Segment {
    const start = index * FIELDS;
    const [folderAt = 0, at = 0, bytes = 0, gzipAt = 0, gzipBytes = 0, crc = 0] = this.values.subarray(
      start,
      start + FIELDS,
    );
    const hashAt = index * SEGMENT_HASH_BYTES;
    const own = this.hasHashes ? this.hashes.subarray(hashAt, hashAt + SEGMENT_HASH_BYTES) : NO_HASH;
    return { folder: this.folders[folderAt] ?? "", at, bytes, gzipAt, gzipBytes, crc, hash: own };
  }

  private folderAt(folder: string): number {
    if (folder === this.lastFolder) return this.lastFolderAt;
    let at = this.folders.indexOf(folder);
    if (at < 0) at = this.folders.push(folder) - 1;
    [this.lastFolder, this.lastFolderAt] = [folder, at];
    return at;
  }

  /** The folders on one line, then the numbers, then the hashes. */
  encode(): Buffer {
    const { buffer, byteOffset } = this.values;
    const numbers = Buffer.from(buffer, byteOffset, this.length * NUMBER_BYTES);
    const heading: Heading = { folders: this.folders, has_hashes: true };
    const hashes = this.hashes.subarray(0, this.length * SEGMENT_HASH_BYTES);
    return Buffer.concat([Buffer.from(`${JSON.stringify(heading)}\n`), numbers, hashes]);
  }

  /** The folders alone, which are at the beginning. */
  static async loadFolders(path: string): Promise<readonly string[]> {
    const handle = await open(path, "r");
    try {
      for (let bytes = 4_096; ; bytes *= 4) {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
        const lineEnd = buffer.subarray(0, bytesRead).indexOf("\n");
        if (lineEnd >= 0) return headingOf(buffer, lineEnd).folders;
        if (bytesRead < bytes) throw new RangeError(`${path} is damaged`);
      }
    } finally {
      await handle.close();
    }
  }

  static async load(path: string): Promise<SegmentList> {
    return SegmentList.parse(await readFile(path), path);
  }

  static loadSync(path: string): SegmentList {
    return SegmentList.parse(readFileSync(path), path);
  }

  private static parse(bytes: Buffer, path: string): SegmentList {
    const lineEnd = bytes.indexOf("\n");
    const list = new SegmentList();
    const { folders, hasHashes } = headingOf(bytes, lineEnd);
    list.folders.push(...folders);
    list.hasHashes = hasHashes;
    const rest = bytes.subarray(lineEnd + 1);
    list.length = rest.length / (NUMBER_BYTES + (hasHashes ? SEGMENT_HASH_BYTES : 0));
    if (!Number.isInteger(list.length)) throw new RangeError(`${path} is damaged`);
    // Copied, because the numbers need not begin at a multiple of eight.
    const numbers = new Uint8Array(rest.subarray(0, list.length * NUMBER_BYTES));
    list.values = new Float64Array(numbers.buffer);
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

/** A segment, and the position of its first byte. */
export type SegmentCursor = { readonly index: number; readonly position: number };

/** The parts in which the bytes of a range are, the fewest possible. The range includes its end, as in HTTP. */
export function extentsOf(list: SegmentList, isGzip: boolean, { start, end }: Range): readonly Extent[] {
  const extents: Extent[] = [];
  let position = 0;
  for (let index = 0; index < list.length && position <= end; index++) {
    const segment = list.at(index);
    const { folder } = segment;
    const [at, bytes] = isGzip ? [segment.gzipAt, segment.gzipBytes] : [segment.at, segment.bytes];
    const from = Math.max(start - position, 0);
    const to = Math.min(end + 1 - position, bytes);
    position += bytes;
    if (from >= to) continue;
    const previous = extents.at(-1);
    if (previous?.folder === folder && previous.end === at + from)
      extents[extents.length - 1] = { ...previous, end: at + to };
    else extents.push({ folder, start: at + from, end: at + to });
  }
  return extents;
}

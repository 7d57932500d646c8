/**
 * Which bytes a rendered file consists of. A file is a list of segments, and a segment may have been written by an earlier
 * render: a render writes only the segments that changed. The list is stored next to the bytes, as `<file>.segments`.
 */
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
};

/** In one typed array: a file of a million items has 30,000 segments. */
const FIELDS = 6;
const FIRST_CAPACITY = 64;

export class SegmentList {
  readonly folders: string[] = [];
  private values = new Float64Array(FIRST_CAPACITY * FIELDS);
  private lastFolder = "";
  private lastFolderAt = -1;
  length = 0;

  push({ folder, at, bytes, gzipAt, gzipBytes, crc }: Segment): void {
    const start = this.length * FIELDS;
    if (start === this.values.length) {
      const larger = new Float64Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values.set([this.folderAt(folder), at, bytes, gzipAt, gzipBytes, crc], start);
    this.length += 1;
  }

  at(index: number): Segment {
    const start = index * FIELDS;
    const [folderAt = 0, at = 0, bytes = 0, gzipAt = 0, gzipBytes = 0, crc = 0] = this.values.subarray(
      start,
      start + FIELDS,
    );
    return { folder: this.folders[folderAt] ?? "", at, bytes, gzipAt, gzipBytes, crc };
  }

  private folderAt(folder: string): number {
    if (folder === this.lastFolder) return this.lastFolderAt;
    let at = this.folders.indexOf(folder);
    if (at < 0) at = this.folders.push(folder) - 1;
    [this.lastFolder, this.lastFolderAt] = [folder, at];
    return at;
  }

  /** The folders on one line, then the numbers. */
  encode(): Buffer {
    const { buffer, byteOffset } = this.values;
    const numbers = Buffer.from(buffer, byteOffset, this.length * FIELDS * Float64Array.BYTES_PER_ELEMENT);
    const folders = Buffer.from(`${JSON.stringify(this.folders)}\n`);
    return Buffer.concat([folders, numbers]);
  }

  /** The folders alone, which are at the beginning. */
  static async loadFolders(path: string): Promise<readonly string[]> {
    const handle = await open(path, "r");
    try {
      for (let bytes = 4_096; ; bytes *= 4) {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
        const lineEnd = buffer.subarray(0, bytesRead).indexOf("\n");
        if (lineEnd >= 0) return JSON.parse(buffer.toString("utf8", 0, lineEnd)) as string[];
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
    list.folders.push(...(JSON.parse(bytes.toString("utf8", 0, lineEnd)) as string[]));
    // Copied, because the numbers need not begin at a multiple of eight.
    const numbers = new Uint8Array(bytes.subarray(lineEnd + 1));
    list.values = new Float64Array(numbers.buffer);
    list.length = list.values.length / FIELDS;
    if (!Number.isInteger(list.length)) throw new RangeError(`${path} is damaged`);
    return list;
  }
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

/** Reads parts of a file of a render, and tells without reading whether two renders share the bytes of a part. */
import type { FileName, FileStore } from "./file-store.ts";
import type { Extent } from "./segments.ts";
import { DamagedFile, fill, type OpenParts, openParts } from "./stored-files.ts";

/** Parts that follow each other are read together. */
const READ_BYTES = 128 * 1024;

export type Part = { readonly start: number; readonly bytes: number };

export class StoredReader {
  readonly bytes: number;
  private readonly opened: OpenParts;
  /** Where each of the open parts begins in the file. */
  private readonly starts: Float64Array;
  /** The place of the last lookup: the next one is usually near. */
  private last = 0;
  private buffer: Buffer = Buffer.alloc(0);
  private bufferStart = 0;

  private constructor(opened: OpenParts) {
    this.opened = opened;
    this.starts = new Float64Array(opened.parts.length);
    let bytes = 0;
    for (const [index, { start, end }] of opened.parts.entries()) {
      this.starts[index] = bytes;
      bytes += end - start;
    }
    this.bytes = bytes;
  }

  /** All parts are opened at once: a file that is removed meanwhile stays readable. Undefined if it is not there. */
  static async open(store: FileStore, name: FileName): Promise<StoredReader | undefined> {
    const opened = await openParts(store, name, { isGzip: false });
    return opened && new StoredReader(opened);
  }

  /** Valid until the next call. */
  async read({ start, bytes }: Part): Promise<Buffer> {
    const isBuffered = start >= this.bufferStart && start + bytes <= this.bufferStart + this.buffer.length;
    if (!isBuffered) await this.fill(start, Math.max(bytes, READ_BYTES), bytes);
    const from = start - this.bufferStart;
    return this.buffer.subarray(from, from + bytes);
  }

  /** Whether a part of this file and one of another render are the same bytes on disk. */
  isShared(part: Part, other: StoredReader, otherPart: Part): boolean {
    if (part.bytes !== otherPart.bytes) return false;
    const [own, others] = [this.extents(part), other.extents(otherPart)];
    return (
      own.length === others.length &&
      own.every(({ folder, start, end }, index) => {
        const twin = others[index];
        return twin?.folder === folder && twin.start === start && twin.end === end;
      })
    );
  }

  async close(): Promise<void> {
    await this.opened.close();
  }

  private async fill(start: number, wanted: number, needed: number): Promise<void> {
    const buffer = Buffer.allocUnsafe(wanted);
    let filled = 0;
    for (const { opened, ...extent } of this.extents({ start, bytes: wanted })) {
      const end = filled + extent.end - extent.start;
      await fill(opened, buffer.subarray(filled, end), extent.start);
      filled = end;
    }
    if (filled < needed) throw new DamagedFile("a file of a render is too short");
    this.buffer = buffer.subarray(0, filled);
    this.bufferStart = start;
  }

  /** The places of a part on disk; those up to the end of the file if it is longer. */
  private extents({ start, bytes }: Part): readonly (Extent & Pick<OpenParts["parts"][number], "opened">)[] {
    const { parts } = this.opened;
    const end = start + bytes;
    const extents = [];
    for (let index = this.indexOf(start); index < parts.length; index++) {
      const [part, first] = [parts[index], this.starts[index] ?? 0];
      if (!part || first >= end) break;
      const from = part.start + Math.max(start - first, 0);
      const to = Math.min(part.end, part.start + end - first);
      if (from < to) extents.push({ folder: part.folder, opened: part.opened, start: from, end: to });
    }
    return extents;
  }

  /** The part that has this position. */
  private indexOf(position: number): number {
    let index = this.last;
    while (index > 0 && (this.starts[index] ?? 0) > position) index -= 1;
    while (index + 1 < this.starts.length && (this.starts[index + 1] ?? 0) <= position) index += 1;
    this.last = index;
    return index;
  }
}

/** A file of the previous render, whose parts are kept in the new one. Everything that is read is checked. */
import { crc32 } from "node:zlib";
import type { Segment, SegmentCursor, SegmentList } from "./segments.ts";
import { DamagedFile, type OpenFiles } from "./stored-files.ts";

/** Bytes of the new file: written now, or a range of the previous file. */
export type Part = { readonly bytes: Buffer } | { readonly start: number; end: number };

type ReadSegment = SegmentCursor & { readonly bytes: Buffer };

type PreviousFiles = {
  readonly list: SegmentList;
  readonly plain: OpenFiles;
  readonly gzip: OpenFiles;
  /** Kept segments are copied, so that the file does not depend on too many old folders. */
  readonly isCopied: boolean;
};

export class PreviousFile {
  readonly isCopied: boolean;
  private readonly list: SegmentList;
  private readonly plain: OpenFiles;
  private readonly gzip: OpenFiles;
  /** How much has been kept or skipped. */
  private taken = 0;
  /** The segment of the last part that was looked up. Parts are looked up from front to back. */
  private cursor: SegmentCursor = { index: 0, position: 0 };

  constructor({ list, plain, gzip, isCopied }: PreviousFiles) {
    this.list = list;
    this.plain = plain;
    this.gzip = gzip;
    this.isCopied = isCopied;
  }

  /** The head is a segment of its own, and is always written anew. */
  skipHead(): void {
    if (this.list.length > 0) this.taken = this.list.at(0).bytes;
  }

  /** Goes on by so many bytes; returns where they begin. */
  take(bytes: number): number {
    const start = this.taken;
    this.taken += bytes;
    return start;
  }

  /** The segment that is exactly these parts. */
  findSegment(parts: readonly Part[]): Segment | undefined {
    const first = parts.find((part) => "end" in part);
    if (!first) return undefined;
    this.cursor = this.cursorAt(first.start, this.cursor);
    const { index, position } = this.cursor;
    if (parts.length > 1 || index === this.list.length || position !== first.start) return undefined;
    const segment = this.list.at(index);
    return position + segment.bytes === first.end ? segment : undefined;
  }

  /** The bytes of the parts that `findSegment` looked up last. */
  async gather(parts: readonly Part[]): Promise<Buffer> {
    let from: ReadSegment = { ...this.cursor, bytes: Buffer.alloc(0) };
    const chunks: Buffer[] = [];
    for (const part of parts) {
      if ("bytes" in part) chunks.push(part.bytes);
      else
        for (let at = part.start; at < part.end; ) {
          from = await this.readSegmentAt(at, from);
          const chunk = from.bytes.subarray(at - from.position, part.end - from.position);
          chunks.push(chunk);
          at += chunk.length;
        }
    }
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  }

  /** Segments that follow each other on disk. The caller checks them. */
  async readRun(segments: readonly Segment[], isFeed: boolean) {
    const sum = (bytesOf: (segment: Segment) => number) =>
      segments.reduce((total, segment) => total + bytesOf(segment), 0);
    const { folder = "", at = 0, gzipAt = 0 } = segments[0] ?? {};
    const plain = await this.plain.read(
      folder,
      at,
      sum(({ bytes }) => bytes),
    );
    if (!this.isCopied || !isFeed) return { plain, gzip: undefined };
    return {
      plain,
      gzip: await this.gzip.read(
        folder,
        gzipAt,
        sum(({ gzipBytes }) => gzipBytes),
      ),
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.plain.close(), this.gzip.close()]);
  }

  /** Read as a whole, so that it can be checked. */
  private async readSegmentAt(byte: number, from: ReadSegment): Promise<ReadSegment> {
    if (byte < from.position + from.bytes.length) return from;
    const cursor = this.cursorAt(byte, from);
    const { folder, at, bytes: length, crc } = this.list.at(cursor.index);
    const bytes = await this.plain.read(folder, at, length);
    checkSegment(bytes, crc);
    return { ...cursor, bytes };
  }

  /** The segment with this byte, at or after `from`. */
  private cursorAt(byte: number, from: SegmentCursor): SegmentCursor {
    let { index, position } = from;
    for (; index < this.list.length; index++) {
      const next = position + this.list.at(index).bytes;
      if (next > byte) break;
      position = next;
    }
    return { index, position };
  }
}

/** The bytes of parts that are all new. */
export async function gatherNew(parts: readonly Part[]): Promise<Buffer> {
  const chunks = parts.flatMap((part) => ("bytes" in part ? [part.bytes] : []));
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

export function checkSegment(bytes: Buffer, crc: number): void {
  if (crc32(bytes) !== crc)
    throw new DamagedFile("a segment of the previous render has other bytes than were written");
}

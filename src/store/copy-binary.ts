/**
 * PostgreSQL's binary COPY format (https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format"). In the text format
 * escaping the backslashes of JSON bodies cost more than the transfer.
 */
export const COPY_HEADER = Buffer.concat([Buffer.from("PGCOPY\n\xff\r\n\0", "latin1"), Buffer.alloc(8)]);
export const COPY_TRAILER = Buffer.of(0xff, 0xff);

const NO_BYTES = Buffer.alloc(0);
const MIN_BYTES = 1 << 18;
const MAX_FIRST_BYTES = 1 << 23;

/** A value as PostgreSQL's binary receive functions take it: text and bytea as bytes, int8 as a bigint. */
export type CopyValue = string | Uint8Array | bigint | null;

/** Collects rows in a growing buffer; `take` returns the filled part and starts a new one. */
export class CopyWriter {
  private buffer = NO_BYTES;
  private firstBytes = MIN_BYTES;
  private end = 0;
  rows = 0;

  get bytes(): number {
    return this.end;
  }

  row(values: readonly CopyValue[]): void {
    this.reserve(2);
    this.end = this.buffer.writeInt16BE(values.length, this.end);
    for (const value of values) this.value(value);
    this.rows += 1;
  }

  take(): Buffer {
    const filled = this.buffer.subarray(0, this.end);
    this.buffer = NO_BYTES;
    this.firstBytes = Math.max(MIN_BYTES, Math.min(this.end * 2, MAX_FIRST_BYTES));
    this.end = 0;
    this.rows = 0;
    return filled;
  }

  private value(value: CopyValue): void {
    if (typeof value === "string") {
      // UTF-8 needs at most three bytes per UTF-16 unit; the actual length is written afterwards.
      this.reserve(4 + value.length * 3);
      const written = this.buffer.write(value, this.end + 4, "utf8");
      this.buffer.writeInt32BE(written, this.end);
      this.end += 4 + written;
    } else if (value === null) {
      this.reserve(4);
      this.end = this.buffer.writeInt32BE(-1, this.end);
    } else if (typeof value === "bigint") {
      this.reserve(12);
      this.buffer.writeInt32BE(8, this.end);
      this.end = this.buffer.writeBigInt64BE(value, this.end + 4);
    } else {
      this.reserve(4 + value.length);
      this.buffer.writeInt32BE(value.length, this.end);
      this.buffer.set(value, this.end + 4);
      this.end += 4 + value.length;
    }
  }

  private reserve(bytes: number): void {
    if (this.end + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.firstBytes, this.buffer.length * 2, this.end + bytes));
    this.buffer.copy(larger, 0, 0, this.end);
    this.buffer = larger;
  }
}

/** Reads a COPY of exactly one column of bytes. The values are parts of large buffers: copy those that are kept. */
export const readBytesColumn = (chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly Buffer[]> =>
  readRows(chunks, (row) => row.bytes() ?? NO_BYTES);

/** The columns of one row, each read once and in their order. */
export class CopyRow {
  private data: Buffer = NO_BYTES;
  private at = 0;

  set(data: Buffer, at: number): void {
    this.data = data;
    this.at = at;
  }

  /** A part of a large buffer; null for a null. */
  bytes(): Buffer | null {
    const length = this.data.readInt32BE(this.at);
    const start = this.at + 4;
    this.at = start + Math.max(length, 0);
    return length < 0 ? null : this.data.subarray(start, this.at);
  }

  /** Of a column that is not null. */
  text(): string {
    const start = this.at + 4;
    this.at = start + this.data.readInt32BE(this.at);
    return this.data.toString("utf8", start, this.at);
  }
}

/** Reads a COPY in batches as the rows arrive. */
export async function* readRows<Value>(
  chunks: AsyncIterable<Buffer>,
  decode: (row: CopyRow) => Value,
): AsyncGenerator<readonly Value[]> {
  let rest: Buffer = NO_BYTES;
  let isPastHeader = false;
  const row = new CopyRow();
  for await (const chunk of chunks) {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    if (!isPastHeader) {
      if (data.length < COPY_HEADER.length) {
        rest = data;
        continue;
      }
      at = COPY_HEADER.length;
      isPastHeader = true;
    }
    const values: Value[] = [];
    for (let end = rowEnd(data, at); end >= 0; end = rowEnd(data, at)) {
      row.set(data, at + 2);
      values.push(decode(row));
      at = end;
    }
    rest = data.subarray(at);
    if (values.length > 0) yield values;
  }
  if (!rest.equals(COPY_TRAILER)) throw new Error("the COPY stream ended in the middle of a row");
}

/** Where the row at `start` ends; -1 if not all of it is there. A row: int16 column count, then int32 length and bytes of each. */
function rowEnd(data: Buffer, start: number): number {
  if (start + 2 > data.length) return -1;
  const columns = data.readInt16BE(start);
  // The trailer.
  if (columns < 0) return -1;
  let at = start + 2;
  for (let column = 0; column < columns; column++) {
    if (at + 4 > data.length) return -1;
    at += 4 + Math.max(data.readInt32BE(at), 0);
  }
  return at <= data.length ? at : -1;
}

/**
 * PostgreSQL's binary COPY format (https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format"). With the
 * text format, escaping the backslashes of JSON bodies cost more than the transfer.
 */
export const COPY_HEADER = Buffer.concat([Buffer.from("PGCOPY\n\xff\r\n\0", "latin1"), Buffer.alloc(8)]);
export const COPY_TRAILER = Buffer.of(0xff, 0xff);

const NO_BYTES = Buffer.alloc(0);
const MIN_BYTES = 1 << 18;
const MAX_FIRST_BYTES = 1 << 23;

/** A value in the form that PostgreSQL's binary receive functions expect: text and bytea as bytes. */
export type CopyValue = string | Uint8Array | null;

const WORD = 2 ** 32;

/**
 * Collects rows in a growing buffer. `take` returns the filled part; the writer continues in a released buffer or in a
 * new one.
 */
export class CopyWriter {
  private buffer: Buffer = NO_BYTES;
  private spare: Buffer = NO_BYTES;
  private firstBytes = MIN_BYTES;
  private end = 0;
  rows = 0;

  get bytes(): number {
    return this.end;
  }

  row(values: readonly CopyValue[]): void {
    this.beginRow(values.length);
    for (const value of values) {
      if (value === null || typeof value === "string") this.text(value);
      else this.byteArray(value);
    }
  }

  /**
   * Begins a row whose values are written one by one, because an array for each row of a sync would cost more time than
   * the writing.
   */
  beginRow(columns: number): void {
    this.reserve(2);
    this.end = this.buffer.writeInt16BE(columns, this.end);
    this.rows += 1;
  }

  text(value: string | null): void {
    if (value === null) return this.null();
    // UTF-8 needs at most three bytes per UTF-16 unit; the actual length is written afterwards.
    this.reserve(4 + value.length * 3);
    const written = this.buffer.write(value, this.end + 4, "utf8");
    this.buffer.writeInt32BE(written, this.end);
    this.end += 4 + written;
  }

  /** Writes bytes that are given in hexadecimal. */
  hex(value: string | null): void {
    if (value === null) return this.null();
    const bytes = value.length / 2;
    this.reserve(4 + bytes);
    this.buffer.writeInt32BE(bytes, this.end);
    this.buffer.write(value, this.end + 4, "hex");
    this.end += 4 + bytes;
  }

  /** Writes a safe integer as an int8. */
  int8(value: number): void {
    this.reserve(12);
    this.buffer.writeInt32BE(8, this.end);
    this.buffer.writeInt32BE(Math.floor(value / WORD), this.end + 4);
    this.end = this.buffer.writeUInt32BE(value >>> 0, this.end + 8);
  }

  take(): Buffer {
    const filled = this.buffer.subarray(0, this.end);
    this.buffer = NO_BYTES;
    this.firstBytes = Math.max(MIN_BYTES, Math.min(this.end * 2, MAX_FIRST_BYTES));
    this.end = 0;
    this.rows = 0;
    return filled;
  }

  /** Takes back a buffer that `take` returned. */
  release(filled: Buffer): void {
    this.spare = Buffer.from(filled.buffer);
  }

  private byteArray(value: Uint8Array): void {
    this.reserve(4 + value.length);
    this.buffer.writeInt32BE(value.length, this.end);
    this.buffer.set(value, this.end + 4);
    this.end += 4 + value.length;
  }

  private null(): void {
    this.reserve(4);
    this.end = this.buffer.writeInt32BE(-1, this.end);
  }

  private reserve(bytes: number): void {
    if (this.end + bytes <= this.buffer.length) return;
    if (this.end === 0 && bytes <= this.spare.length) {
      this.buffer = this.spare;
      this.spare = NO_BYTES;
      return;
    }
    const larger = Buffer.allocUnsafe(Math.max(this.firstBytes, this.buffer.length * 2, this.end + bytes));
    this.buffer.copy(larger, 0, 0, this.end);
    this.buffer = larger;
  }
}

/**
 * Reads a COPY of exactly one column of bytes. The values are parts of large buffers: a caller that keeps a value must
 * copy it.
 */
export const readBytesColumn = (chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly Buffer[]> =>
  readRows(chunks, (row) => row.bytes() ?? NO_BYTES);

/** The columns of one row, each read once and in their order. */
export class CopyRow {
  data: Buffer = NO_BYTES;
  /** Where the next column begins. */
  at = 0;

  set(data: Buffer, at: number): void {
    this.data = data;
    this.at = at;
  }

  /** Reads a column as a part of a large buffer; null for a null. */
  bytes(): Buffer | null {
    const length = this.data.readInt32BE(this.at);
    const start = this.at + 4;
    this.at = start + Math.max(length, 0);
    return length < 0 ? null : this.data.subarray(start, this.at);
  }

  /** Skips a column and returns where its bytes begin in `data`; they end at `at`. Returns -1 for a null. */
  skip(): number {
    const length = this.data.readInt32BE(this.at);
    const start = this.at + 4;
    this.at = start + Math.max(length, 0);
    return length < 0 ? -1 : start;
  }

  /** Reads the text of a column that is not null. */
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

/**
 * Returns where the row at `start` ends; -1 if the row is incomplete. A row has an int16 column count, then int32
 * length and bytes of each column.
 */
function rowEnd(data: Buffer, start: number): number {
  if (start + 2 > data.length) return -1;
  const columns = data.readInt16BE(start);
  // The trailer has a negative column count.
  if (columns < 0) return -1;
  let at = start + 2;
  for (let column = 0; column < columns; column++) {
    if (at + 4 > data.length) return -1;
    at += 4 + Math.max(data.readInt32BE(at), 0);
  }
  return at <= data.length ? at : -1;
}

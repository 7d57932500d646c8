/**
 * PostgreSQL's binary COPY format (https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format"). In the text format
 * escaping the backslashes of JSON bodies cost more than the transfer.
 */
export const COPY_HEADER = Buffer.concat([Buffer.from("PGCOPY\n\xff\r\n\0", "latin1"), Buffer.alloc(8)]);
export const COPY_TRAILER = Buffer.of(0xff, 0xff);

/** A value as PostgreSQL's binary receive functions take it: text and bytea as bytes, int8 as a bigint. */
export type CopyValue = string | Uint8Array | bigint | null;

/** Collects rows in a growing buffer; `take` returns the filled part and starts a new one. */
export class CopyWriter {
  private buffer = Buffer.allocUnsafe(1 << 18);
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
    this.buffer = Buffer.allocUnsafe(Math.max(1 << 18, Math.min(this.end * 2, 1 << 23)));
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
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.end + bytes));
    this.buffer.copy(larger, 0, 0, this.end);
    this.buffer = larger;
  }
}

/** Reads a COPY of exactly one text column: the texts, in batches as they arrive. */
export const readTextColumn = (chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> =>
  readColumn(chunks, (data, start, end) => data.toString("utf8", start, end));

/** Reads a COPY of exactly one column of bytes. The values are parts of a buffer that is used again: read them at once. */
export const readBytesColumn = (chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly Buffer[]> =>
  readColumn(chunks, (data, start, end) => data.subarray(start, end));

type Decode<Value> = (data: Buffer, start: number, end: number) => Value;

async function* readColumn<Value>(
  chunks: AsyncIterable<Buffer>,
  decode: Decode<Value>,
): AsyncGenerator<readonly Value[]> {
  let rest: Buffer = Buffer.alloc(0);
  let isPastHeader = false;
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
    const { values, next } = valuesIn(data, at, decode);
    rest = data.subarray(next);
    if (values.length > 0) yield values;
  }
  if (!rest.equals(COPY_TRAILER)) throw new Error("the COPY stream ended in the middle of a row");
}

function valuesIn<Value>(
  data: Buffer,
  start: number,
  decode: Decode<Value>,
): { values: Value[]; next: number } {
  const values: Value[] = [];
  let at = start;
  // A row of one column: int16 column count, int32 length, bytes.
  while (at + 6 <= data.length) {
    const end = at + 6 + data.readInt32BE(at + 2);
    if (end > data.length) break;
    values.push(decode(data, at + 6, end));
    at = end;
  }
  return { values, next: at };
}

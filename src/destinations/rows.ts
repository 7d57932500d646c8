/**
 * Finds the rows of a rendered file in its bytes, and rewrites them in another format. Works on bytes, in batches of
 * rows, so that a million rows cost no more memory than a thousand.
 */
import { csvCell, type DelimitedRow, delimitedRows } from "../lib/formats/delimited.ts";

export type RowChunk = { readonly bytes: Buffer; readonly rows: number };

const TAB = 9;
const LINE_FEED = 10;
const QUOTE = 34;
const COMMA = 44;
const OPENING_BRACE = 123;

const BATCH_ROWS = 1_000;

type RowBatchOptions = {
  /** Line breaks inside quotes do not end a row (RFC 4180). */
  readonly isQuoted: boolean;
  readonly batchRows?: number;
};

/** Batches of complete rows. The first has only the first row, which may be a header. */
export async function* rowBatches(
  source: AsyncIterable<Uint8Array>,
  { isQuoted, batchRows = BATCH_ROWS }: RowBatchOptions,
): AsyncGenerator<RowChunk> {
  const scanner = new RowScanner(isQuoted);
  let limit = 1;
  let rows = 0;
  let parts: Buffer[] = [];
  const take = (last: Buffer): RowChunk => {
    const batch = { bytes: Buffer.concat([...parts, last]), rows };
    parts = [];
    rows = 0;
    limit = batchRows;
    return batch;
  };
  for await (const piece of source) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let start = 0;
    for (let end = scanner.rowEnd(bytes, 0); end !== -1; end = scanner.rowEnd(bytes, end)) {
      rows += 1;
      if (rows < limit) continue;
      yield take(bytes.subarray(start, end));
      start = end;
    }
    if (start < bytes.length) parts.push(bytes.subarray(start));
  }
  if (parts.length > 0) yield take(Buffer.alloc(0));
}

/** Scans the bytes and keeps track of whether they are inside quotes. */
class RowScanner {
  private isInQuotes = false;
  private readonly isQuoted: boolean;

  constructor(isQuoted: boolean) {
    this.isQuoted = isQuoted;
  }

  /** Returns the end of the row that continues at `from`, or -1 if the row continues after these bytes. */
  rowEnd(bytes: Buffer, from: number): number {
    if (!this.isQuoted) return bytes.indexOf(LINE_FEED, from) + 1 || -1;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) this.isInQuotes = !this.isInQuotes;
      else if (byte === LINE_FEED && !this.isInQuotes) return at + 1;
    }
    return -1;
  }
}

/**
 * Replaces the commas between cells by tabs. A cell that contains a tab is put in quotes, like cells with other special
 * characters.
 */
export function tabSeparated(csv: Buffer): Buffer {
  if (csv.includes(TAB)) return Buffer.from(delimitedRows(csv.toString(), ",").map(tabSeparatedRow).join(""));
  const bytes = Buffer.from(csv);
  let isInQuotes = false;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) isInQuotes = !isInQuotes;
    else if (bytes[at] === COMMA && !isInQuotes) bytes[at] = TAB;
  }
  return bytes;
}

const SPECIAL = /[",\r\n\t]/;

const tabSeparatedRow = ({ cells }: DelimitedRow): string =>
  `${cells.map((cell) => csvCell(cell, SPECIAL)).join("\t")}\n`;

/**
 * Writes the rows of `acp.json` as JSON Lines. The document has its beginning on the first line, one row on each of the
 * next lines, with a comma at the end of all but the last, and its end on the last line.
 */
export async function* jsonLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<RowChunk> {
  let isFirst = true;
  for await (const { bytes } of rowBatches(source, { isQuoted: false })) {
    if (isFirst) {
      isFirst = false;
      continue;
    }
    const batch = withoutCommas(bytes);
    if (batch.rows > 0) yield batch;
  }
}

const END_OF_LINE = Buffer.from("\n");

function withoutCommas(lines: Buffer): RowChunk {
  const parts: Buffer[] = [];
  let rows = 0;
  for (let start = 0; start < lines.length; ) {
    const found = lines.indexOf(LINE_FEED, start);
    const end = found === -1 ? lines.length : found;
    if (lines[start] === OPENING_BRACE) {
      const hasComma = lines[end - 1] === COMMA;
      parts.push(lines.subarray(start, hasComma ? end - 1 : end), END_OF_LINE);
      rows += 1;
    }
    start = end + 1;
  }
  return { bytes: Buffer.concat(parts), rows };
}

/**
 * Reads a delimited file with a header row. A row that cannot be split into columns is reported and not checked
 * further, since every finding about its values might be about the wrong column.
 */
import type { Findings } from "./findings.ts";
import { recordReader, type RecordReader } from "./records.ts";
import type { FeedReader } from "./validator.ts";

/**
 * A quote where none belongs, in a column counted from 0. `isInside`: in the middle of a value that is not in quotes,
 * as in `22" TV`, which can be read only one way.
 */
export type Stray = { readonly column: number; readonly isInside: boolean };

export type Scanned<Cell> = { readonly cells: readonly Cell[]; readonly strayIn: readonly Stray[] };

/** Splits a record by RFC 4180, strictly. Null when the text ends inside a quoted cell. */
export function scanCsv(text: string, delimiter: string): Scanned<string> | null {
  if (!text.includes('"')) return { cells: text.split(delimiter), strayIn: [] };
  return scanCells(new RecordScanner(text, { delimiter, isPadded: false }), (scanner) => scanner.value());
}

/** Null when the text ends inside a quoted value, for which `readCell` returns null. */
export function scanCells<Cell>(
  scanner: RecordScanner,
  readCell: (scanner: RecordScanner, column: number) => Cell | null,
): Scanned<Cell> | null {
  const cells: Cell[] = [];
  const strayIn: Stray[] = [];
  do {
    scanner.stray = null;
    const cell = readCell(scanner, cells.length);
    if (cell === null) return null;
    if (scanner.stray !== null) strayIn.push({ column: cells.length, isInside: scanner.stray === "inside" });
    cells.push(cell);
  } while (scanner.next());
  return { cells, strayIn };
}

type RecordOptions = {
  readonly delimiter: string;
  /** Spaces around the quotes of a value do not belong to it. */
  readonly isPadded: boolean;
};

/**
 * Reads the values of one record, one after the other. A quote opens only at the beginning of a value and is doubled
 * inside.
 */
export class RecordScanner {
  stray: "inside" | "after" | null = null;
  private readonly text: string;
  private readonly options: RecordOptions;
  private at = 0;

  constructor(text: string, options: RecordOptions) {
    this.text = text;
    this.options = options;
  }

  /** Steps over a delimiter; false at the end of the record. */
  next(): boolean {
    if (this.at >= this.text.length) return false;
    this.at += 1;
    return true;
  }

  /** The separator at which the last value ended; empty at the end of the record. */
  separator(): string {
    return this.text.charAt(this.at);
  }

  /**
   * Returns the value up to the next separator, which is one of these characters; null if the quote of the value is
   * never closed.
   */
  value(separators = this.options.delimiter): string | null {
    let start = this.at;
    while (this.options.isPadded && this.text.charAt(start) === " ") start += 1;
    if (this.text.charAt(start) === '"') return this.quoted(start, separators);
    const value = this.upTo(separators);
    if (value.includes('"')) this.stray ??= "inside";
    return value;
  }

  private quoted(start: number, separators: string): string | null {
    let close = this.text.indexOf('"', start + 1);
    while (close !== -1 && this.text.charAt(close + 1) === '"') close = this.text.indexOf('"', close + 2);
    if (close === -1) return null;
    this.at = close + 1;
    const after = this.upTo(separators);
    const rest = this.options.isPadded ? after.trimEnd() : after;
    if (rest !== "") this.stray = "after";
    return this.text.slice(start + 1, close).replaceAll('""', '"') + rest;
  }

  private upTo(separators: string): string {
    const start = this.at;
    if (separators.length === 1) {
      const end = this.text.indexOf(separators, start);
      this.at = end === -1 ? this.text.length : end;
    } else while (this.at < this.text.length && !separators.includes(this.text.charAt(this.at))) this.at += 1;
    return this.text.slice(start, this.at);
  }
}

/** The first wins where two leave equally many. */
const DELIMITERS = ["\t", ",", ";", "|", "~"] as const;

export function delimiterOf(header: string, isKnown: (name: string) => boolean): string {
  let best: string = DELIMITERS[0];
  let most = 0;
  for (const delimiter of DELIMITERS) {
    const count = columnNames(header, delimiter).filter(isKnown).length;
    if (count > most) [best, most] = [delimiter, count];
  }
  // With at most one known name, a comma in the header decides unless there is a tab.
  return most > 1 || header.includes("\t") || !header.includes(",") ? best : ",";
}

/** The names of a header as they are compared: without quotes, prefix and sub-attributes, in lower case. */
export function columnNames(header: string, delimiter: string): readonly string[] {
  return header.split(delimiter).map((cell) => columnKey(cell.trim().replace(/^"|"$|\(.*$/gs, "")));
}

/** `Image Link` and `g:image_link` are `image_link` to Google. */
export function columnKey(name: string): string {
  return name.trim().toLowerCase().replace(/^g:/, "").replace(/\s+/g, "_");
}

type CheckedFeed = {
  /** Counts a row that cannot be checked. */
  readonly skip: () => void;
  readonly end: (bytes: number) => void;
  readonly rows: number;
};

type ColumnNames = { readonly names: readonly string[] };

export type DelimitedFormat<Rule extends string, Cell, Header extends ColumnNames> = {
  readonly rules: { readonly long: Rule; readonly quote: Rule; readonly cells: Rule };
  /**
   * Null while a quote is open. There is no header before the first record, nor after a first record that is not a
   * header.
   */
  readonly scan: (text: string, header: Header | null) => Scanned<Cell> | null;
  /** Null when the first record is not a header. */
  readonly readHeader: (names: readonly string[]) => Header | null;
  readonly readRow: (line: number, cells: readonly Cell[], header: Header) => void;
  readonly idOf: (cells: readonly Cell[], header: Header) => string | null;
  readonly shown: (cell: Cell) => string;
  readonly feed: CheckedFeed;
};

export function delimitedReader<Rule extends string, Cell, Header extends ColumnNames>(
  findings: Findings<Rule>,
  format: DelimitedFormat<Rule, Cell, Header>,
): FeedReader {
  const { feed } = format;
  let header: Header | null = null;
  let isBegun = false;

  function takeRecord(line: number, { cells, strayIn }: Scanned<Cell>): void {
    if (!isBegun) {
      isBegun = true;
      header = format.readHeader(cells.map(format.shown));
      return;
    }
    if (header === null) {
      feed.skip();
      return;
    }
    const { names } = header;
    const isComplete = cells.length === names.length;
    findings.at(line, isComplete ? format.idOf(cells, header) : null);
    for (const { column, isInside } of strayIn) {
      const value = cells[column] === undefined ? "" : format.shown(cells[column]);
      findings.add(format.rules.quote, { field: names[column], value, isMild: isInside });
    }
    if (isComplete) {
      format.readRow(line, cells, header);
      return;
    }
    const detail = `The row has ${cells.length} cells, the header ${names.length}.`;
    findings.add(format.rules.cells, { value: cells[0] === undefined ? "" : format.shown(cells[0]), detail });
    feed.skip();
  }

  const reader = recordReader(
    (text) => format.scan(text, header),
    (event) => {
      findings.at(event.line, null);
      if (event.kind === "record") {
        takeRecord(event.line, event.cells);
        return;
      }
      feed.skip();
      const value = event.text;
      if (event.kind === "too long") findings.add(format.rules.long, { value });
      else
        findings.add(format.rules.quote, { value, detail: "The quote opened on this line is never closed." });
    },
  );
  return feedReader(reader, feed);
}

function feedReader(reader: RecordReader, feed: CheckedFeed): FeedReader {
  return {
    push: reader.push,
    end: (bytes) => {
      reader.end();
      feed.end(bytes);
    },
    rows: () => feed.rows,
  };
}

/**
 * Reads delimited text (comma, tab, semicolon, pipe) as rows of cells: RFC 4180, and the ways in which real exports
 * deviate. Rows end with LF, CRLF or a lone CR; the first row end decides which. A quote opens only at the start of a
 * cell.
 */
import { countBreaks } from "../line-breaks.ts";
import { FormatError } from "./format-error.ts";
import type { TextReader } from "./text-reader.ts";
import { CARRIAGE_RETURN, NEWLINE, QUOTE, SPACE } from "../char-codes.ts";

/** `line` is where the row begins, counted from 1; a quoted cell may span lines. */
export type DelimitedRow = { readonly line: number; readonly cells: readonly string[] };

export type DelimitedOptions = {
  readonly delimiter: string;
  readonly maxFieldChars: number;
  readonly maxRowChars: number;
  /** Cells are padded with spaces: a quote then also opens after spaces. */
  readonly isPadded?: boolean;
};

export function delimitedReader(options: DelimitedOptions): TextReader<DelimitedRow> {
  const scanner = new Scanner(options);
  return { push: (text) => scanner.push(text), end: () => scanner.end() };
}

/** The rows of a text that is already in memory. */
export function delimitedRows(text: string, delimiter: string): readonly DelimitedRow[] {
  const reader = delimitedReader({ delimiter, maxFieldChars: Infinity, maxRowChars: Infinity });
  return [...reader.push(text), ...reader.end()];
}

const SPECIAL = /[",\r\n]/;

/** A cell as RFC 4180 writes it: in quotes only if it contains a character that would end it. */
export function csvCell(text: string, special = SPECIAL): string {
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Where a quoted cell ends: `next` is the index of what follows its closing quote and any spaces. */
type Closing = { readonly quote: number; readonly next: number; readonly isEscaped: boolean };

class Scanner {
  private readonly options: DelimitedOptions;
  private readonly delimiterCode: number;
  private pieces: string[] = [];
  private size = 0;
  /** Scan again only when this much text is there: a long row is scanned a few times, not once per chunk. */
  private scanAt = 0;
  private rowEnd: "unknown" | "lf" | "cr" = "unknown";
  private line = 1;

  private buffer = "";
  private at = 0;
  private isLast = false;
  private nextDelimiter = -1;
  private nextRowEnd = -1;

  constructor(options: DelimitedOptions) {
    this.options = options;
    this.delimiterCode = options.delimiter.charCodeAt(0);
  }

  push(text: string): DelimitedRow[] {
    this.pieces.push(text);
    this.size += text.length;
    if (this.size < this.scanAt && this.size <= this.options.maxRowChars) return [];
    return this.scan(false);
  }

  end(): DelimitedRow[] {
    return this.scan(true);
  }

  private scan(isLast: boolean): DelimitedRow[] {
    this.buffer = this.pieces.join("");
    this.isLast = isLast;
    this.at = 0;
    this.nextDelimiter = -1;
    this.nextRowEnd = -1;
    const rows: DelimitedRow[] = [];
    let used = 0;
    while (this.at < this.buffer.length) {
      const cells = this.row();
      if (cells === null) break;
      this.checkRow(this.at - used);
      rows.push({ line: this.line, cells });
      this.line += countBreaks(this.buffer, used, this.at, this.rowEnd === "cr" ? "\r" : "\n");
      used = this.at;
    }
    this.keep(used);
    return rows;
  }

  private keep(used: number): void {
    const rest = this.buffer.slice(used);
    this.checkRow(rest.length);
    this.pieces = rest === "" ? [] : [rest];
    this.size = rest.length;
    this.scanAt = used > 0 ? 0 : rest.length * 2;
    this.buffer = "";
  }

  /** The next row's cells, or null when it does not end within the buffer. */
  private row(): string[] | null {
    const cells: string[] = [];
    for (;;) {
      if (this.options.isPadded === true) this.at = this.skipSpaces(this.at);
      const more = this.buffer.charCodeAt(this.at) === QUOTE ? this.quotedCell(cells) : this.plainCell(cells);
      if (more === "next cell") continue;
      return more === "row ended" ? cells : null;
    }
  }

  private plainCell(cells: string[]): "next cell" | "row ended" | "unfinished" {
    const { buffer, at } = this;
    if (this.nextDelimiter < at) this.nextDelimiter = indexOrEnd(buffer.indexOf(this.options.delimiter, at));
    if (this.nextRowEnd < at) this.nextRowEnd = this.findRowEnd(at);
    if (this.nextDelimiter < this.nextRowEnd) {
      cells.push(this.checked(buffer.slice(at, this.nextDelimiter)));
      this.at = this.nextDelimiter + 1;
      return "next cell";
    }
    if (this.nextRowEnd === Infinity) {
      if (!this.isLast) return "unfinished";
      cells.push(this.checked(buffer.slice(at)));
      this.at = buffer.length;
      return "row ended";
    }
    const end = this.nextRowEnd;
    if (!this.passRowEnd(end)) return "unfinished";
    const hasCr = this.rowEnd === "lf" && end > at && buffer.charCodeAt(end - 1) === CARRIAGE_RETURN;
    cells.push(this.checked(buffer.slice(at, hasCr ? end - 1 : end)));
    return "row ended";
  }

  private quotedCell(cells: string[]): "next cell" | "row ended" | "unfinished" {
    const closing = this.findClosing(this.at);
    if (closing === "unfinished") return "unfinished";
    if (closing === "stray") return this.plainCell(cells);
    const text = this.buffer.slice(this.at + 1, closing.quote);
    cells.push(this.checked(closing.isEscaped ? text.replaceAll('""', '"') : text));
    if (this.buffer.charCodeAt(closing.next) === this.delimiterCode) {
      this.at = closing.next + 1;
      return "next cell";
    }
    if (closing.next >= this.buffer.length) {
      this.at = this.buffer.length;
      return "row ended";
    }
    return this.passRowEnd(this.rowEndAt(closing.next)) ? "row ended" : "unfinished";
  }

  /**
   * A quote inside a quoted cell is stray if neither a delimiter nor a row end follows. In tab-separated text the cell
   * is then literal (`"Best" mug`); elsewhere it stays open (`"12" pan, black"`), since texts contain the delimiter.
   */
  private findClosing(start: number): Closing | "unfinished" | "stray" {
    const { buffer } = this;
    let isEscaped = false;
    let quote = buffer.indexOf('"', start + 1);
    while (quote !== -1) {
      if (buffer.charCodeAt(quote + 1) === QUOTE) {
        isEscaped = true;
        quote = buffer.indexOf('"', quote + 2);
        continue;
      }
      const next = this.skipSpaces(quote + 1);
      if (next >= buffer.length && !this.isLast) return "unfinished";
      const follows = this.closes(next);
      if (follows === "unfinished") return "unfinished";
      if (follows) return { quote, next, isEscaped };
      if (this.options.delimiter === "\t") return "stray";
      quote = buffer.indexOf('"', quote + 1);
    }
    if (!this.isLast) return "unfinished";
    throw new FormatError("truncated", `The quote opened on line ${this.line} is never closed.`, {
      line: this.line,
    });
  }

  /** Whether a delimiter, a row end or the end of the text is at `index`. */
  private closes(index: number): boolean | "unfinished" {
    if (index >= this.buffer.length) return true;
    const code = this.buffer.charCodeAt(index);
    if (code === this.delimiterCode) return true;
    if (code === NEWLINE) return this.rowEnd !== "cr";
    if (code !== CARRIAGE_RETURN) return false;
    if (this.rowEnd !== "lf") return true;
    if (index + 1 >= this.buffer.length) return this.isLast ? true : "unfinished";
    return this.buffer.charCodeAt(index + 1) === NEWLINE;
  }

  private skipSpaces(index: number): number {
    let at = index;
    while (this.buffer.charCodeAt(at) === SPACE) at += 1;
    return at;
  }

  private findRowEnd(from: number): number {
    const { buffer } = this;
    if (this.rowEnd === "cr") return indexOrEnd(buffer.indexOf("\r", from));
    const lf = indexOrEnd(buffer.indexOf("\n", from));
    if (this.rowEnd === "lf") return lf;
    return Math.min(lf, indexOrEnd(buffer.indexOf("\r", from)));
  }

  private rowEndAt(index: number): number {
    return this.rowEnd === "lf" && this.buffer.charCodeAt(index) === CARRIAGE_RETURN ? index + 1 : index;
  }

  /** Skips the row end at `end` and fixes its style. False when the next character is needed first. */
  private passRowEnd(end: number): boolean {
    const { buffer } = this;
    if (buffer.charCodeAt(end) !== CARRIAGE_RETURN) {
      this.rowEnd = this.rowEnd === "unknown" ? "lf" : this.rowEnd;
      this.at = end + 1;
      return true;
    }
    if (end + 1 >= buffer.length && !this.isLast) return false;
    const isCrLf = buffer.charCodeAt(end + 1) === NEWLINE;
    if (this.rowEnd === "unknown") this.rowEnd = isCrLf ? "lf" : "cr";
    this.at = end + (isCrLf ? 2 : 1);
    return true;
  }

  private checked(cell: string): string {
    if (cell.length <= this.options.maxFieldChars) return cell;
    const limit = `has ${cell.length} characters; ${this.options.maxFieldChars} are allowed`;
    throw this.tooLarge(`A cell of the row that begins on line ${this.line} ${limit}.`);
  }

  private checkRow(chars: number): void {
    if (chars <= this.options.maxRowChars) return;
    const limit = `has more than ${this.options.maxRowChars} characters`;
    throw this.tooLarge(`The row that begins on line ${this.line} ${limit}.`);
  }

  private tooLarge(message: string): FormatError {
    return new FormatError("too_large", message, { line: this.line });
  }
}

function indexOrEnd(index: number): number {
  return index === -1 ? Infinity : index;
}

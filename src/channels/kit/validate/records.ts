/**
 * Text to lines with their numbers, and lines to the records of a delimited file, where a quoted cell may span lines.
 * `scan` splits the text of a record, or returns null while a quote is open. A quote that is never closed affects its own
 * line only: the lines after it are read again.
 */
import { MOST_ROW_CHARS, MOST_ROW_LINES } from "./limits.ts";

/** Ends with LF or CRLF. Of a line longer than the limit only the beginning is kept. */
export type Line = { readonly number: number; readonly text: string; readonly isCut: boolean };

export type LineReader = {
  readonly push: (text: string) => readonly Line[];
  readonly end: () => readonly Line[];
};

export function lineReader(mostChars: number): LineReader {
  let pieces: string[] = [];
  let chars = 0;
  let number = 0;

  function keep(piece: string): void {
    if (chars <= mostChars && piece !== "") pieces.push(piece);
    chars += piece.length;
  }

  function finish(): Line {
    const text = pieces.length === 1 ? (pieces[0] ?? "") : pieces.join("");
    const isCut = chars > mostChars;
    pieces = [];
    chars = 0;
    number += 1;
    return { number, text: text.endsWith("\r") ? text.slice(0, -1) : text, isCut };
  }

  return {
    push: (text) => {
      const lines: Line[] = [];
      let start = 0;
      for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
        keep(text.slice(start, end));
        lines.push(finish());
        start = end + 1;
      }
      keep(text.slice(start));
      return lines;
    },
    end: () => (chars === 0 ? [] : [finish()]),
  };
}

export type Scan<Cells> = (text: string) => Cells | null;

export type RecordEvent<Cells> =
  | { readonly kind: "record"; readonly line: number; readonly cells: Cells }
  | { readonly kind: "never closed"; readonly line: number; readonly text: string }
  | { readonly kind: "too long"; readonly line: number; readonly text: string };

export class RecordReader<Cells> {
  private readonly scan: Scan<Cells>;
  private readonly lines = lineReader(MOST_ROW_CHARS);
  private found: RecordEvent<Cells>[] = [];
  private open: Line[] = [];
  private openChars = 0;

  constructor(scan: Scan<Cells>) {
    this.scan = scan;
  }

  push(text: string): readonly RecordEvent<Cells>[] {
    for (const line of this.lines.push(text)) this.take(line);
    return this.taken();
  }

  end(): readonly RecordEvent<Cells>[] {
    for (const line of this.lines.end()) this.take(line);
    while (this.open.length > 0) this.giveUp();
    return this.taken();
  }

  private taken(): readonly RecordEvent<Cells>[] {
    const { found } = this;
    this.found = [];
    return found;
  }

  private take(line: Line): void {
    if (line.isCut) this.passOver(line);
    else if (this.open.length > 0) this.goOn(line);
    else if (line.text !== "") this.begin(line);
  }

  private passOver({ number, text }: Line): void {
    while (this.open.length > 0) this.giveUp();
    this.found.push({ kind: "too long", line: number, text });
  }

  private begin(line: Line): void {
    const cells = this.scan(line.text);
    if (cells === null) this.keep(line);
    else this.found.push({ kind: "record", line: line.number, cells });
  }

  private keep(line: Line): void {
    this.open.push(line);
    this.openChars += line.text.length + 1;
  }

  private goOn(line: Line): void {
    this.keep(line);
    // Without a quote in it, a line cannot close one.
    const cells = line.text.includes('"') ? this.scan(this.open.map(({ text }) => text).join("\n")) : null;
    if (cells !== null) {
      this.found.push({ kind: "record", line: this.open[0]?.number ?? line.number, cells });
      this.clear();
    } else if (this.open.length > MOST_ROW_LINES || this.openChars > MOST_ROW_CHARS) {
      this.giveUp();
    }
  }

  private giveUp(): void {
    const [first, ...rest] = this.open;
    this.clear();
    if (first === undefined) return;
    this.found.push({ kind: "never closed", line: first.number, text: first.text });
    for (const line of rest) this.take(line);
  }

  private clear(): void {
    this.open = [];
    this.openChars = 0;
  }
}

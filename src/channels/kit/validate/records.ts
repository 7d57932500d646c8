/**
 * Text to lines with their numbers, and lines to the records of a delimited file, where a quoted cell may span lines.
 * `scan` splits the text of a record, or returns null while a quote is open. A quote that is never closed affects its
 * own line only: the lines after it are read again.
 */
import { MAX_ROW_CHARS, MAX_ROW_LINES } from "./limits.ts";

/** Ends with LF or CRLF. Of a line longer than the limit only the beginning is kept. */
export type RecordLine = { readonly number: number; readonly text: string; readonly isCut: boolean };

export type RecordReader = { readonly push: (text: string) => void; readonly end: () => void };

export function lineReader(mostChars: number, onLine: (line: RecordLine) => void): RecordReader {
  let pieces: string[] = [];
  let chars = 0;
  let number = 0;

  function keep(piece: string): void {
    if (chars <= mostChars && piece !== "") pieces.push(piece);
    chars += piece.length;
  }

  function finish(): void {
    const text = pieces.length === 1 ? (pieces[0] ?? "") : pieces.join("");
    const isCut = chars > mostChars;
    pieces = [];
    chars = 0;
    number += 1;
    onLine({ number, text: text.endsWith("\r") ? text.slice(0, -1) : text, isCut });
  }

  return {
    push: (text) => {
      let start = 0;
      for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
        keep(text.slice(start, end));
        finish();
        start = end + 1;
      }
      keep(text.slice(start));
    },
    end: () => {
      if (chars > 0) finish();
    },
  };
}

export type RecordEvent<Cells> =
  | { readonly kind: "record"; readonly line: number; readonly cells: Cells }
  | { readonly kind: "never closed"; readonly line: number; readonly text: string }
  | { readonly kind: "too long"; readonly line: number; readonly text: string };

export function recordReader<Cells>(
  scan: (text: string) => Cells | null,
  onEvent: (event: RecordEvent<Cells>) => void,
): RecordReader {
  /** The lines of a record whose quote is still open. */
  let open: RecordLine[] = [];
  let openChars = 0;

  function takeLine(line: RecordLine): void {
    const { number, text, isCut } = line;
    if (isCut) {
      while (open.length > 0) giveUp();
      onEvent({ kind: "too long", line: number, text });
    } else if (open.length > 0 || text !== "") takeText(line);
  }

  function takeText(line: RecordLine): void {
    const first = open[0]?.number ?? line.number;
    open.push(line);
    openChars += line.text.length + 1;
    // Without a quote in it, a line cannot close one.
    const cells =
      open.length === 1 || line.text.includes('"') ? scan(open.map(({ text }) => text).join("\n")) : null;
    if (cells !== null) {
      clear();
      onEvent({ kind: "record", line: first, cells });
    } else if (open.length > MAX_ROW_LINES || (open.length > 1 && openChars > MAX_ROW_CHARS)) giveUp();
  }

  /** The quote is never closed: reports its line, and reads the lines after it again. */
  function giveUp(): void {
    const [first, ...rest] = open;
    clear();
    if (first === undefined) return;
    onEvent({ kind: "never closed", line: first.number, text: first.text });
    for (const line of rest) takeLine(line);
  }

  function clear(): void {
    open = [];
    openChars = 0;
  }

  const lines = lineReader(MAX_ROW_CHARS, takeLine);
  return {
    push: lines.push,
    end: () => {
      lines.end();
      while (open.length > 0) giveUp();
    },
  };
}

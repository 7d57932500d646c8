/**
 * Text to lines with their numbers. A line ends with LF or CRLF. Of a line longer than the limit only the beginning
 * is kept, and it says so; the next line is read as if nothing had happened.
 */
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

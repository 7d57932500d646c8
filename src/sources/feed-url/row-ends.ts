/** How a file of delimited text ends: with a line end, or inside a row that may have been cut off. */
import type { DelimitedRow } from "../../lib/formats/delimited.ts";
import type { TextReader } from "../../lib/formats/text-reader.ts";
import type { FileEnding } from "../source.ts";

/** A reader that also notices how the text ends. */
export function withEnding(reader: TextReader<DelimitedRow>) {
  let lastChar = "";
  let lastRow: DelimitedRow | undefined;
  let isBlank = true;
  const note = (rows: readonly DelimitedRow[]): readonly DelimitedRow[] => {
    const last = rows.findLast(({ cells }) => !cells.every(isEmpty));
    if (rows.length > 0) isBlank = last !== rows.at(-1);
    lastRow = last ?? lastRow;
    return rows;
  };
  return {
    push: (text: string): readonly DelimitedRow[] => {
      if (text !== "") lastChar = text.charAt(text.length - 1);
      return note(reader.push(text));
    },
    end: () => note(reader.end()),
    ending: (columns: number, shortRows: number): FileEnding => {
      const cells = lastRow?.cells ?? [];
      const hasLineEnd = lastChar === "\n" || lastChar === "\r" || isBlank;
      return { hasLineEnd, isInsideRow: cells.length < columns && shortRows === 1 };
    },
  };
}

export function isEmpty(cell: string): boolean {
  return cell.trim() === "";
}

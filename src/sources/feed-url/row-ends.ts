/** How rows and the file end: rows with too few cells, and a last row that may have been cut off. */
import { counted } from "../../lib/counted.ts";
import type { DelimitedRow } from "../../lib/formats/delimited.ts";
import type { TextReader } from "../../lib/formats/text-reader.ts";
import type { FileEnding, RecordResult } from "../source.ts";

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

export function countShortRows() {
  let count = 0;
  let firstLine = 0;
  return {
    count: () => count,
    add: (line: number): void => {
      count += 1;
      firstLine ||= line;
    },
    notes: (): RecordResult[] => {
      if (count === 0) return [];
      const message = `${counted(count, "row has", "rows have")} fewer cells than the header, the first on line ${firstLine}; the missing ones were read as empty.`;
      return [{ kind: "warning", code: "ragged_row", message }];
    },
  };
}

export function isEmpty(cell: string): boolean {
  return cell.trim() === "";
}

/**
 * One record by RFC 4180, strictly: a quote opens only at the beginning of a cell, is doubled inside, and closes at
 * the end of the cell. What breaks this is read as text and its column noted.
 */
export type CsvRecord = {
  readonly cells: readonly string[];
  readonly strayIn: readonly Stray[];
};

/**
 * A quote where none belongs, in a column counted from 0. `isInside`: in the middle of a value that is not in quotes,
 * as in `22" TV`, which can be read only one way.
 */
export type Stray = { readonly column: number; readonly isInside: boolean };

const NO_STRAY: readonly Stray[] = [];

/** Null when the text ends inside a quoted cell. */
export function scanCsv(text: string, delimiter: string): CsvRecord | null {
  if (!text.includes('"')) return { cells: text.split(delimiter), strayIn: NO_STRAY };
  const cells: string[] = [];
  const strayIn: Stray[] = [];
  for (let at = 0; at <= text.length; ) {
    const cell = text.charAt(at) === '"' ? quotedCell(text, at, delimiter) : plainCell(text, at, delimiter);
    if (cell === null) return null;
    if (cell.stray !== null) strayIn.push({ column: cells.length, isInside: cell.stray === "inside" });
    cells.push(cell.value);
    at = cell.end + 1;
  }
  return { cells, strayIn };
}

/** `end` is where the delimiter stands, or the length of the text. */
type Cell = { readonly value: string; readonly end: number; readonly stray: "inside" | "after" | null };

function plainCell(text: string, start: number, delimiter: string): Cell {
  const end = endOf(text, start, delimiter);
  const value = text.slice(start, end);
  return { value, end, stray: value.includes('"') ? "inside" : null };
}

function quotedCell(text: string, start: number, delimiter: string): Cell | null {
  let close = text.indexOf('"', start + 1);
  while (close !== -1 && text.charAt(close + 1) === '"') close = text.indexOf('"', close + 2);
  if (close === -1) return null;
  const value = text.slice(start + 1, close).replaceAll('""', '"');
  const end = endOf(text, close + 1, delimiter);
  const rest = text.slice(close + 1, end);
  return { value: value + rest, end, stray: rest === "" ? null : "after" };
}

function endOf(text: string, start: number, delimiter: string): number {
  const end = text.indexOf(delimiter, start);
  return end === -1 ? text.length : end;
}

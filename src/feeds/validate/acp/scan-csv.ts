/**
 * One record by RFC 4180, strictly: a quote opens only at the beginning of a cell, is doubled inside, and closes at
 * the end of the cell. What breaks this is read as text and its column noted.
 */
export type CsvRecord = {
  readonly cells: readonly string[];
  /** The columns, from 0, with a quote where none may be. */
  readonly strayIn: readonly number[];
};

const NO_STRAY: readonly number[] = [];

/** Null when the text ends inside a quoted cell. */
export function scanCsv(text: string, delimiter: string): CsvRecord | null {
  if (!text.includes('"')) return { cells: text.split(delimiter), strayIn: NO_STRAY };
  const cells: string[] = [];
  const strayIn: number[] = [];
  for (let at = 0; at <= text.length; ) {
    const cell = text.charAt(at) === '"' ? quotedCell(text, at, delimiter) : plainCell(text, at, delimiter);
    if (cell === null) return null;
    if (cell.isStray) strayIn.push(cells.length);
    cells.push(cell.value);
    at = cell.end + 1;
  }
  return { cells, strayIn };
}

/** `end` is where the delimiter stands, or the length of the text. */
type Cell = { readonly value: string; readonly end: number; readonly isStray: boolean };

function plainCell(text: string, start: number, delimiter: string): Cell {
  const end = endOf(text, start, delimiter);
  const value = text.slice(start, end);
  return { value, end, isStray: value.includes('"') };
}

function quotedCell(text: string, start: number, delimiter: string): Cell | null {
  let close = text.indexOf('"', start + 1);
  while (close !== -1 && text.charAt(close + 1) === '"') close = text.indexOf('"', close + 2);
  if (close === -1) return null;
  const value = text.slice(start + 1, close).replaceAll('""', '"');
  const end = endOf(text, close + 1, delimiter);
  const rest = text.slice(close + 1, end);
  return { value: value + rest, end, isStray: rest !== "" };
}

function endOf(text: string, start: number, delimiter: string): number {
  const end = text.indexOf(delimiter, start);
  return end === -1 ? text.length : end;
}

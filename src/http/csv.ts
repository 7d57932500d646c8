/** Tables for people: CSV as RFC 4180 has it, with cells that a spreadsheet would run as a formula made text. */
import { escapeFormula } from "../channels/channel.ts";
import { csvCell } from "../lib/formats/delimited.ts";

type CsvCell = string | number | null;

export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

/**
 * Only text can be a formula; a tab or a carriage return before it would hide the sign from us, not from a spreadsheet.
 */
function cellOf(cell: CsvCell): string {
  if (typeof cell !== "string") return cell === null ? "" : String(cell);
  const text = /^[\t\r]/.test(cell) ? `'${cell}` : escapeFormula(cell);
  return csvCell(text);
}

/** Headers of a table that is downloaded under this name. */
export const csvHeaders = (name: string): Readonly<Record<string, string>> => ({
  "content-type": "text/csv; charset=utf-8",
  "content-disposition": `attachment; filename="${name}"`,
});

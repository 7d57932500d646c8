/**
 * One record as Google reads it. A quote opens only at the beginning of a value, which is a cell, an entry of a list or
 * a sub-value of a group, spaces before it allowed; it is doubled inside; and after it the value ends. So how a cell is
 * read depends on its column. What breaks this is read as text and its column noted.
 */
import { RecordScanner, scanCells, type Scanned } from "../../kit/validate/delimited.ts";
import type { RowGroup } from "../../kit/validate/row.ts";
import type { CellKind } from "./attributes.ts";

/** A text, or the groups of sub-values of a list or group cell; a list's entries are groups of one. */
export type TsvCell = string | readonly (readonly string[])[];

const SEPARATORS = { list: "\t,", groups: "\t,:" } as const;

/** Null when the text ends inside a quoted value. Columns beyond the header's are texts. */
export function scanTsv(text: string, kinds: readonly CellKind[]): Scanned<TsvCell> | null {
  if (!text.includes('"')) return { cells: splitPlain(text, kinds), strayIn: [] };
  return scanCells(tsvScanner(text), (scanner, column) => readCell(scanner, kinds[column] ?? "text"));
}

const tsvScanner = (text: string): RecordScanner =>
  new RecordScanner(text, { delimiter: "\t", isPadded: true });

/** Most rows have no quote at all. */
function splitPlain(text: string, kinds: readonly CellKind[]): TsvCell[] {
  const cells: TsvCell[] = text.split("\t");
  for (const [column, kind] of kinds.entries()) {
    const cell = cells[column];
    if (kind === "text" || cell === undefined || cell === "" || typeof cell !== "string") continue;
    cells[column] = cell.split(",").map((entry) => (kind === "groups" ? entry.split(":") : [entry]));
  }
  return cells;
}

/**
 * The groups of a cell's text on its own, once the quotes around the whole cell are gone: what a writer that quotes
 * whole cells means by a list. Null when a quote in it is never closed.
 */
export function splitCell(
  text: string,
  kind: Exclude<CellKind, "text">,
): readonly (readonly string[])[] | null {
  const cell = readCell(tsvScanner(text.replaceAll("\t", " ")), kind);
  return typeof cell === "string" ? [] : cell;
}

/** The sub-values that are not empty, by the names of their parts. */
export function groupOf(parts: readonly string[], values: readonly string[]): RowGroup {
  const entries = parts.map((part, at) => [part, values[at]?.trim() ?? ""] as const);
  return new Map(entries.filter(([, value]) => value !== ""));
}

function readCell(scanner: RecordScanner, kind: CellKind): TsvCell | null {
  if (kind === "text") return scanner.value();
  if (isCellEnd(scanner.separator())) return "";
  const groups: string[][] = [[]];
  for (;;) {
    const value = scanner.value(SEPARATORS[kind]);
    if (value === null) return null;
    groups.at(-1)?.push(value);
    const separator = scanner.separator();
    if (isCellEnd(separator)) return groups;
    if (separator === ",") groups.push([]);
    scanner.next();
  }
}

const isCellEnd = (separator: string): boolean => separator === "" || separator === "\t";

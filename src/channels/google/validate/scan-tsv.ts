/**
 * One record as Google reads it. A quote opens only at the beginning of a value, which is a cell, an entry of a list
 * or a sub-value of a group, spaces before it allowed; it is doubled inside; and after it the value ends. So how a cell is
 * read depends on its column. What breaks this is read as text and its column noted.
 */
import type { Scanned, Stray } from "../../kit/validate/delimited.ts";
import type { Group } from "../../kit/validate/row.ts";
import type { CellKind } from "./attributes.ts";

/** A text, or the groups of sub-values of a list or group cell; a list's entries are groups of one. */
export type TsvCell = string | readonly (readonly string[])[];

const SEPARATORS: Readonly<Record<CellKind, string>> = { text: "\t", list: "\t,", groups: "\t,:" };

/** Null when the text ends inside a quoted value. Columns beyond the header's are texts. */
export function scanTsv(text: string, kinds: readonly CellKind[]): Scanned<TsvCell> | null {
  if (!text.includes('"')) return { cells: splitPlain(text, kinds), strayIn: [] };
  const scanner = new Scanner(text);
  const cells: TsvCell[] = [];
  const strayIn: Stray[] = [];
  do {
    scanner.stray = null;
    const cell = scanner.cell(kinds[cells.length] ?? "text");
    if (cell === null) return null;
    if (scanner.stray !== null) strayIn.push({ column: cells.length, isInside: scanner.stray === "inside" });
    cells.push(cell);
  } while (scanner.next());
  return { cells, strayIn };
}

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
  const cell = new Scanner(text.replaceAll("\t", " ")).cell(kind);
  return typeof cell === "string" ? [] : cell;
}

/** The sub-values that are not empty, by the names of their parts. */
export function groupOf(parts: readonly string[], values: readonly string[]): Group {
  const entries = parts.map((part, at) => [part, values[at]?.trim() ?? ""] as const);
  return new Map(entries.filter(([, value]) => value !== ""));
}

class Scanner {
  stray: "inside" | "after" | null = null;
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Steps over the tab; false at the end of the record. */
  next(): boolean {
    if (this.at >= this.text.length) return false;
    this.at += 1;
    return true;
  }

  cell(kind: CellKind): TsvCell | null {
    const separators = SEPARATORS[kind];
    if (kind === "text") return this.value(separators);
    if (this.at >= this.text.length || this.text.charAt(this.at) === "\t") return "";
    const groups: string[][] = [[]];
    for (;;) {
      const value = this.value(separators);
      if (value === null) return null;
      groups.at(-1)?.push(value);
      const separator = this.text.charAt(this.at);
      if (separator === "" || separator === "\t") return groups;
      if (separator === ",") groups.push([]);
      this.at += 1;
    }
  }

  private value(separators: string): string | null {
    let start = this.at;
    while (this.text.charAt(start) === " ") start += 1;
    return this.text.charAt(start) === '"' ? this.quoted(start, separators) : this.plain(separators);
  }

  private plain(separators: string): string {
    const value = this.upTo(separators);
    if (value.includes('"')) this.stray ??= "inside";
    return value;
  }

  private quoted(start: number, separators: string): string | null {
    let close = this.text.indexOf('"', start + 1);
    while (close !== -1 && this.text.charAt(close + 1) === '"') close = this.text.indexOf('"', close + 2);
    if (close === -1) return null;
    this.at = close + 1;
    const rest = this.upTo(separators);
    if (rest.trim() !== "") this.stray = "after";
    return this.text.slice(start + 1, close).replaceAll('""', '"') + rest.trimEnd();
  }

  private upTo(separators: string): string {
    const start = this.at;
    if (separators === "\t") {
      const tab = this.text.indexOf("\t", start);
      this.at = tab === -1 ? this.text.length : tab;
      return this.text.slice(start, this.at);
    }
    while (this.at < this.text.length && !separators.includes(this.text.charAt(this.at))) this.at += 1;
    return this.text.slice(start, this.at);
  }
}

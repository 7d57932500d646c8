/** What renderers share: a writer for files of rows, separators, and the escaping of formulas. */
import type { ItemGroup } from "../../catalog/item-group.ts";
import type { Exclusion, FeedWriter } from "../channel.ts";

type RowFile<Row> = {
  readonly head: () => string;
  readonly rows: (group: ItemGroup) => {
    readonly rows: readonly Row[];
    readonly excluded: readonly Exclusion[];
  };
  readonly write: (row: Row) => string;
  readonly tail?: string;
};

/** The writer of a file that has one text for each item. */
export function rowWriter<Row>({ head, rows: rowsOf, write, tail = "" }: RowFile<Row>): FeedWriter {
  return {
    head,
    group: (group) => {
      const { rows, excluded } = rowsOf(group);
      let text = "";
      for (const row of rows) text += write(row);
      return { text, written: rows.length, excluded };
    },
    tail: () => tail,
  };
}

/** What precedes each element of a list with one element per line: a comma, except before the first. */
export function elementSeparator(): () => string {
  let next = "\n";
  return () => {
    const separator = next;
    next = ",\n";
    return separator;
  };
}

/**
 * Spreadsheets run a cell that begins with `=`, `+`, `-` or `@` as a formula. Feeds are read by programs, for which an
 * apostrophe before it is a wrong value, so cells are escaped only with the catalog's setting `escapeFormulas`: for
 * files that people open.
 */
const CELL = /^("?)(?=[=+\-@])/;
/** Cells of a tab-separated line contain neither tabs nor line breaks. */
const CELLS = /(^|\t)("?)(?=[=+\-@])/gm;

export const escapeFormula = (cell: string): string => cell.replace(CELL, "$1'");

export const escapeFormulas = (tabSeparated: string): string => tabSeparated.replace(CELLS, "$1$2'");

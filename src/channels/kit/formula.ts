/**
 * Spreadsheets run a cell that begins with `=`, `+`, `-` or `@` as a formula. Feeds are read by machines, for which such
 * a cell is text and an apostrophe before it is a wrong value; so cells are left as they are, unless the catalog's
 * setting `escapeFormulas` asks for the apostrophe: for files that people open.
 */
const CELL = /^("?)(?=[=+\-@])/;
/** Cells of a tab-separated line hold neither tabs nor line breaks. */
const CELLS = /(^|\t)("?)(?=[=+\-@])/gm;

export const escapeFormula = (cell: string): string => cell.replace(CELL, "$1'");

export const escapeFormulas = (tabSeparated: string): string => tabSeparated.replace(CELLS, "$1$2'");

/**
 * How Google reads a cell of a tab-separated file. Quotes protect one value, not the whole cell: inside lists and
 * groups each value is quoted alone. Tabs and line breaks are folded to a space, so that every item stays on one
 * line and a quote is the only thing that forces quoting of a plain cell. Google takes line breaks in quotes, but only
 * while the data source has quoted fields switched on; without them a line break would break the row, whereas a
 * quote affects one cell.
 *
 * The patterns name few characters on purpose: V8 looks for those sixteen at a time. With `\p{Cc}` a description of
 * 500 characters took 950 ns instead of 55.
 */
const IN_TEXT = /["\t-\r\u0085\u2028\u2029]/;
const IN_LIST = /[",\t-\r\u0085\u2028\u2029]/;
const IN_GROUP = /[":,\t-\r\u0085\u2028\u2029]/;
const FOLDED = /[\t-\r\u0085\u2028\u2029]+/g;

/** Line breaks and tabs as one space. */
export function foldLineBreaks(text: string): string {
  return text.replace(FOLDED, " ");
}

function protect(text: string, separators: RegExp): string {
  const line = foldLineBreaks(text);
  return separators.test(line) ? `"${line.replaceAll('"', '""')}"` : line;
}

/** A cell with one value: commas and colons stay as they are. */
export function textCell(text: string): string {
  return IN_TEXT.test(text) ? protect(text, IN_TEXT) : text;
}

export function listCell(values: readonly string[]): string | undefined {
  let cell: string | undefined;
  for (const value of values) {
    const safe = IN_LIST.test(value) ? protect(value, IN_LIST) : value;
    cell = cell === undefined ? safe : `${cell},${safe}`;
  }
  return cell;
}

/** The sub-values of one group, in the order of the field's parts. */
export type GroupValue = readonly (string | number | undefined)[];

/** Writes one group of sub-values; an absent sub-value keeps its position. */
export function groupCell(values: GroupValue): string {
  let cell = "";
  let gap = "";
  for (const value of values) {
    cell += gap;
    gap = ":";
    if (value !== undefined) cell += typeof value === "string" ? subValue(value) : value;
  }
  return cell;
}

function subValue(value: string): string {
  return IN_GROUP.test(value) ? protect(value, IN_GROUP) : value;
}

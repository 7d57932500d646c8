/**
 * `gmc.tsv`: one line an item, UTF-8 without a byte order mark, LF line ends. The header always has all columns: a file
 * is written in one pass, so it is not known yet which columns stay empty.
 */
import { type FeedContext, type FeedWriter, escapeFormulas, rowWriter } from "../channel.ts";
import { type Field, namesOf } from "../kit/field-table.ts";
import type { Variant } from "../kit/variants.ts";
import { groupCell, type GroupValue, listCell, textCell } from "./cell.ts";
import { type Column, COLUMNS, type GoogleRow, googleRows, type RowContext } from "./rows.ts";
import { GOOGLE_FIELD_TABLE } from "./fields.ts";

function heading(name: string, { parts }: Field): string {
  return parts === undefined ? name : `${name}(${parts.join(":")})`;
}

const HEADER = `${namesOf(GOOGLE_FIELD_TABLE.fields)
  .map((name) => heading(name, GOOGLE_FIELD_TABLE.fields[name]))
  .join("\t")}\n`;

type Cell = (variant: Variant, context: RowContext) => string | undefined;

function cellOf(column: Column): Cell {
  const { shape, read } = column;
  if (shape === "list") return (variant, context) => optional(read(variant, context), listCell);
  if (shape === "groups") return (variant, context) => optional(read(variant, context), groupCells);
  if (column.isPlain) return read;
  return (variant, context) => optional(read(variant, context), textCell);
}

function optional<Value>(
  value: Value | undefined,
  write: (value: Value) => string | undefined,
): string | undefined {
  return value === undefined ? undefined : write(value);
}

function groupCells(groups: readonly GroupValue[]): string {
  return groups.map(groupCell).join(",");
}

const CELLS = COLUMNS.map(cellOf);

function line({ variant, context }: GoogleRow): string {
  let text = "";
  let gap = "";
  for (const cell of CELLS) {
    const value = cell(variant, context);
    text += gap;
    gap = "\t";
    if (value !== undefined) text += value;
  }
  return `${text}\n`;
}

export function openGoogleTsv(context: FeedContext): FeedWriter {
  const isEscaped = context.settings.escapeFormulas ?? false;
  return rowWriter({
    head: () => HEADER,
    rows: (group) => googleRows(group, context),
    write: (row) => (isEscaped ? escapeFormulas(line(row)) : line(row)),
  });
}

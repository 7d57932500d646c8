/**
 * `gmc.tsv`: one line an item, UTF-8 without a byte order mark, LF line ends. The header always has all columns: a file
 * is written in one pass, so it is not known yet which columns stay empty.
 */
import type { GoogleValue, GoogleValues } from "../../catalog/google-attributes.ts";
import type { ItemGroup } from "../../catalog/item-group.ts";
import type { FeedContext, FeedWriter, Piece } from "../channel.ts";
import { type Field, namesOf } from "../kit/field-table.ts";
import { escapeFormulas } from "../kit/formula.ts";
import type { Variant } from "../kit/variants.ts";
import { groupCell, type GroupValue, listCell, textCell } from "./cell.ts";
import { type Column, groupsOf, OWN_COLUMNS, PASSED_COLUMNS } from "./columns.ts";
import { GOOGLE_FIELD_TABLE } from "./fields.ts";
import { googleRows } from "./rows.ts";
import type { RowContext } from "./values.ts";

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

const CELLS = OWN_COLUMNS.map(cellOf);

/** Most items have none of the passed attributes. */
const NO_PASSED_CELLS = "\t".repeat(PASSED_COLUMNS.length);

function passedCells(values: GoogleValues | undefined): string {
  if (values === undefined) return NO_PASSED_CELLS;
  let text = "";
  for (const { name, parts } of PASSED_COLUMNS) {
    const value = values[name];
    text += value === undefined ? "\t" : `\t${passedCell(value, parts)}`;
  }
  return text;
}

function passedCell(value: GoogleValue, parts: readonly string[]): string {
  if (typeof value === "string") return textCell(value);
  if (parts.length > 0) return groupCells(groupsOf(value, parts));
  return listCell(value.filter((text) => typeof text === "string")) ?? "";
}

function line(variant: Variant, context: RowContext): string {
  let text = "";
  let gap = "";
  for (const cell of CELLS) {
    const value = cell(variant, context);
    text += gap;
    gap = "\t";
    if (value !== undefined) text += value;
  }
  return `${text}${passedCells(variant.item.google)}\n`;
}

export function openGoogleTsv(context: FeedContext): FeedWriter {
  const isEscaped = context.settings.escapeFormulas ?? false;
  return {
    head: () => HEADER,
    group: (group: ItemGroup): Piece => {
      const { carried, excluded, rowContext } = googleRows(group, context);
      let text = "";
      for (const variant of carried) text += line(variant, rowContext);
      return { text: isEscaped ? escapeFormulas(text) : text, written: carried.length, excluded };
    },
    tail: () => "",
  };
}

/**
 * `gmc.tsv`: one line an item, UTF-8 without a byte order mark, LF line ends. The header always has all columns: a file
 * is written in one pass, so it is not known yet which columns stay empty.
 */
import { type FeedContext, type FeedWriter, escapeFormulas, rowWriter } from "../channel.ts";
import { type Field, namesOf } from "../kit/field-table.ts";
import type { Variant } from "../kit/variants.ts";
import { memoizeLast } from "../../lib/memoize.ts";
import { groupCell, type GroupValue, listCell, textCell } from "./cell.ts";
import { type ColumnReader, COLUMNS, type GoogleRow, googleRows, type RowContext } from "./rows.ts";
import { PASSED_FIELDS } from "./passed-fields.ts";
import { GOOGLE_FIELD_TABLE } from "./fields.ts";

function heading(name: string, { parts }: Field): string {
  return parts === undefined ? name : `${name}(${parts.join(":")})`;
}

const HEADER = `${namesOf(GOOGLE_FIELD_TABLE.fields)
  .map((name) => heading(name, GOOGLE_FIELD_TABLE.fields[name]))
  .join("\t")}\n`;

type TsvCellReader = (variant: Variant, context: RowContext) => string | undefined;

/** Memoized, because the variants of a group share many texts. */
function cellOf(column: ColumnReader): TsvCellReader {
  const { shape } = column;
  if (shape === "list") {
    const { read } = column;
    return (variant, context) => {
      const values = read(variant, context);
      return values === undefined ? undefined : listCell(values);
    };
  }
  if (shape === "groups") {
    const { read } = column;
    return (variant, context) => {
      const groups = read(variant, context);
      return groups === undefined ? undefined : groupCells(groups);
    };
  }
  const { read, isPlain } = column;
  if (isPlain) return read;
  const cell = memoizeLast(textCell);
  return (variant, context) => {
    const text = read(variant, context);
    return text === undefined ? undefined : cell(text);
  };
}

function groupCells(groups: readonly GroupValue[]): string {
  return groups.map(groupCell).join(",");
}

/** The columns that are passed through from the source are the last ones; most items have none of them. */
const FIRST_PASSED = COLUMNS.findIndex(({ name }) => name in PASSED_FIELDS);
const CELLS = COLUMNS.map(cellOf);
/** The tabs of so many columns. */
const TABS = [...CELLS.keys(), CELLS.length].map((count) => "\t".repeat(count));

function line({ variant, context }: GoogleRow): string {
  const end = variant.item.google === undefined ? FIRST_PASSED : CELLS.length;
  let text = "";
  let written = 0;
  for (let column = 0; column < end; column++) {
    const cell = CELLS[column]?.(variant, context);
    if (cell === undefined) continue;
    text += `${TABS[column - written]}${cell}`;
    written = column;
  }
  return `${text}${TABS[CELLS.length - 1 - written]}\n`;
}

export function openGoogleTsv(context: FeedContext): FeedWriter {
  const isEscaped = context.settings.escapeFormulas ?? false;
  return rowWriter({
    head: () => HEADER,
    rows: (group) => googleRows(group, context),
    write: (row) => (isEscaped ? escapeFormulas(line(row)) : line(row)),
  });
}

/**
 * A delimited file of one item a row. The first row that is not blank names the columns. A row with more cells than
 * columns is unreadable, because nobody can tell which cell is the extra one; missing cells at the end are empty.
 */
import { type DelimitedRow, delimitedReader } from "../../lib/formats/delimited.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { columnNotes } from "../product-record/column-notes.ts";
import { type ColumnPlan, planColumns } from "../product-record/columns.ts";
import { readHeader } from "../product-record/header.ts";
import type { Reading } from "../product-record/reading.ts";
import type { FeedLimits } from "./limits.ts";
import { type MakeRowMapper, oneItemPerRow, type RowMapper } from "./row-mapper.ts";
import { type FeedReader, missingFields, notProducts } from "./feed-reader.ts";

const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  ",": "commas",
  ";": "semicolons",
  "\t": "tabs",
  "|": "pipes",
};

export function delimitedFeed(
  delimiter: string,
  limits: FeedLimits,
  makeMapper: MakeRowMapper = oneItemPerRow,
): FeedReader {
  const rows = delimitedReader({ delimiter, ...limits });
  const format = `text separated by ${DELIMITER_NAMES[delimiter] ?? delimiter}`;
  const shortRows = countShortRows();
  let names: readonly string[] = [];
  let plan: ColumnPlan | null = null;
  let mapper: RowMapper | null = null;

  function begin(row: DelimitedRow): void {
    names = headerNames(row, limits.maxColumns);
    const headers = names.map(readHeader);
    plan = planColumns(headers);
    mapper = makeMapper(plan, headers);
    const missing = missingFields(plan.has, false);
    if (missing !== null) throw notProducts(format, names, `no column looks like the items' ${missing}`);
  }

  function read(row: DelimitedRow): readonly Reading[] {
    if (isBlank(row)) return [];
    if (mapper !== null) return readRow(row, mapper);
    if (!isSeparatorNote(row)) begin(row);
    return [];
  }

  function readRow({ cells, line }: DelimitedRow, { row }: RowMapper): readonly Reading[] {
    if (cells.length < names.length) shortRows.add(line);
    if (cells.length <= names.length || cells.slice(names.length).every(isEmpty)) return row(cells, line);
    const message = `The row on line ${line} has ${cells.length} cells for ${names.length} columns.`;
    return [{ kind: "unreadable", itemId: plan?.map(cells).id ?? null, message }];
  }

  return {
    format,
    columns: () => names,
    has: (field) => plan?.has(field) ?? false,
    push: (text) => rows.push(text).flatMap(read),
    end: () => [
      ...rows.end().flatMap(read),
      ...(mapper?.end() ?? []),
      ...shortRows.notes(),
      // A mapper for a shop's own export knows columns that the alias tables do not.
      ...(makeMapper === oneItemPerRow ? columnNotes(names) : []),
    ],
  };
}

/** The names of the columns; nameless ones at the end are no columns. */
function headerNames({ cells }: DelimitedRow, maxColumns: number): readonly string[] {
  const names = cells.slice(0, cells.findLastIndex((cell) => !isEmpty(cell)) + 1);
  if (names.length <= maxColumns) return names;
  throw new FormatError("too_large", `The header has ${names.length} columns; ${maxColumns} are allowed.`);
}

function countShortRows() {
  let count = 0;
  let firstLine = 0;
  return {
    add: (line: number): void => {
      count += 1;
      firstLine ||= line;
    },
    notes: (): Reading[] => {
      if (count === 0) return [];
      const message = `${count} rows have fewer cells than the header, the first on line ${firstLine}; the missing ones were read as empty.`;
      return [{ kind: "note", code: "ragged_row", message }];
    },
  };
}

/** `sep=;` on the first line is a note to Excel. */
export function isSeparatorNote({ cells }: DelimitedRow): boolean {
  return cells[0]?.toLowerCase().startsWith("sep=") === true;
}

function isBlank({ cells }: DelimitedRow): boolean {
  return cells.every(isEmpty);
}

function isEmpty(cell: string): boolean {
  return cell.trim() === "";
}

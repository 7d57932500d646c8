/**
 * Delimited text. The first row that is not blank is the header, except below the instructions of a template. A row with more cells than columns is rejected, because
 * it is unknown which cell is the extra one; missing cells at the end are empty. Without a dialect each row is one item.
 */
import { counted } from "../../lib/counted.ts";
import { delimitedReader, type DelimitedRow } from "../../lib/formats/delimited.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import type { TextReader } from "../../lib/formats/text-reader.ts";
import type { ColumnPlan } from "../product-record/columns.ts";
import {
  fileColumnNotes,
  type FileColumns,
  missingColumnNotes,
  missingNames,
  NO_COLUMN_SETTINGS,
  planFile,
  unusedColumnNotes,
} from "../product-record/column-settings.ts";
import { namesShown } from "../product-record/aliases.ts";
import type { FileEnding, RecordResult } from "../source.ts";
import { AppError } from "../../errors.ts";
import { type CellsMapper, type DialectPass, dialectMapper, oneItemPerRow } from "./delimited-mapper.ts";
import { type Dialect, dialectNames } from "./dialects/dialect.ts";
import type { FeedLimits } from "./limits.ts";
import type { FileSeen } from "./suggestion.ts";
import { type FeedReader, missingFields, type Needs, notProducts } from "./feed-reader.ts";

const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  ",": "commas",
  ";": "semicolons",
  "\t": "tabs",
  "|": "pipes",
};

export type DelimitedFeedOptions = Pick<Needs, "mayChangeFields"> & {
  /** What the merchant set for the columns of this source. */
  readonly columns?: FileColumns;
  readonly pass?: DialectPass;
  /** How many rows above the header are instructions. */
  readonly instructionRows?: number;
};

export function delimitedFeed(
  delimiter: string,
  limits: FeedLimits,
  options: DelimitedFeedOptions = {},
): FeedReader {
  const { columns = NO_COLUMN_SETTINGS, pass, instructionRows = 0, mayChangeFields = false } = options;
  const dialect = pass?.dialect;
  const rows = withEnding(delimitedReader({ delimiter, ...limits, isPadded: dialect?.isPadded === true }));
  const format = dialect?.name ?? `text separated by ${DELIMITER_NAMES[delimiter] ?? delimiter}`;
  const shortRows = countShortRows();
  let names: readonly string[] = [];
  let plan: ColumnPlan | null = null;
  let mapper: CellsMapper | null = null;
  let skipped = 0;

  function begin(row: DelimitedRow): void {
    names = headerNames(row, limits.maxColumns);
    checkTemplate(names, columns);
    plan = planFile(names, columns, dialect && dialectNames(dialect));
    mapper = pass === undefined ? oneItemPerRow(plan) : dialectMapper(pass, names, plan);
    checkFields(format, { columns: names, has: plan.has, mapping: columns.mapping }, mayChangeFields);
  }

  function read(row: DelimitedRow): readonly RecordResult[] {
    if (row.cells.every(isEmpty) || (mapper === null && isSeparatorLine(row))) return [];
    if (mapper !== null) return readRow(row, mapper);
    if (skipped < instructionRows) skipped += 1;
    else begin(row);
    return [];
  }

  function readRow({ cells, line }: DelimitedRow, { row }: CellsMapper): readonly RecordResult[] {
    if (cells.length < names.length) shortRows.add(line);
    if (cells.length <= names.length || cells.slice(names.length).every(isEmpty)) return row(cells, line);
    return [tooManyCells({ cells, line }, names.length, plan?.map(cells).id)];
  }

  return {
    format,
    isDialect: dialect !== undefined,
    columns: () => names,
    has: (field) => plan?.has(field) ?? false,
    settings: columns,
    ending: () => rows.ending(names.length, shortRows.count()),
    push: (text) => resultsOf(rows.push(text), read),
    end: () => [
      ...resultsOf(rows.end(), read),
      ...(mapper?.end?.() ?? []),
      ...shortRows.notes(),
      ...instructionNotes(skipped),
      ...headerNotes(names, columns, { pass, unread: mapper?.unread?.() }),
    ],
  };
}

function checkFields(format: string, seen: FileSeen, mayChangeFields: boolean): void {
  const missing = missingFields(seen.has, { mayChangeFields });
  if (missing !== null) throw notProducts(format, seen, `it has no column for ${missing}`);
}

function tooManyCells({ cells, line }: DelimitedRow, columns: number, id: string | undefined): RecordResult {
  const message = `The row on line ${line} has ${counted(cells.length, "cell")} for ${counted(columns, "column")}. Put cells that contain the delimiter or a quote in quotes.`;
  return { kind: "unreadable", itemId: id ?? null, message };
}

/** The same as `flatMap`, which takes twice as long. */
function resultsOf(
  rows: readonly DelimitedRow[],
  read: (row: DelimitedRow) => readonly RecordResult[],
): RecordResult[] {
  const results: RecordResult[] = [];
  for (const row of rows) for (const result of read(row)) results.push(result);
  return results;
}

/** A dialect reads columns that the alias tables do not know, so what it has not read is found out while it reads. */
function headerNotes(
  names: readonly string[],
  columns: FileColumns,
  {
    pass,
    unread = [],
  }: { readonly pass: DialectPass | undefined; readonly unread?: readonly string[] | undefined },
): readonly RecordResult[] {
  if (pass === undefined) return fileColumnNotes(names, columns);
  const { dialect, isLast } = pass;
  if (!isLast) return [];
  const unused =
    dialect.translation === undefined
      ? unusedColumnNotes(unread, columns, dialectNames(dialect))
      : untranslatedNotes(names, dialect);
  return [...unused, ...missingColumnNotes(names, columns)];
}

/** Columns of a translated export whose names are not known. */
function untranslatedNotes(names: readonly string[], dialect: Dialect | undefined): RecordResult[] {
  const unknown =
    dialect?.translation === undefined ? [] : names.filter((name) => !dialect.translation?.isKnown(name));
  if (unknown.length === 0) return [];
  const message = `The column names are translated, and these are not known: ${namesShown(unknown)}. If an item needs them, set columns to say what they are, or export with the shop's language set to English.`;
  return [{ kind: "warning", code: "unmapped_column", message }];
}

/** A template whose columns are not there would reject every row. */
function checkTemplate(names: readonly string[], { linkTemplate }: FileColumns): void {
  const [missing] = missingNames(names, { mapping: new Map(), linkTemplate });
  if (missing === undefined) return;
  const message = `link_template names {${missing}}, which the file does not have. Columns found: ${namesShown(names)}.`;
  throw new AppError("source_settings_invalid", message, {
    fields: [{ pointer: "/settings/link_template", detail: `The file has no column "${missing}".` }],
  });
}

/** The names of the columns, without empty ones at the end. */
function headerNames({ cells }: DelimitedRow, maxColumns: number): readonly string[] {
  const names = cells.slice(0, cells.findLastIndex((cell) => !isEmpty(cell)) + 1);
  if (names.length <= maxColumns) return names;
  const message = `The header has ${names.length} columns; at most ${maxColumns} are allowed.`;
  throw new FormatError("too_large", message);
}

/** A reader that also notices how the text ends. */
function withEnding(reader: TextReader<DelimitedRow>) {
  let lastChar = "";
  let lastRow: DelimitedRow | undefined;
  let isBlank = true;
  const note = (rows: readonly DelimitedRow[]): readonly DelimitedRow[] => {
    const last = rows.findLast(({ cells }) => !cells.every(isEmpty));
    if (rows.length > 0) isBlank = last !== rows.at(-1);
    lastRow = last ?? lastRow;
    return rows;
  };
  return {
    push: (text: string): readonly DelimitedRow[] => {
      if (text !== "") lastChar = text.charAt(text.length - 1);
      return note(reader.push(text));
    },
    end: () => note(reader.end()),
    ending: (columns: number, shortRows: number): FileEnding => {
      const cells = lastRow?.cells ?? [];
      const hasLineEnd = lastChar === "\n" || lastChar === "\r" || isBlank;
      return { hasLineEnd, isInsideRow: cells.length < columns && shortRows === 1 };
    },
  };
}

function countShortRows() {
  let count = 0;
  let firstLine = 0;
  return {
    count: () => count,
    add: (line: number): void => {
      count += 1;
      firstLine ||= line;
    },
    notes: (): RecordResult[] => {
      if (count === 0) return [];
      const message = `${counted(count, "row has", "rows have")} fewer cells than the header, the first on line ${firstLine}; the missing ones were read as empty.`;
      return [{ kind: "warning", code: "ragged_row", message }];
    },
  };
}

function instructionNotes(count: number): RecordResult[] {
  if (count === 0) return [];
  const message = `${counted(count, "row above the column names was", "rows above the column names were")} skipped as the instructions of a template.`;
  return [{ kind: "warning", code: "source_note", message }];
}

/** `sep=;` on the first line is for Excel. */
export function isSeparatorLine({ cells }: DelimitedRow): boolean {
  return cells[0]?.toLowerCase().startsWith("sep=") === true;
}

function isEmpty(cell: string): boolean {
  return cell.trim() === "";
}

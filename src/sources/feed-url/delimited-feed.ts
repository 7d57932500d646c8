/**
 * Delimited text. The first row that is not blank is the header. A row with more cells than columns is rejected, because
 * it is unknown which cell is the extra one; missing cells at the end are empty.
 */
import { counted } from "../../lib/counted.ts";
import { type DelimitedRow, delimitedReader } from "../../lib/formats/delimited.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { fileColumnNotes, missingColumnNotes } from "../product-record/file-columns.ts";
import type { ColumnPlan } from "../product-record/columns.ts";
import {
  type FileColumns,
  missingNames,
  NO_COLUMN_SETTINGS,
  planFile,
} from "../product-record/file-columns.ts";
import { type ReadName, readHeader } from "../product-record/header.ts";
import { namesShown, type Reading } from "../product-record/reading.ts";
import { AppError } from "../../errors.ts";
import type { Dialect } from "./dialects/dialect.ts";
import type { FeedLimits } from "./limits.ts";
import { type MakeRowMapper, oneItemPerRow, type RowMapper } from "./row-mapper.ts";
import { type FeedReader, missingFields, type Needs, notProducts } from "./feed-reader.ts";
import type { FileSeen } from "./suggestion.ts";

const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  ",": "commas",
  ";": "semicolons",
  "\t": "tabs",
  "|": "pipes",
};

export type DelimitedFeedOptions = Pick<Needs, "mayChangeFields"> & {
  /** What the merchant set for the columns of this source. */
  readonly columns?: FileColumns;
  readonly makeMapper?: MakeRowMapper;
  /** The shop system whose export this is, where it is one. */
  readonly dialect?: Dialect;
};

export function delimitedFeed(
  delimiter: string,
  limits: FeedLimits,
  options: DelimitedFeedOptions = {},
): FeedReader {
  const { columns = NO_COLUMN_SETTINGS, makeMapper = oneItemPerRow, dialect } = options;
  const rows = delimitedReader({ delimiter, ...limits, isPadded: dialect?.isPadded === true });
  const format = dialect?.name ?? `text separated by ${DELIMITER_NAMES[delimiter] ?? delimiter}`;
  const shortRows = countShortRows();
  let names: readonly string[] = [];
  let plan: ColumnPlan | null = null;
  let mapper: RowMapper | null = null;

  function begin(row: DelimitedRow): void {
    names = headerNames(row, limits.maxColumns);
    checkTemplate(names, columns);
    plan = planFile(names, columns, namesOf(dialect));
    mapper = makeMapper(plan, names.map(dialect?.translation?.readName ?? readHeader));
    checkProducts(format, { columns: names, has: plan.has, mapping: columns.mapping }, options);
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
    const message = `The row on line ${line} has ${counted(cells.length, "cell")} for ${counted(names.length, "column")}. Put cells that contain the delimiter or a quote in quotes.`;
    return [{ kind: "unreadable", itemId: plan?.map(cells).id ?? null, message }];
  }

  return {
    format,
    isDialect: makeMapper !== oneItemPerRow,
    columns: () => names,
    has: (field) => plan?.has(field) ?? false,
    settings: columns,
    push: (text) => rows.push(text).flatMap(read),
    end: () => [
      ...rows.end().flatMap(read),
      ...(mapper?.end() ?? []),
      ...shortRows.notes(),
      // A mapper for a shop's own export knows columns that the alias tables do not.
      ...(makeMapper === oneItemPerRow
        ? fileColumnNotes(names, columns)
        : missingColumnNotes(names, columns)),
      ...untranslatedNotes(names, dialect),
    ],
  };
}

/** How a dialect's names are read: those that feed no field have no name. */
function namesOf(dialect: Dialect | undefined): ReadName {
  const columns = dialect?.columns;
  if (columns === undefined) return dialect?.translation?.readName ?? readHeader;
  return (raw) => {
    const header = readHeader(raw);
    return { ...header, name: columns(header.name) ?? "" };
  };
}

/** Columns of a translated export whose names are not known. */
function untranslatedNotes(names: readonly string[], dialect: Dialect | undefined): Reading[] {
  const unknown =
    dialect?.translation === undefined ? [] : names.filter((name) => !dialect.translation?.isKnown(name));
  if (unknown.length === 0) return [];
  const message = `The column names are translated, and these are not known: ${namesShown(unknown)}. If an item needs them, set columns to say what they are, or export with the shop's language set to English.`;
  return [{ kind: "note", code: "unmapped_column", message }];
}

function checkProducts(format: string, seen: FileSeen, { mayChangeFields = false }: Needs): void {
  const missing = missingFields(seen.has, { mayChangeFields });
  if (missing !== null) throw notProducts(format, seen, `it has no column for ${missing}`);
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

/** The names of the columns; nameless ones at the end are no columns. */
function headerNames({ cells }: DelimitedRow, maxColumns: number): readonly string[] {
  const names = cells.slice(0, cells.findLastIndex((cell) => !isEmpty(cell)) + 1);
  if (names.length <= maxColumns) return names;
  throw new FormatError(
    "too_large",
    `The header has ${names.length} columns; at most ${maxColumns} are allowed.`,
  );
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
      const message = `${counted(count, "row has", "rows have")} fewer cells than the header, the first on line ${firstLine}; the missing ones were read as empty.`;
      return [{ kind: "note", code: "ragged_row", message }];
    },
  };
}

/** `sep=;` on the first line tells Excel the delimiter. */
export function isSeparatorNote({ cells }: DelimitedRow): boolean {
  return cells[0]?.toLowerCase().startsWith("sep=") === true;
}

function isBlank({ cells }: DelimitedRow): boolean {
  return cells.every(isEmpty);
}

function isEmpty(cell: string): boolean {
  return cell.trim() === "";
}

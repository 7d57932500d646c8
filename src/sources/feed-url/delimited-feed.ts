/**
 * Delimited text. The first row that is not blank is the header, except below the instructions of a template. A row
 * with more cells than columns is rejected, because it is unknown which cell is the extra one; so is one with fewer
 * cells, unless only empty ones at the end are missing (`short-rows.ts`). Without a dialect each row is one item.
 */
import { counted } from "../../lib/counted.ts";
import { delimitedReader, type DelimitedRow } from "../../lib/formats/delimited.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import type { ColumnPlan } from "../product-record/columns.ts";
import {
  fileColumnNotes,
  type FileColumnSettings,
  missingColumnNotes,
  missingNames,
  NO_COLUMN_SETTINGS,
  planFile,
  unusedColumnNotes,
} from "../product-record/column-settings.ts";
import { isKnownName, namesShown, readHeader } from "../product-record/aliases.ts";
import type { RecordResult } from "../source.ts";
import { trimmedText } from "../product-record/cells.ts";
import { firstRows } from "../product-record/first-rows.ts";
import { AppError } from "../../errors.ts";
import { type CellsMapper, type DialectPass, dialectMapper, oneItemPerRow } from "./delimited-mapper.ts";
import { type Dialect, dialectNames } from "./dialects/dialect.ts";
import { isEmpty, withEnding } from "./row-ends.ts";
import { countShortRows, isValue, shortRowCheck, wrongLength } from "./short-rows.ts";
import type { FeedLimits } from "./limits.ts";
import { type SourceFeedReader, missingFields, type Needs, notProducts, seenBy } from "./feed-reader.ts";

const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  ",": "commas",
  ";": "semicolons",
  "\t": "tabs",
  "|": "pipes",
};

export type DelimitedFeedOptions = Pick<Needs, "mayChangeFields"> & {
  /** What the merchant set for the columns of this source. */
  readonly columns?: FileColumnSettings;
  readonly pass?: DialectPass;
  /** How many rows above the header are instructions. */
  readonly instructionRows?: number;
  /** The first rows below the header, which show what belongs to a column. */
  readonly rows?: readonly (readonly string[])[];
};

export function delimitedFeed(
  delimiter: string,
  limits: FeedLimits,
  options: DelimitedFeedOptions = {},
): SourceFeedReader {
  const { columns = NO_COLUMN_SETTINGS, pass, instructionRows = 0 } = options;
  const isLast = pass?.isLast !== false;
  const rows = withEnding(
    delimitedReader({ delimiter, ...limits, isPadded: pass?.dialect.isPadded === true }),
  );
  const format = pass?.dialect.name ?? `text separated by ${DELIMITER_NAMES[delimiter] ?? delimiter}`;
  const shortRows = countShortRows();
  const first = firstRows<string>();
  let header: DelimitedHeader | null = null;
  let skipped = 0;
  const names = () => header?.names ?? [];

  function read(row: DelimitedRow): readonly RecordResult[] {
    if (row.cells.every(isEmpty) || (header === null && isSeparatorLine(row))) return [];
    if (header === null) {
      if (skipped < instructionRows) skipped += 1;
      else header = readHeaderRow(row, limits, options);
      return [];
    }
    first.add(row.cells);
    if (header.missing === null) return readRow(row, header, { shortRows, isLast });
    if (first.isFull()) refuseUnfed(header, reader);
    return [];
  }

  const reader: SourceFeedReader = {
    format,
    isDialect: pass !== undefined,
    columns: names,
    valuesOf: (name) => first.valuesAt(names().indexOf(name), trimmedText),
    has: (field) => header?.plan.has(field) ?? false,
    settings: columns,
    ending: () => rows.ending(names().length, shortRows.count()),
    push: (text) => resultsOf(rows.push(text), read),
    end: () => {
      const last = resultsOf(rows.end(), read);
      refuseUnfed(header, reader);
      return [
        ...last,
        ...(header?.mapper.end?.() ?? []),
        ...(isLast ? shortRows.notes() : []),
        ...headerNotes(header, columns, { pass, skipped }),
      ];
    },
  };
  return reader;
}

/** The file is refused when enough rows for a suggestion were read. */
function refuseUnfed(header: DelimitedHeader | null, reader: SourceFeedReader): void {
  const { missing = null, names = [] } = header ?? {};
  if (missing === null) return;
  if (isFirstRowData(names)) throw withoutNames(reader.format, names);
  throw notProducts(reader.format, seenBy(reader), `it has no column for ${missing}`);
}

/** Whether the row of the names has more values than known names. */
function isFirstRowData(names: readonly string[]): boolean {
  const known = names.filter((name) => isKnownName(readHeader(name).name));
  return names.filter(isValue).length > known.length;
}

function withoutNames(format: string, names: readonly string[]): AppError {
  return new AppError(
    "source_not_a_feed",
    `The file seems to have no row of column names. It was read as ${format}, and this row as the names: ${namesShown(names)}. Add a first row with the names of the columns, such as id, title, link, price, or switch it on in the export.`,
  );
}

type DelimitedHeader = {
  readonly names: readonly string[];
  readonly plan: ColumnPlan;
  readonly mapper: CellsMapper;
  /** Whether a row with fewer cells than columns lacks only empty cells at its end. */
  readonly isShortRowReadable: (cells: readonly string[]) => boolean;
  /** What items need and no column feeds, in words. */
  readonly missing: string | null;
};

function readHeaderRow(
  row: DelimitedRow,
  { maxColumns }: FeedLimits,
  { columns = NO_COLUMN_SETTINGS, pass, mayChangeFields = false, rows = [] }: DelimitedFeedOptions,
): DelimitedHeader {
  const names = headerNames(row, maxColumns);
  checkTemplate(names, columns);
  const plan = planFile(names, columns, pass && dialectNames(pass.dialect));
  const mapper = pass === undefined ? oneItemPerRow(plan) : dialectMapper(pass, names, plan);
  const isShortRowReadable = shortRowCheck({ names, firstRows: rows, steps: plan.steps });
  const missing = missingFields(plan.has, { mayChangeFields });
  return { names, plan, mapper, isShortRowReadable, missing };
}

/** Whether it is certain which cell belongs to which column. */
function hasItsColumns({ cells }: DelimitedRow, { names, isShortRowReadable }: DelimitedHeader): boolean {
  return cells.length < names.length ? isShortRowReadable(cells) : cells.slice(names.length).every(isEmpty);
}

type DelimitedRowOptions = {
  readonly shortRows: ReturnType<typeof countShortRows>;
  readonly isLast: boolean;
};

function readRow(
  row: DelimitedRow,
  header: DelimitedHeader,
  { shortRows, isLast }: DelimitedRowOptions,
): readonly RecordResult[] {
  const isReadable = hasItsColumns(row, header);
  if (row.cells.length < header.names.length) shortRows.add(row.line, isReadable);
  if (isReadable) return header.mapper.row(row.cells, row.line);
  // The passes before the last one read the same rows, and must not reject them a second time.
  return isLast ? rejectRow(row, header) : [];
}

/** What follows a lost row may belong to it, so a dialect ends the product that it is reading. */
function rejectRow(row: DelimitedRow, { names, plan, mapper }: DelimitedHeader): readonly RecordResult[] {
  const message = wrongLength(row, names.length);
  return [
    ...(mapper.lose?.() ?? []),
    { kind: "unreadable", itemId: plan.map(row.cells).id ?? null, message },
  ];
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
  header: DelimitedHeader | null,
  columns: FileColumnSettings,
  { pass, skipped }: { readonly pass: DialectPass | undefined; readonly skipped: number },
): readonly RecordResult[] {
  const { names = [], mapper } = header ?? {};
  const instructions = instructionNotes(skipped);
  if (pass === undefined) return [...instructions, ...fileColumnNotes(names, columns)];
  const { dialect, isLast } = pass;
  if (!isLast) return instructions;
  const unused =
    dialect.translation === undefined
      ? unusedColumnNotes(mapper?.unread?.() ?? [], columns, dialectNames(dialect))
      : untranslatedNotes(names, dialect);
  return [...instructions, ...unused, ...missingColumnNotes(names, columns)];
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
function checkTemplate(names: readonly string[], { linkTemplate }: FileColumnSettings): void {
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

function instructionNotes(count: number): RecordResult[] {
  if (count === 0) return [];
  const message = `${counted(count, "row above the column names was", "rows above the column names were")} skipped as the instructions of a template.`;
  return [{ kind: "warning", code: "source_note", message }];
}

/** `sep=;` on the first line is for Excel. */
export function isSeparatorLine({ cells }: DelimitedRow): boolean {
  return cells[0]?.toLowerCase().startsWith("sep=") === true;
}

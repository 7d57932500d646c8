/**
 * Delimited text. The first row that is not blank is the header. A row with more cells than columns is rejected, because
 * it is unknown which cell is the extra one; missing cells at the end are empty. Without a dialect each row is one item.
 */
import { counted } from "../../lib/counted.ts";
import { delimitedReader, type DelimitedRow } from "../../lib/formats/delimited.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import type { Draft } from "../../catalog/draft.ts";
import type { ColumnPlan } from "../product-record/columns.ts";
import { columnsOfPrices, sourceTexts } from "../product-record/source-text.ts";
import {
  fileColumnNotes,
  type FileColumns,
  missingColumnNotes,
  missingNames,
  NO_COLUMN_SETTINGS,
  planFile,
} from "../product-record/column-settings.ts";
import { readHeader, type ReadName, namesShown } from "../product-record/aliases.ts";
import type { RecordResult, RowSource } from "../source.ts";
import { trimmedText } from "../product-record/cells.ts";
import { firstRows } from "../product-record/first-rows.ts";
import { AppError } from "../../errors.ts";
import type { Dialect, MakeRowMapper, RowMapper } from "./dialects/dialect.ts";
import { countShortRows, isEmpty, withEnding } from "./row-ends.ts";
import type { FeedLimits } from "./limits.ts";
import { type FeedReader, missingFields, type Needs, notProducts, seenBy } from "./feed-reader.ts";

const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  ",": "commas",
  ";": "semicolons",
  "\t": "tabs",
  "|": "pipes",
};

/** The shop system whose export this is, and how its rows become items in this pass over the file. */
export type DialectPass = { readonly dialect: Dialect; readonly makeMapper: MakeRowMapper };

export type DelimitedFeedOptions = Pick<Needs, "mayChangeFields"> & {
  /** What the merchant set for the columns of this source. */
  readonly columns?: FileColumns;
  readonly pass?: DialectPass;
};

export function delimitedFeed(
  delimiter: string,
  limits: FeedLimits,
  options: DelimitedFeedOptions = {},
): FeedReader {
  const { columns = NO_COLUMN_SETTINGS, pass } = options;
  const dialect = pass?.dialect;
  const rows = withEnding(delimitedReader({ delimiter, ...limits, isPadded: dialect?.isPadded === true }));
  const format = dialect?.name ?? `text separated by ${DELIMITER_NAMES[delimiter] ?? delimiter}`;
  const shortRows = countShortRows();
  const first = firstRows<string>();
  let header: Header | null = null;
  const names = () => header?.names ?? [];

  /** The file is refused when enough rows for a suggestion were read. */
  function refuseUnfed(): void {
    const missing = header?.missing ?? null;
    if (missing !== null) throw notProducts(format, seenBy(reader), `it has no column for ${missing}`);
  }

  function read(row: DelimitedRow): readonly RecordResult[] {
    if (row.cells.every(isEmpty)) return [];
    if (header === null) {
      if (!isSeparatorLine(row)) header = readHeaderRow(row, limits, options);
      return [];
    }
    first.add(row.cells);
    if (header.missing !== null) {
      if (first.isFull()) refuseUnfed();
      return [];
    }
    if (row.cells.length < header.names.length) shortRows.add(row.line);
    return readRow(row, header);
  }

  const reader: FeedReader = {
    format,
    isDialect: dialect !== undefined,
    columns: names,
    valuesOf: (name) => first.valuesAt(names().indexOf(name), trimmedText),
    has: (field) => header?.plan.has(field) ?? false,
    settings: columns,
    ending: () => rows.ending(names().length, shortRows.count()),
    push: (text) => resultsOf(rows.push(text), read),
    end: () => {
      const last = resultsOf(rows.end(), read);
      refuseUnfed();
      const rest = header?.mapper.end?.() ?? [];
      return [...last, ...rest, ...shortRows.notes(), ...headerNotes(names(), columns, dialect)];
    },
  };
  return reader;
}

type Header = {
  readonly names: readonly string[];
  readonly plan: ColumnPlan;
  readonly mapper: CellsMapper;
  /** What items need and no column feeds, in words. */
  readonly missing: string | null;
};

function readHeaderRow(
  row: DelimitedRow,
  { maxColumns }: FeedLimits,
  { columns = NO_COLUMN_SETTINGS, pass, mayChangeFields = false }: DelimitedFeedOptions,
): Header {
  const names = headerNames(row, maxColumns);
  checkTemplate(names, columns);
  const plan = planFile(names, columns, namesOf(pass?.dialect));
  const mapper = pass === undefined ? oneItemPerRow(plan) : dialectMapper(pass, names, plan);
  return { names, plan, mapper, missing: missingFields(plan.has, { mayChangeFields }) };
}

function readRow({ cells, line }: DelimitedRow, { names, plan, mapper }: Header): readonly RecordResult[] {
  if (cells.length <= names.length || cells.slice(names.length).every(isEmpty))
    return mapper.row(cells, line);
  const message = `The row on line ${line} has ${counted(cells.length, "cell")} for ${counted(names.length, "column")}. Put cells that contain the delimiter or a quote in quotes.`;
  return [{ kind: "unreadable", itemId: plan.map(cells).id ?? null, message }];
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

type CellsMapper = {
  readonly row: (cells: readonly string[], line: number) => readonly RecordResult[];
  readonly end?: RowMapper["end"];
};

function oneItemPerRow({ map, steps }: ColumnPlan): CellsMapper {
  const sourceText = sourceTexts(steps);
  const priceColumns = columnsOfPrices(steps);
  return {
    row: (cells) => {
      const text = sourceText(cells);
      return [
        text === undefined
          ? { kind: "draft", draft: map(cells) }
          : new LazyRow(text, cells, { map, priceColumns }),
      ];
    },
  };
}

/** A row whose columns are mapped only when its draft is needed. */
class LazyRow {
  readonly kind = "draft";
  readonly source: RowSource;
  private readonly cells: readonly string[];
  private readonly map: ColumnPlan["map"];
  private mapped: Draft | undefined;

  constructor(
    text: string,
    cells: readonly string[],
    { map, priceColumns }: Pick<ColumnPlan, "map"> & { readonly priceColumns: readonly number[] },
  ) {
    let chars = 0;
    for (const cell of cells) chars += cell.length;
    this.source = { text, chars, prices: priceColumns.map((column) => cells[column] ?? "") };
    this.cells = cells;
    this.map = map;
  }

  get draft(): Draft {
    this.mapped ??= this.map(this.cells);
    return this.mapped;
  }
}

function dialectMapper(
  { dialect, makeMapper }: DialectPass,
  header: readonly string[],
  { map, has }: ColumnPlan,
): CellsMapper {
  const names = header.map((name) => (dialect.translation?.readName ?? readHeader)(name).name);
  const columns = new Map((dialect.cellNames?.(names) ?? names).map((name, index) => [name, index]));
  const { row, end } = makeMapper({ names, has });
  const textAt = (cells: readonly string[], wanted: readonly string[]): string | undefined => {
    for (const name of wanted) {
      const text = trimmedText(cells[columns.get(name) ?? -1] ?? "");
      if (text !== undefined) return text;
    }
    return undefined;
  };
  return {
    row: (raw, line) => {
      const cells = dialect.unescape === undefined ? raw : raw.map(dialect.unescape);
      return row({ line, cells, at: (...wanted) => textAt(cells, wanted), readDraft: () => map(cells) });
    },
    ...(end !== undefined && { end }),
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

/** A dialect knows columns that the alias tables do not. */
const headerNotes = (
  names: readonly string[],
  columns: FileColumns,
  dialect: Dialect | undefined,
): readonly RecordResult[] =>
  dialect === undefined
    ? fileColumnNotes(names, columns)
    : [...missingColumnNotes(names, columns), ...untranslatedNotes(names, dialect)];

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

/** `sep=;` on the first line is for Excel. */
export function isSeparatorLine({ cells }: DelimitedRow): boolean {
  return cells[0]?.toLowerCase().startsWith("sep=") === true;
}

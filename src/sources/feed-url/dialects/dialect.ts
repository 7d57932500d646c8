/**
 * The product export of one shop system: recognized by its header, read by its own rules. To add one, write a file here
 * and add it to the registry. Most of the reading is a table of columns; what rows mean to each other (a parent and
 * its variants, a product and its images) is the row mapper's part.
 */
import type { Draft, TextField } from "../../../catalog/draft.ts";
import type { DecimalMark } from "../../../catalog/decimal.ts";
import {
  aliasNames,
  GROUP_ALIASES,
  readHeader,
  type ReadName,
  TEXT_ALIASES,
} from "../../product-record/aliases.ts";
import type { RecordResult } from "../../source.ts";
import type { FeedLimits } from "../limits.ts";

/** One row of the file. */
export type DialectRow = {
  readonly line: number;
  readonly cells: readonly string[];
  /** The text of the first of these columns that has one. */
  readonly at: (...names: readonly string[]) => string | undefined;
  /** What the table of columns reads from the row. */
  readonly readDraft: () => Draft;
};

/** Turns rows into items: an export may spread a product over several rows, or refer from one row to another. */
export type RowMapper = {
  /** What the row completes: an item, several, or none yet. */
  readonly row: (row: DialectRow) => readonly RecordResult[];
  readonly end?: () => readonly RecordResult[];
  /** A row could not be read. What follows it may belong to it, and must not be added to the product before it. */
  readonly lose?: () => readonly RecordResult[];
};

/** The columns of one file. */
export type FileHeader = {
  readonly names: readonly string[];
  /** Whether any column can feed the field. */
  readonly has: (field: TextField) => boolean;
};

export type MakeRowMapper = (header: FileHeader) => RowMapper;

export type DialectOptions = {
  readonly storeUrl: string | undefined;
  readonly limits: FeedLimits;
  /** A file that may be written and is removed with the rest of the spool. */
  readonly scratch: string;
};

export type OpenDialect = {
  /** The file is read once for each; only the last one gives items. */
  readonly passes: readonly MakeRowMapper[];
  readonly close: () => void;
};

/** The beginning of a file: its header as written, and the first rows. */
export type FileHead = {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

/** How the columns of an export are called in another language. */
export type Translation = {
  readonly readName: ReadName;
  /** Whether the column is one of the shop system's own. */
  readonly isKnown: (raw: string) => boolean;
};

export type Dialect = {
  /** As messages and the documentation call it. */
  readonly name: string;
  readonly matches: (names: ReadonlySet<string>) => boolean;
  /**
   * The alias name of an export's column; empty for columns that the row mapper reads, or that must fill no field;
   * undefined for columns that the dialect does not know. Without it, the alias tables read all columns.
   */
  readonly columns?: (name: string) => string | undefined;
  /** Where the prices of the file do not show it. */
  readonly decimalMark?: DecimalMark;
  /** Cells are padded with spaces, quoted ones too. */
  readonly isPadded?: boolean;
  /** Undoes what the export does to cells. */
  readonly unescape?: (cell: string) => string;
  /** The names by which `Row.at` finds columns, where they are not those of the header. */
  readonly cellNames?: (names: readonly string[]) => readonly string[];
  /** Reads the header of an export whose column names are translated; undefined when it is none. */
  readonly translate?: (head: FileHead) => Translation | undefined;
  /** Set where `translate` has recognized the file. */
  readonly translation?: Translation;
  readonly open: (options: DialectOptions) => OpenDialect;
};

/** A dialect whose rows can be read in one go. */
export function onePass(mapper: MakeRowMapper): OpenDialect {
  return { passes: [mapper], close: () => undefined };
}

/** Looks up columns in a table from their names to ours. `others` are those that no alias table may read. */
export function columnTable(
  table: Readonly<Record<string, string>>,
  others: RegExp | null = null,
  simplified: (name: string) => string = (name) => name,
): (name: string) => string | undefined {
  const targets = new Map(Object.entries(table));
  return (name) =>
    targets.get(name) ?? targets.get(simplified(name)) ?? (others?.test(name) === true ? "" : undefined);
}

/** Only the dialect says what names an item, what it costs and how variants differ. */
const DIALECT_FIELDS = ["id", "groupId", "sku", "price", "salePrice", "listPrice"] as const;
const DIALECT_NAMES: ReadonlySet<string> = new Set([
  ...DIALECT_FIELDS.flatMap((field) => aliasNames(TEXT_ALIASES[field] ?? "")),
  ...aliasNames(GROUP_ALIASES.options),
]);

/**
 * Names that a dialect's table does not have are read by the alias tables, where no column of the table feeds the
 * field.
 */
export function dialectNames({ columns, translation }: Pick<Dialect, "columns" | "translation">): ReadName {
  if (columns === undefined) return translation?.readName ?? readHeader;
  const read = translation?.readName ?? readHeader;
  return (raw) => {
    const header = read(raw);
    const own = columns(header.name);
    if (own !== undefined) return { ...header, name: own };
    // A name with a space is in no table, so the column is listed as unused.
    const name = DIALECT_NAMES.has(header.name) ? `not read: ${header.name}` : header.name;
    return { ...header, name, isGeneral: true };
  };
}

/** `name(en-gb)`, `name:en`: the columns of a language, without it. */
export function withoutLanguage(name: string): string {
  return name.replace(/_[a-z]{2}(?:_[a-z]{2})?$/, "");
}

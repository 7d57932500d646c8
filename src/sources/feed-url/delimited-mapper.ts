/** Rows of delimited text to results: one item for each row, or as the dialect of the file reads them. */
import type { Draft } from "../../catalog/draft.ts";
import { readHeader } from "../product-record/aliases.ts";
import { trimmedText } from "../product-record/cells.ts";
import type { ColumnPlan } from "../product-record/columns.ts";
import { columnsOfPrices, sourceTexts } from "../product-record/source-text.ts";
import type { RecordResult, RowSource } from "../source.ts";
import type { Dialect, MakeRowMapper, RowMapper } from "./dialects/dialect.ts";

/** The shop system whose export this is, and how its rows become items in this pass over the file. */
export type DialectPass = {
  readonly dialect: Dialect;
  readonly makeMapper: MakeRowMapper;
  /** The columns that this pass and those before it have asked for. */
  readonly asked: Set<number>;
  /** Whether the items come from this pass: those before it say nothing about columns. */
  readonly isLast: boolean;
};

export type CellsMapper = {
  readonly row: (cells: readonly string[], line: number) => readonly RecordResult[];
  readonly end?: RowMapper["end"];
  readonly lose?: RowMapper["lose"];
  /** The columns with values that the dialect has not asked for. */
  readonly unread?: () => readonly string[];
};

export function oneItemPerRow({ map, steps }: ColumnPlan): CellsMapper {
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

export function dialectMapper(
  { dialect, makeMapper, asked }: DialectPass,
  header: readonly string[],
  { map, has }: ColumnPlan,
): CellsMapper {
  const names = header.map((name) => (dialect.translation?.readName ?? readHeader)(name).name);
  const columns = new Map((dialect.cellNames?.(names) ?? names).map((name, index) => [name, index]));
  const { row, end, lose } = makeMapper({ names, has });
  let empty = [...header.keys()];
  const textAt = (cells: readonly string[], wanted: readonly string[]): string | undefined => {
    let found: string | undefined;
    for (const name of wanted) {
      const column = columns.get(name);
      if (column === undefined) continue;
      asked.add(column);
      found ??= trimmedText(cells[column] ?? "");
    }
    return found;
  };
  return {
    row: (raw, line) => {
      const cells = dialect.unescape === undefined ? raw : raw.map(dialect.unescape);
      empty = empty.filter((column) => (cells[column] ?? "").trim() === "");
      return row({ line, cells, at: (...wanted) => textAt(cells, wanted), readDraft: () => map(cells) });
    },
    ...(end !== undefined && { end }),
    ...(lose !== undefined && { lose }),
    unread: () => header.filter((_, column) => !asked.has(column) && !empty.includes(column)),
  };
}

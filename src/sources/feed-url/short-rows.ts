/**
 * Rows with fewer cells than the header. Spreadsheets and some exports leave out empty cells at the end of a row, which
 * is harmless. In a damaged file a cell in the middle is missing, and every value after it is in the column of another
 * one. So such a row is read only if its last value can belong to no column but its own: a value that was moved by the
 * missing cells would belong to one further right. What belongs to a column is shown by the first rows with all cells,
 * else by the name of the column. Where all rows lack the same number of cells, their last values together may prove
 * it: addresses, GTINs or flags under such a name, beside a column of other values.
 */
import { counted } from "../../lib/counted.ts";
import type { DelimitedRow } from "../../lib/formats/delimited.ts";
import { fold } from "../product-record/aliases.ts";
import type { CellStep } from "../product-record/source-text.ts";
import type { RecordResult } from "../source.ts";
import { isEmpty } from "./row-ends.ts";

/** With fewer complete rows, a column without values may have some in other rows. */
const MIN_COMPLETE_ROWS = 10;

type Kind = "address" | "flag" | "integer" | "code" | "decimal" | "money" | "token" | "text";

const KINDS: readonly (readonly [kind: Kind, pattern: RegExp])[] = [
  ["address", /^(?:https?:)?\/\/\S|^\/\S*$|^www\./i],
  ["flag", /^(?:true|false|yes|no)$/i],
  ["code", /^\d{8,14}$/],
  ["integer", /^[-+]?\d{1,7}$/],
  ["decimal", /^[-+]?\d[\d.,' \u00a0]*$/],
  ["money", /^[^\d\s]{1,5}\s?\d[\d.,' \u00a0]*$|^\d[\d.,' \u00a0]*[^\d\s]{1,5}$/],
  ["token", /^(?=\D*\d)\S+$/],
];

const kindOf = (value: string): Kind => KINDS.find(([, pattern]) => pattern.test(value))?.[0] ?? "text";

const VALUES: ReadonlySet<Kind> = new Set(["address", "code", "decimal", "money", "integer"]);

/** Whether the text is an address or a number, which no name of a column is. */
export const isValue = (text: string): boolean => VALUES.has(kindOf(text.trim()));

type ColumnValues = { readonly kinds: ReadonlySet<Kind>; readonly values: ReadonlySet<string> };

const NUMBERS: readonly Kind[] = ["integer", "decimal", "money"];
const KINDS_OF_FIELDS: readonly (readonly [key: RegExp, kinds: readonly Kind[]])[] = [
  [/^(?:price|salePrice|listPrice|current price|cost) /, NUMBERS],
  [/^(?:link|image|mobileLink|additionalImages) /, ["address"]],
  [/^quantity /, ["integer"]],
  [/^gtin /, ["code"]],
  [
    /^(?:title|description|brand|color|material|gender|condition|availability|categories) /,
    ["text", "token"],
  ],
];
const ANY_KIND: readonly Kind[] = ["text", ...KINDS.map(([kind]) => kind)];

/** The kinds of values that a column has by its name. */
function kindsByName(column: number, steps: readonly CellStep[]): readonly Kind[] {
  const keys = steps.flatMap(({ inputs }) =>
    inputs.filter((input) => input.column === column).map(({ key }) => key),
  );
  return KINDS_OF_FIELDS.find(([pattern]) => keys.some((key) => pattern.test(key)))?.[1] ?? ANY_KIND;
}

export type ShortRowOptions = {
  readonly names: readonly string[];
  /** The first rows of the file, of any length. */
  readonly firstRows: readonly (readonly string[])[];
  readonly steps: readonly CellStep[];
};

const FLAG_NAME =
  /^(?:status|active|enabled|visible|published|displayed|online|aktiv|actif|activo|attivo|etat|estado|stato)(?:_|$)/;
const FLAG_VALUE = /^(?:0|1|true|false|yes|no|enabled|disabled|active|inactive|online|offline)$/i;

/** The kinds that hardly any other column has. */
const SPECIFIC: readonly Kind[] = ["address", "code"];

/** The length of all rows, if they lack the same cells at the end; else undefined. */
function commonLength({ names, firstRows, steps }: ShortRowOptions): number | undefined {
  const [length = 0] = firstRows.map((cells) => cells.length);
  const isSame = firstRows.every((cells) => cells.length === length);
  if (firstRows.length < MIN_COMPLETE_ROWS || length < 2 || length >= names.length || !isSame)
    return undefined;
  const last = length - 1;
  const valuesAt = (column: number) => firstRows.map((cells) => cells[column]?.trim() ?? "");
  const belongs = valueTestOf(names[last] ?? "", kindsByName(last, steps));
  // Values that were moved would be like those of the column before, and a value of the column before would be the last
  // one of some rows.
  const isOwn = valuesAt(last).every(belongs) && !valuesAt(last - 1).every(belongs);
  return isOwn ? length : undefined;
}

/** Tests whether a value can belong to a column of this name and of these kinds, and to hardly any other column. */
function valueTestOf(name: string, kinds: readonly Kind[]): (value: string) => boolean {
  if (FLAG_NAME.test(fold(name))) return (value) => FLAG_VALUE.test(value);
  const [kind] = kinds;
  if (kinds.length !== 1 || kind === undefined || !SPECIFIC.includes(kind)) return () => false;
  return (value) => kindOf(value) === kind;
}

/** Decides which short rows are complete up to their last value. */
export function shortRowCheck(options: ShortRowOptions) {
  const { names, firstRows, steps } = options;
  const columns = names.length;
  const common = commonLength(options);
  const complete = firstRows.filter((cells) => cells.length >= columns);
  const known = new Map<number, ColumnValues>();

  function valuesOf(column: number): ColumnValues {
    const before = known.get(column);
    if (before !== undefined) return before;
    const values = new Set(
      complete.map((cells) => cells[column]?.trim() ?? "").filter((cell) => cell !== ""),
    );
    const isShown = values.size > 0 || complete.length >= MIN_COMPLETE_ROWS;
    const kinds = new Set(isShown ? [...values].map(kindOf) : kindsByName(column, steps));
    known.set(column, { kinds, values });
    return { kinds, values };
  }

  function mayHave(column: number, value: string): boolean {
    const { kinds, values } = valuesOf(column);
    const kind = kindOf(value);
    return values.has(value) || kinds.has(kind) || (kind === "integer" && kinds.has("decimal"));
  }

  return (cells: readonly string[]): boolean => {
    if (cells.length === common) return true;
    const last = cells.findLastIndex((cell) => !isEmpty(cell));
    const value = cells[last]?.trim() ?? "";
    const isRepeated = kindOf(value) === "text" && valuesOf(last).values.has(value);
    const mayBelongTo = (column: number): boolean =>
      isRepeated ? valuesOf(column).values.has(value) : mayHave(column, value);
    const moves = Array.from({ length: columns - cells.length }, (_, index) => last + index + 1);
    return mayHave(last, value) && !moves.some(mayBelongTo);
  };
}

/** The sentence for a row whose cells cannot be assigned to columns. */
export function wrongLength({ cells, line }: DelimitedRow, columns: number): string {
  const found = `The row on line ${line} has ${counted(cells.length, "cell")} for ${counted(columns, "column")}`;
  return cells.length > columns
    ? `${found}. Put cells that contain the delimiter or a quote in quotes.`
    : `${found}, and its values may be in the wrong columns. Export the file again, or write empty cells too.`;
}

export function countShortRows() {
  let count = 0;
  let rejected = 0;
  let firstLine = 0;
  return {
    count: () => count,
    add: (line: number, isRead: boolean): void => {
      count += 1;
      if (!isRead) rejected += 1;
      firstLine ||= line;
    },
    notes: (): RecordResult[] => {
      if (count === 0) return [];
      const parts = [
        `${counted(count, "row has", "rows have")} fewer cells than the header, the first on line ${firstLine}.`,
        ...(count > rejected ? ["Missing cells at the end were read as empty."] : []),
        ...(rejected > 0
          ? [
              `${counted(rejected, "row is", "rows are")} rejected, because a missing cell in the middle would put the values after it in the wrong columns.`,
            ]
          : []),
      ];
      return [{ kind: "warning", code: "ragged_row", message: parts.join(" ") }];
    },
  };
}

/**
 * The cells that a row's draft is made of, as one text: rows with the same text have the same draft, even if the
 * columns of their files differ. A sync recognizes a row by it without mapping its columns.
 */
import type { Draft } from "../../catalog/draft.ts";
import type { Header } from "./aliases.ts";
import { textOf, type CellValue } from "./cells.ts";

/** Reads some cells into the draft. If all of them are empty, it changes nothing. */
export type CellStep = {
  readonly inputs: readonly CellInput[];
  readonly run: (draft: Draft, cells: readonly (CellValue | undefined)[]) => void;
};

/**
 * A column, and a key for what the step does with it, which no other input of the plan has. It includes everything
 * about the columns before it, even empty ones, that changes what this one does.
 */
export type CellInput = { readonly column: number; readonly key: string };

/** The inputs of a step that asks its columns in this order. */
export function inputsOf(key: string, columns: readonly number[]): readonly CellInput[] {
  return columns.map((column, index) => ({ column, key: `${key} ${index}` }));
}

/** For steps that read cells by more than the name of the column. */
export function headerKey(header: Header | undefined): string {
  return header === undefined ? "" : [header.name, header.unit, ...header.parts].join(":");
}

/**
 * Undefined for a row without an id, whose id may depend on other rows (`item-ids.ts`); without a title, because files
 * of such rows are refused (`events.ts`); and with the character NUL.
 */
export type SourceText = (cells: readonly string[]) => string | undefined;

export function sourceTexts(steps: readonly CellStep[]): SourceText {
  const inputs = steps.flatMap((step) => step.inputs);
  const columns = [...Map.groupBy(inputs, ({ column }) => column)].map(([column, of]) => ({
    column,
    key: JSON.stringify(of.map(({ key }) => key)),
  }));
  const required = [ID_KEY, TITLE_KEY].map((pattern) => inputs.filter(({ key }) => pattern.test(key)));
  return (cells) => {
    const hasText = ({ column }: CellInput): boolean => textOf(cells[column] ?? "") !== undefined;
    if (!required.every((any) => any.some(hasText))) return undefined;
    const texts: string[] = [];
    for (const { column, key } of columns) {
      const cell = cells[column];
      if (cell === undefined || cell === "") continue;
      if (cell.includes(SEPARATOR)) return undefined;
      texts.push(key, cell);
    }
    return texts.join(SEPARATOR);
  };
}

/** Joining takes half as long as JSON. */
const SEPARATOR = "\0";

/** The columns whose cells may become a price of the draft. */
export function columnsOfPrices(steps: readonly CellStep[]): readonly number[] {
  const inputs = steps.flatMap((step) => step.inputs).filter(({ key }) => PRICE_KEY.test(key));
  return [...new Set(inputs.map(({ column }) => column))];
}

const PRICE_KEY = /^(?:price|salePrice|listPrice|current price) \d/;
const ID_KEY = /^id \d/;
const TITLE_KEY = /^title \d/;

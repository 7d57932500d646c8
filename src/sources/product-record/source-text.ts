/**
 * The cells that a row's draft is made of, as one text: rows with the same text have the same draft, even if the columns of their
 * files differ. A sync recognizes a row by it without mapping its columns.
 */
import type { Draft } from "../../catalog/draft.ts";
import type { Header } from "./aliases.ts";
import { textOf, type Value } from "./cells.ts";

/** Reads some cells into the draft. Empty ones change nothing. */
export type Step = {
  readonly inputs: readonly Input[];
  readonly run: (draft: Draft, cells: readonly (Value | undefined)[]) => void;
};

/** A column, and a name for all that the step does with it, which no other input of the plan has. */
export type Input = { readonly column: number; readonly key: string };

/** The inputs of a step that asks its columns in this order. */
export function inputsOf(key: string, columns: readonly number[]): readonly Input[] {
  return columns.map((column, index) => ({ column, key: `${key} ${index}` }));
}

/** For steps that read cells by more than the name of the column. */
export function headerKey(header: Header | undefined): string {
  return header === undefined ? "" : [header.name, header.unit, ...header.parts].join(":");
}

/** Undefined for a row without an id or a title of its own: other rows decide about its id, and such rows are counted. Also for a row with NUL. */
export type SourceText = (cells: readonly string[]) => string | undefined;

export function sourceTexts(steps: readonly Step[]): SourceText {
  const inputs = steps.flatMap((step) => step.inputs);
  const columns = [...Map.groupBy(inputs, ({ column }) => column)].map(([column, of]) => ({
    column,
    key: JSON.stringify(of.map(({ key }) => key)),
  }));
  const required = [ID_KEY, TITLE_KEY].map((pattern) => inputs.filter(({ key }) => pattern.test(key)));
  return (cells) => {
    const hasText = ({ column }: Input): boolean => textOf(cells[column] ?? "") !== undefined;
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

const ID_KEY = /^id \d/;
const TITLE_KEY = /^title \d/;

/**
 * How rows become items. Mostly one row is one item; the exports of shop systems spread a product over several rows
 * or refer from one row to another, and have a mapper of their own.
 */
import type { ColumnPlan } from "../product-record/columns.ts";
import type { Header } from "../product-record/header.ts";
import type { Reading } from "../product-record/reading.ts";
import { cleanText } from "../product-record/value.ts";

export type RowMapper = {
  /** What the row completes: an item, several, or none yet. */
  readonly row: (cells: readonly string[], line: number) => readonly Reading[];
  readonly end: () => readonly Reading[];
};

export type MakeRowMapper = (plan: ColumnPlan, headers: readonly Header[]) => RowMapper;

export const oneItemPerRow: MakeRowMapper = ({ map }) => ({
  row: (cells) => [{ kind: "draft", draft: map(cells) }],
  end: () => [],
});

/** Reads cells by the names of their columns; the first name that has a text wins. */
export type CellReader = (cells: readonly string[], ...names: readonly string[]) => string | undefined;

export function cellReader(headers: readonly Header[]): CellReader {
  const columns = new Map(headers.map(({ name }, index) => [name, index]));
  return (cells, ...names) => {
    for (const name of names) {
      const text = cleanText(cells[columns.get(name) ?? -1] ?? "");
      if (text !== undefined) return text;
    }
    return undefined;
  };
}

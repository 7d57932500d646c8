/** The first rows of a file, kept so that suggestions can show and check values of a column. */

const MAX_ROWS = 50;
/** Suggestions show less, and longer texts are no prices or ids. */
const MAX_VALUE_CHARS = 200;

export function firstRows<Cell>() {
  const rows: (readonly Cell[])[] = [];
  return {
    isFull: (): boolean => rows.length >= MAX_ROWS,
    add: (cells: readonly Cell[]): void => {
      if (rows.length < MAX_ROWS) rows.push(cells);
    },
    /** The values of a column that have a text. */
    valuesAt: (column: number | undefined, textOf: (cell: Cell) => string | undefined): readonly string[] =>
      rows.flatMap((cells) => {
        const cell = cells[column ?? -1];
        const text = cell === undefined ? undefined : textOf(cell);
        return text === undefined || text === "" ? [] : [text.slice(0, MAX_VALUE_CHARS)];
      }),
  };
}

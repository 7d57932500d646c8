/** Columns of options and details: pairs of a name and a value, and columns that the merchant mapped. */
import { type Header, OPTION_NAME, OPTION_VALUE } from "./aliases.ts";
import { textOf } from "./cells.ts";
import { addPart } from "./groups.ts";
import { inputsOf, type CellStep } from "./source-text.ts";

function numberOf(pattern: RegExp, { name }: Header): string | undefined {
  return pattern
    .exec(name)
    ?.slice(1)
    .find((number) => number !== undefined);
}

/** Options in pairs of columns, read only if no column has all of them. */
export function optionSteps(headers: readonly Header[]): CellStep[] {
  const pairs = [...headers.entries()].flatMap(([nameColumn, header]) => {
    const number = numberOf(OPTION_NAME, header);
    if (number === undefined) return [];
    const valueColumn = headers.findIndex((other) => numberOf(OPTION_VALUE, other) === number);
    return valueColumn === -1 ? [] : [{ nameColumn, valueColumn }];
  });
  if (pairs.length === 0) return [];
  const columns = pairs.flatMap(({ nameColumn, valueColumn }) => [nameColumn, valueColumn]);
  return [
    {
      inputs: inputsOf("option pair", columns),
      run: (draft, cells) => {
        if (draft.options !== undefined) return;
        const found = pairs.flatMap(({ nameColumn, valueColumn }) => {
          const name = textOf(cells[nameColumn] ?? "");
          const value = textOf(cells[valueColumn] ?? "");
          return name === undefined || value === undefined ? [] : [{ name, value }];
        });
        if (found.length > 0) draft.options = found;
      },
    },
  ];
}

/** Columns that the merchant mapped to an option or a detail; the column's own name is its name. */
export function namedSteps(
  headers: readonly Header[],
  prefix: string,
  field: "options" | "details",
): CellStep[] {
  const columns = [...headers.keys()].filter((column) => headers[column]?.name.startsWith(prefix));
  return columns.map((column, index) => {
    const name = headers[column]?.name.slice(prefix.length) ?? "";
    return {
      inputs: [{ column, key: `${field} named ${index} ${name}` }],
      run: (draft, cells) => {
        const value = textOf(cells[column] ?? "");
        if (value !== undefined) addPart(draft, { [field]: [{ name, value }] });
      },
    };
  });
}

/** The columns of `gmc.tsv` that carry what a source gives for Google alone. Values are in Google's form already. */
import {
  GOOGLE_COLUMNS,
  GOOGLE_TABLE,
  type GoogleValue,
  type GoogleValues,
} from "../../catalog/google-attributes.ts";
import { groupCell, listCell, textCell } from "./cell.ts";

type Column = { readonly name: (typeof GOOGLE_COLUMNS)[number]; readonly parts: readonly string[] };

const COLUMNS: readonly Column[] = GOOGLE_COLUMNS.map((name) => {
  const attribute = GOOGLE_TABLE[name];
  return { name, parts: attribute.shape === "groups" ? Object.keys(attribute.parts) : [] };
});

/** Most items have none of these attributes. */
const NO_CELLS = "\t".repeat(COLUMNS.length);

/** The cells with a tab before each. */
export function googleCells(values: GoogleValues | undefined): string {
  if (values === undefined) return NO_CELLS;
  let text = "";
  for (const { name, parts } of COLUMNS) {
    const value = values[name];
    text += value === undefined ? "\t" : `\t${cell(value, parts)}`;
  }
  return text;
}

function cell(value: GoogleValue, parts: readonly string[]): string {
  if (typeof value === "string") return textCell(value);
  if (parts.length === 0) return listCell(value.filter((text) => typeof text === "string")) ?? "";
  return value
    .map((group) =>
      typeof group === "string" ? textCell(group) : groupCell(parts.map((part) => group[part])),
    )
    .join(",");
}

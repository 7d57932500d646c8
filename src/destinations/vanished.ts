/**
 * Rows of items that were removed from a catalog. OpenAI is said to keep the last state of a row that merely disappears
 * for up to 14 days, so a removed item may stay visible as in stock. Therefore its last row is sent again for some
 * days, as out of stock and not eligible for search.
 */
import type { FileFormat } from "../contract/destinations.ts";
import { csvCell } from "../lib/formats/delimited.ts";
import { TextSet } from "../lib/text-table.ts";
import { FORMATS } from "./formats.ts";
import { jsonLines } from "./rows.ts";

/** Returns whether the format has rows of OpenAI, one for each item. */
export function keepsVanished(format: FileFormat): boolean {
  return FORMATS[format].file.startsWith("acp") && !["whole", "acp-products"].includes(FORMATS[format].rows);
}

/** The id is the first value of every row. */
const ID = /^\{"item_id":("(?:[^"\\]|\\.)*")/;

const idOf = (line: string): string => JSON.parse(ID.exec(line)?.[1] ?? '""') as string;

/** The lines of `acp.json`, with their ids. */
export async function* rowsOf(
  document: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly id: string; readonly line: string }> {
  for await (const { bytes } of jsonLines(document)) {
    for (const line of bytes.toString("utf8").split("\n")) if (line !== "") yield { id: idOf(line), line };
  }
}

export async function idsOf(document: AsyncIterable<Uint8Array>): Promise<TextSet> {
  const ids = new TextSet();
  for await (const { id } of rowsOf(document)) ids.add(id);
  return ids;
}

/** Changes the row to the form that is sent when the item was removed. */
export function asGone(line: string): string {
  const row = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const gone = { availability: "out_of_stock", is_eligible_search: false, is_eligible_checkout: false };
  return JSON.stringify({ ...row, ...gone, ...("is_ads_eligible" in row && { is_ads_eligible: false }) });
}

/** The names in the header of `acp.csv`, which need no quotes. */
export const columnsOf = (header: Buffer): readonly string[] => header.toString("utf8").trimEnd().split(",");

/** Writes a row of `acp.json` as a row of `acp.csv`. */
export function csvRow(columns: readonly string[], row: string): string {
  const values = JSON.parse(row) as Readonly<Record<string, RowValue>>;
  return `${columns.map((name) => cellOf(values[name])).join(",")}\n`;
}

type RowValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>> | undefined;

function cellOf(value: RowValue): string {
  if (value === undefined) return "";
  if (typeof value === "object" && !Array.isArray(value)) return csvCell(JSON.stringify(value));
  return csvCell(Array.isArray(value) ? value.join(",") : `${value}`);
}

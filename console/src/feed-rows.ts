/** Reads the beginning of a hosted file and splits it into rows. */
import type { FeedFileName } from "../../src/contract/feeds.ts";
import { delimitedReader } from "../../src/lib/formats/delimited.ts";
import { Problem } from "./api.ts";

const MAX_BYTES = 64 * 1024;
const MAX_ROWS = 25;

export type Beginning = { readonly text: string; readonly isWhole: boolean };

/**
 * Reads from the server of the console: the public address of the feeds may be another one, which the content security
 * policy forbids, and the path is the same.
 */
export async function readBeginning(url: string, signal: AbortSignal): Promise<Beginning> {
  const path = /\/f\/[^/]+\/[^/]+\/[^/]+$/.exec(new URL(url).pathname)?.[0] ?? "";
  const response = await fetch(path, {
    cache: "no-cache",
    // Not a fetch by a destination.
    headers: { "x-shelfwire-console": "1" },
    signal,
  });
  if (!response.ok || !response.body)
    throw new Problem(response.status, (await response.json().catch(() => ({}))) as object);
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let [text, length] = ["", 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), isWhole: true };
    length += value.length;
    text += decoder.decode(value, { stream: true });
    if (length < MAX_BYTES) continue;
    await reader.cancel();
    return { text: text.slice(0, MAX_BYTES), isWhole: false };
  }
}

export type FeedRows = {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Columns that no shown row has a value in. */
  readonly emptyColumns: number;
  /** The column with the id of the item; -1 if there is none. */
  readonly idColumn: number;
};

const ID_COLUMNS = ["item_id", "id", "productID"];

export function splitRows(file: FeedFileName, beginning: Beginning): FeedRows {
  const [columns = [], ...rows] = file.endsWith(".json")
    ? objectRows(beginning)
    : delimitedRows(beginning, file.endsWith(".tsv") ? "\t" : ",");
  const used = columns.map((_, i) => rows.some((row) => (row[i] ?? "") !== ""));
  const pick = (row: readonly string[]) =>
    columns.flatMap((_, i) => (used[i] === true ? [row[i] ?? ""] : []));
  const names = pick(columns);
  return {
    columns: names,
    rows: rows.map(pick),
    emptyColumns: columns.length - names.length,
    idColumn: names.findIndex((name) => ID_COLUMNS.includes(name)),
  };
}

/** The header and the first rows. A row that the end of the text cuts is left out. */
function delimitedRows({ text, isWhole }: Beginning, delimiter: string): (readonly string[])[] {
  const reader = delimitedReader({ delimiter, maxFieldChars: Infinity, maxRowChars: Infinity });
  const rows = [...reader.push(text), ...(isWhole ? reader.end() : [])];
  return rows.slice(0, MAX_ROWS + 1).map(({ cells }) => cells);
}

/** The JSON files have one object in each line. Nodes that are no products are left out. */
function objectRows({ text }: Beginning): string[][] {
  const objects = text
    .split("\n")
    .slice(1)
    .flatMap((line) => parseLine(line.replace(/,$/, "")))
    .flatMap(variantsOf)
    .filter((object) => ID_COLUMNS.some((name) => name in object))
    .slice(0, MAX_ROWS);
  const columns = [...new Set(objects.flatMap(Object.keys))];
  columns.sort((a, b) => Number(ID_COLUMNS.includes(b)) - Number(ID_COLUMNS.includes(a)));
  return [columns, ...objects.map((object) => columns.map((name) => textOf(object[name])))];
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);

type JsonObject = Readonly<Record<string, unknown>>;

/** A group of `jsonld.json` contains its items. */
function variantsOf(object: JsonObject): readonly JsonObject[] {
  const { hasVariant: variants, productGroupID } = object;
  return Array.isArray(variants)
    ? variants.map((variant: JsonObject) => ({ ...variant, productGroupID }))
    : [object];
}

function parseLine(line: string): JsonObject[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? [value as JsonObject] : [];
  } catch {
    // The last line is cut, and the closing brackets are no object.
    return [];
  }
}

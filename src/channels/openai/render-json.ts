/**
 * `acp.json`: the same rows in the same order as `acp.csv`, one product a line inside one JSON document, so that
 * the lines between the brackets are OpenAI's JSON Lines once the commas at their ends are taken off.
 */
import type { ItemGroup } from "../../catalog/item-group.ts";
import type { FeedContext, FeedWriter, Piece } from "../channel.ts";
import { OPENAI_FIELD_TABLE, type OpenaiKind } from "./fields.ts";
import { OPENAI_COLUMNS, type OpenaiRow, openaiRows } from "./rows.ts";
import type { OpenaiValue } from "./values.ts";
import { memoizeLastText } from "../kit/memoize.ts";
import { elementSeparator } from "../kit/separator.ts";

/** For values made of digits, letters and underscores only, which JSON never escapes. */
function plainString(value: OpenaiValue): string {
  return `"${String(value)}"`;
}

const VALUES: Readonly<Record<OpenaiKind, (value: OpenaiValue) => string>> = {
  text: JSON.stringify,
  url: JSON.stringify,
  urls: JSON.stringify,
  money: plainString,
  word: plainString,
  boolean: String,
  integer: String,
  decimal: plainString,
  object: String,
  countries: JSON.stringify,
};

/** The first column is the id, which every row has, so it alone goes without a comma. */
const WRITERS = OPENAI_COLUMNS.map(({ name, kind }, column) => ({
  key: column === 0 ? `"${name}":` : `,"${name}":`,
  write: memoizeLastText(VALUES[kind]),
}));

function product(row: OpenaiRow): string {
  let text = "";
  let column = 0;
  for (const { key, write } of WRITERS) {
    const value = row[column];
    if (value !== undefined) text += key + write(value);
    column += 1;
  }
  return `{${text}}`;
}

export function openOpenaiJson(context: FeedContext): FeedWriter {
  const separator = elementSeparator();
  return {
    head: () =>
      `{"profile":"${OPENAI_FIELD_TABLE.id}","generated_at":"${context.snapshotAt.toISOString()}","products":[`,
    group: (group: ItemGroup): Piece => {
      const { rows, excluded } = openaiRows(group, context);
      let text = "";
      for (const row of rows) text += separator() + product(row);
      return { text, written: rows.length, excluded };
    },
    tail: () => "\n]}\n",
  };
}

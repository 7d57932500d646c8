/**
 * `acp.jsonl`: one JSON object per line, as OpenAI takes it. `acp.json`: the same rows in the same order as `acp.csv`,
 * one product per line inside one JSON document, so that the lines between the brackets are JSON Lines once the commas
 * at their ends are removed.
 */
import { type FeedContext, type FeedWriter, elementSeparator, rowWriter } from "../channel.ts";
import { OPENAI_FIELD_TABLE, type OpenaiKind } from "./fields.ts";
import { OPENAI_COLUMNS, type OpenaiRow, openaiRows, type OpenaiValue, textOf } from "./rows.ts";
import { memoizeLast } from "../../lib/memoize.ts";

/** For values made of digits, letters and underscores only, which JSON never escapes. */
function plainString(value: OpenaiValue): string {
  return `"${textOf(value)}"`;
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
  object: textOf,
  countries: JSON.stringify,
};

/** The first column is the id, which every row has, so it alone goes without a comma. */
const WRITERS = OPENAI_COLUMNS.map(({ name, kind }, column) => ({
  key: column === 0 ? `"${name}":` : `,"${name}":`,
  write: memoizeLast(VALUES[kind]),
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
  const profile = `"profile":"${OPENAI_FIELD_TABLE.id}","generated_at":"${context.snapshotAt.toISOString()}"`;
  return rowWriter({
    head: () => `{${profile},"products":[`,
    rows: (group) => openaiRows(group, context),
    write: (row) => separator() + product(row),
    tail: "\n]}\n",
  });
}

export function openOpenaiJsonLines(context: FeedContext): FeedWriter {
  return rowWriter({
    head: () => "",
    rows: (group) => openaiRows(group, context),
    write: (row) => `${product(row)}\n`,
  });
}

/** `acp.csv`: OpenAI rows by RFC 4180, with a fixed header and LF line ends. */
import { type FeedContext, type FeedWriter, escapeFormula, rowWriter } from "../channel.ts";
import type { OpenaiKind } from "./fields.ts";
import { OPENAI_COLUMNS, type OpenaiRow, openaiRows, type OpenaiValue } from "./rows.ts";

const SPECIAL = /[",\r\n]/;

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function textCell(value: OpenaiValue): string {
  const text = String(value);
  return SPECIAL.test(text) ? quoted(text) : text;
}

function listCell(value: OpenaiValue): string {
  return textCell(Array.isArray(value) ? value.join(",") : value);
}

/** The kinds that cannot contain a comma, a quote or a line break are written as they are. */
const CELLS: Readonly<Record<OpenaiKind, (value: OpenaiValue) => string>> = {
  text: textCell,
  url: textCell,
  urls: listCell,
  money: String,
  word: String,
  boolean: String,
  integer: String,
  decimal: String,
  object: (value) => quoted(String(value)),
  countries: listCell,
};

const HEADER = `${OPENAI_COLUMNS.map(({ name }) => name).join(",")}\n`;
const WRITERS = OPENAI_COLUMNS.map(({ kind }) => CELLS[kind]);

const asWritten = (cell: string): string => cell;

function line(row: OpenaiRow, escape: (cell: string) => string): string {
  let text = "";
  let column = 0;
  for (const write of WRITERS) {
    const value = row[column];
    if (column > 0) text += ",";
    if (value !== undefined) text += escape(write(value));
    column += 1;
  }
  return `${text}\n`;
}

export function openOpenaiCsv(context: FeedContext): FeedWriter {
  const escape = context.settings.escapeFormulas === true ? escapeFormula : asWritten;
  return rowWriter({
    head: () => HEADER,
    rows: (group) => openaiRows(group, context),
    write: (row) => line(row, escape),
  });
}

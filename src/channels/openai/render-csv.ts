/** `acp.csv`: OpenAI rows by RFC 4180, with a fixed header and LF line ends. */
import { type FeedContext, type FeedWriter, escapeFormula, rowWriter } from "../channel.ts";
import { csvCell } from "../../lib/formats/delimited.ts";
import { memoizeLast } from "../../lib/memoize.ts";
import type { OpenaiKind } from "./fields.ts";
import { isObject, OPENAI_COLUMNS, type OpenaiRow, openaiRows, type OpenaiValue, textOf } from "./rows.ts";

const textCell = (value: OpenaiValue): string => csvCell(textOf(value));

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
  object: (value) => `"${isObject(value) ? value.inCell : textOf(value)}"`,
  countries: listCell,
};

const HEADER = `${OPENAI_COLUMNS.map(({ name }) => name).join(",")}\n`;
/** Memoized, because the rows of a group share many values. */
const WRITERS = OPENAI_COLUMNS.map(({ kind }) => memoizeLast(CELLS[kind]));
/** The commas of so many columns. */
const COMMAS = [...WRITERS.keys()].map((count) => ",".repeat(count));

const asWritten = (cell: string): string => cell;

function line(row: OpenaiRow, escape: (cell: string) => string): string {
  let text = "";
  let written = 0;
  let column = 0;
  for (const write of WRITERS) {
    const value = row[column];
    if (value !== undefined) {
      text += `${COMMAS[column - written]}${escape(write(value))}`;
      written = column;
    }
    column += 1;
  }
  return `${text}${COMMAS[column - 1 - written]}\n`;
}

export function openOpenaiCsv(context: FeedContext): FeedWriter {
  const escape = context.settings.escapeFormulas === true ? escapeFormula : asWritten;
  return rowWriter({
    head: () => HEADER,
    rows: (group) => openaiRows(group, context),
    write: (row) => line(row, escape),
  });
}

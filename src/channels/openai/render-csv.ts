/** `acp.csv`: OpenAI rows by RFC 4180, with a fixed header and LF line ends. */
import type { ItemGroup } from "../../catalog/item-group.ts";
import type { FeedContext, FeedWriter, Piece } from "../channel.ts";
import type { OpenaiKind } from "./fields.ts";
import { OPENAI_COLUMNS, type OpenaiRow, openaiRows } from "./rows.ts";
import type { OpenaiValue } from "./values.ts";
import { escapeFormula } from "../kit/formula.ts";

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

/** The kinds that cannot hold a comma, a quote or a line break are written as they are. */
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

function line(row: OpenaiRow, protect: (cell: string) => string): string {
  let text = "";
  let column = 0;
  for (const write of WRITERS) {
    const value = row[column];
    if (column > 0) text += ",";
    if (value !== undefined) text += protect(write(value));
    column += 1;
  }
  return `${text}\n`;
}

export function openOpenaiCsv(context: FeedContext): FeedWriter {
  const protect = context.settings.escapeFormulas === true ? escapeFormula : asWritten;
  return {
    head: () => HEADER,
    group: (group: ItemGroup): Piece => {
      const { rows, excluded } = openaiRows(group, context);
      let text = "";
      for (const row of rows) text += line(row, protect);
      return { text, written: rows.length, excluded };
    },
    tail: () => "",
  };
}

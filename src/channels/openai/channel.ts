/** OpenAI's product feed: the same rows as CSV, as JSON and as JSON Lines. */
import { type Channel, openFor } from "../channel.ts";
import { OPENAI_FIELD_TABLE } from "./fields.ts";
import { openOpenaiCsv } from "./render-csv.ts";
import { openOpenaiJson, openOpenaiJsonLines } from "./render-json.ts";
import { openaiCsvReader } from "./validate/csv.ts";
import { OpenaiJsonReader } from "./validate/json.ts";
import { OPENAI_FIELDS, ALIASES } from "./validate/names.ts";
import { OPENAI_RULES } from "./validate/rules.ts";

export const openaiCsv = {
  name: "openai-csv",
  isHosted: true,
  contentType: "text/csv; charset=utf-8",
  fieldTable: OPENAI_FIELD_TABLE,
  ...openFor("openai", openOpenaiCsv),
  itemView: "row",
  validator: {
    rules: OPENAI_RULES,
    rowName: "row",
    reads: "RFC 4180, strictly; also with tabs, which OpenAI takes as well.",
    fileName: /(?:^|[/\\.-])acp\.csv$/i,
    recognition: {
      by: "columns",
      names: new Set(OPENAI_FIELDS.keys()),
      aliases: new Set(Object.values(ALIASES).flat()),
      delimiter: ",",
    },
    encodingRule: "FILE-UTF8",
    open: openaiCsvReader,
  },
} as const satisfies Channel;

export const openaiJson = {
  name: "openai-json",
  isHosted: true,
  contentType: "application/json",
  fieldTable: OPENAI_FIELD_TABLE,
  ...openFor("openai", openOpenaiJson),
  itemView: "line",
  validator: {
    rules: OPENAI_RULES,
    rowName: "row",
    reads: "a document with the rows under `products`, a bare array, JSON Lines, or one row.",
    fileName: /(?:^|[/\\.-])acp\.jsonl?$/i,
    recognition: {
      by: "content",
      matches: (text) => /^[[{]/.test(text) && !/"@(?:context|graph|type)"/.test(text),
    },
    encodingRule: "FILE-UTF8",
    open: (findings, now) => new OpenaiJsonReader(findings, now),
  },
} as const satisfies Channel;

/** Without a validator of its own: that of `acp.json` reads JSON Lines. */
export const openaiJsonLines = {
  name: "openai-jsonl",
  isHosted: false,
  contentType: "application/x-ndjson",
  fieldTable: OPENAI_FIELD_TABLE,
  ...openFor("openai", openOpenaiJsonLines),
  itemView: "line",
} as const satisfies Channel;

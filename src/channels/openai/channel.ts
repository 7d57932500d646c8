/** OpenAI's product feed: the same rows as CSV and as JSON. */
import type { Channel } from "../channel.ts";
import { Findings } from "../kit/validate/findings.ts";
import { OPENAI_FLAT_2026_09 } from "./fields.ts";
import { openOpenaiCsv } from "./render-csv.ts";
import { openOpenaiJson } from "./render-json.ts";
import { AcpCsv } from "./validate/csv.ts";
import { AcpJson } from "./validate/json.ts";
import { ACP_FIELDS, ALIASES } from "./validate/names.ts";
import { ACP_RULES } from "./validate/rules.ts";

export const openaiCsv = {
  name: "openai-csv",
  isHosted: true,
  contentType: "text/csv; charset=utf-8",
  fieldTable: OPENAI_FLAT_2026_09,
  open: openOpenaiCsv,
  itemView: "row",
  validator: {
    rules: ACP_RULES,
    rowName: "row",
    reads: "RFC 4180, strictly; also with tabs, which OpenAI takes as well.",
    fileName: /(?:^|[/\\.-])acp\.csv$/i,
    recognition: {
      by: "columns",
      names: new Set(ACP_FIELDS.keys()),
      aliases: new Set(Object.values(ALIASES).flat()),
      delimiter: ",",
    },
    open: ({ collector }) => new AcpCsv(new Findings(collector)),
  },
} as const satisfies Channel;

export const openaiJson = {
  name: "openai-json",
  isHosted: true,
  contentType: "application/json",
  fieldTable: OPENAI_FLAT_2026_09,
  open: openOpenaiJson,
  itemView: "line",
  validator: {
    rules: ACP_RULES,
    rowName: "row",
    reads: "a document with the rows under `products`, a bare array, JSON Lines, or one row.",
    fileName: /(?:^|[/\\.-])acp\.jsonl?$/i,
    recognition: {
      by: "content",
      matches: (text) => /^[[{]/.test(text) && !/"@(?:context|graph|type)"/.test(text),
    },
    open: ({ collector }) => new AcpJson(new Findings(collector)),
  },
} as const satisfies Channel;

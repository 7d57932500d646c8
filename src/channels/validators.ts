/** The validators by file; the only list of them. */
import { FEED_FILES, type FeedFile } from "./channel.ts";
import { AcpCsv } from "./openai/validate/csv.ts";
import { AcpJson } from "./openai/validate/json.ts";
import { ACP_RULES } from "./openai/validate/rules.ts";
import { Findings } from "./kit/validate/findings.ts";
import { GMC_RULES } from "./google/validate/rules.ts";
import { GmcTsv } from "./google/validate/tsv.ts";
import { GmcXml } from "./google/validate/xml.ts";
import { Jsonld } from "./schema-org/validate/jsonld.ts";
import { JSONLD_RULES } from "./schema-org/validate/rules.ts";
import type { FormatReader } from "./kit/validate/reader.ts";

/** Our own files, and Google's other form of the same items, which we read and never write. */
export const CHECKED_FORMATS = [...FEED_FILES, "gmc.xml"] as const;
export type CheckedFormat = FeedFile | "gmc.xml";

export const FORMATS: Readonly<Record<CheckedFormat, FormatReader>> = {
  "acp.csv": {
    rules: ACP_RULES,
    rowName: "row",
    open: ({ collector }) => new AcpCsv(new Findings(collector)),
  },
  "acp.json": {
    rules: ACP_RULES,
    rowName: "row",
    open: ({ collector }) => new AcpJson(new Findings(collector)),
  },
  "gmc.tsv": {
    rules: GMC_RULES,
    rowName: "row",
    open: ({ collector, now }) => new GmcTsv(new Findings(collector), now),
  },
  "gmc.xml": {
    rules: GMC_RULES,
    rowName: "item",
    open: ({ collector, now }) => new GmcXml(new Findings(collector), now),
  },
  "jsonld.json": {
    rules: JSONLD_RULES,
    rowName: "product",
    open: ({ collector, now }) => new Jsonld(new Findings(collector), now),
  },
};

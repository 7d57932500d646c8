/** The four renderers; the only list of them. */
import type { FeedFile, Renderer } from "./channel.ts";
import { acpCsv } from "./openai/render-csv.ts";
import { acpJson } from "./openai/render-json.ts";
import { gmcTsv } from "./google/render-tsv.ts";
import { jsonld } from "./schema-org/render-json.ts";

/** Goes up whenever the same catalog may give other bytes, so that files made by older code are not reused. */
export const RENDERER_VERSION = "1";

export const RENDERERS = {
  "acp.csv": acpCsv,
  "acp.json": acpJson,
  "gmc.tsv": gmcTsv,
  "jsonld.json": jsonld,
} as const satisfies Record<FeedFile, Renderer>;

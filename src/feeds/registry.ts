/** The four renderers; the only list of them. */
import type { FeedFile, Renderer } from "./format.ts";
import { acpCsv } from "./render/acp-csv.ts";
import { acpJson } from "./render/acp-json.ts";
import { gmcTsv } from "./render/gmc-tsv.ts";
import { jsonld } from "./render/jsonld.ts";

/** Goes up whenever the same catalog may give other bytes, so that files made by older code are not reused. */
export const RENDERER_VERSION = "1";

export const RENDERERS = {
  "acp.csv": acpCsv,
  "acp.json": acpJson,
  "gmc.tsv": gmcTsv,
  "jsonld.json": jsonld,
} as const satisfies Record<FeedFile, Renderer>;

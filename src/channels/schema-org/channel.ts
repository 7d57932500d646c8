/** schema.org: all items as one JSON-LD document. */
import type { Channel } from "../channel.ts";
import { Findings } from "../kit/validate/findings.ts";
import { SCHEMA_ORG_30 } from "./fields.ts";
import { openSchemaOrgJson } from "./render-json.ts";
import { Jsonld } from "./validate/jsonld.ts";
import { JSONLD_RULES } from "./validate/rules.ts";

export const schemaOrgJson = {
  name: "schema-org",
  isHosted: true,
  contentType: "application/json",
  fieldTable: SCHEMA_ORG_30,
  open: openSchemaOrgJson,
  itemView: "group",
  validator: {
    rules: JSONLD_RULES,
    rowName: "product",
    reads: "a document with a `@graph`, an array of nodes, or one node.",
    fileName: /(?:^|[/\\.-])jsonld\.json$|\.jsonld$/i,
    recognition: {
      by: "content",
      matches: (text) => /^[[{]/.test(text) && /"@(?:context|graph|type)"/.test(text),
    },
    open: ({ collector, now }) => new Jsonld(new Findings(collector), now),
  },
} as const satisfies Channel;

/** schema.org: all items as one JSON-LD document. */
import type { Channel } from "../channel.ts";
import { Findings } from "../kit/validate/findings.ts";
import { SCHEMA_ORG_FIELD_TABLE } from "./fields.ts";
import { openSchemaOrgJson } from "./render-json.ts";
import { SchemaOrgReader } from "./validate/jsonld.ts";
import { SCHEMA_ORG_RULES } from "./validate/rules.ts";

export const schemaOrgJson = {
  name: "schema-org",
  isHosted: true,
  contentType: "application/json",
  fieldTable: SCHEMA_ORG_FIELD_TABLE,
  open: openSchemaOrgJson,
  itemView: "group",
  validator: {
    rules: SCHEMA_ORG_RULES,
    rowName: "product",
    reads: "a document with a `@graph`, an array of nodes, or one node.",
    fileName: /(?:^|[/\\.-])jsonld\.json$|\.jsonld$/i,
    recognition: {
      by: "content",
      matches: (text) => /^[[{]/.test(text) && /"@(?:context|graph|type)"/.test(text),
    },
    open: ({ collector, now }) => new SchemaOrgReader(new Findings(collector), now),
  },
} as const satisfies Channel;

/** schema.org: all items as one JSON-LD document. */
import { type Channel, openFor } from "../channel.ts";
import { SCHEMA_ORG_FIELD_TABLE } from "./fields.ts";
import { openSchemaOrgJson } from "./render-json.ts";
import { SchemaOrgReader } from "./validate/jsonld.ts";
import { SCHEMA_ORG_RULES } from "./validate/rules.ts";

export const schemaOrgJson = {
  name: "schema-org",
  isHosted: true,
  contentType: "application/json",
  fieldTable: SCHEMA_ORG_FIELD_TABLE,
  ...openFor("schema_org", openSchemaOrgJson),
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
    encodingRule: "jsonld.encoding",
    open: (findings, now) => new SchemaOrgReader(findings, now),
  },
} as const satisfies Channel;

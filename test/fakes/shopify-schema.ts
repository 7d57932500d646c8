/**
 * Shopify's own Admin schema, as the vendor publishes it with its developer tools: introspection results of every
 * API version. Decoding one takes a few tenths of a second, so each is kept once it is there.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { buildClientSchema, type GraphQLSchema, type IntrospectionQuery } from "graphql";

export const ADMIN_VERSIONS = ["2026-01", "2026-04", "2026-07", "2026-10"] as const;
export type AdminVersion = (typeof ADMIN_VERSIONS)[number];

/** Beside the package's program, which is never run: only these files of it are of use to us. */
const DATA = new URL("data/", import.meta.resolve("@shopify/dev-mcp"));

const schemas = new Map<AdminVersion, GraphQLSchema>();

export function adminSchema(version: AdminVersion): GraphQLSchema {
  const known = schemas.get(version);
  if (known !== undefined) return known;
  const packed = readFileSync(new URL(`admin_${version}.json.gz`, DATA));
  const { data } = JSON.parse(gunzipSync(packed).toString("utf8")) as { data: IntrospectionQuery };
  // The vendor deprecates a few fields that their interfaces keep, which graphql 17 takes for an error.
  const schema = buildClientSchema(data, { assumeValid: true });
  schemas.set(version, schema);
  return schema;
}

/** The part of Shopify's own Admin schemas that our queries use; shopify-schema/extract.ts says where it is from. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSchema, type GraphQLSchema } from "graphql";

export const ADMIN_VERSIONS = ["2026-01", "2026-04", "2026-07", "2026-10"] as const;
export type AdminVersion = (typeof ADMIN_VERSIONS)[number];

const schemas = new Map<AdminVersion, GraphQLSchema>();

export function adminSchema(version: AdminVersion): GraphQLSchema {
  const known = schemas.get(version);
  if (known !== undefined) return known;
  const text = readFileSync(join(import.meta.dirname, "shopify-schema", `${version}.graphql`), "utf8");
  // The vendor deprecates a few fields that their interfaces keep, which graphql 17 takes for an error.
  const schema = buildSchema(text, { assumeValid: true });
  schemas.set(version, schema);
  return schema;
}

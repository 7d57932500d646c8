/** The part of Shopify's Admin schemas that our queries use. shopify-schema/extract.ts writes the files. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSchema, type GraphQLSchema } from "graphql";

export const ADMIN_VERSIONS = ["2026-01", "2026-04", "2026-07", "2026-10"] as const;
export type AdminVersion = (typeof ADMIN_VERSIONS)[number];

const schemas = new Map<AdminVersion, GraphQLSchema>();

export function adminSchema(version: AdminVersion): GraphQLSchema {
  const known = schemas.get(version);
  if (known !== undefined) return known;
  const folder = join(import.meta.dirname, "shopify-schema");
  const texts = ["common", version].map((name) => readFileSync(join(folder, `${name}.graphql`), "utf8"));
  // Shopify deprecates a few fields that their interfaces still have, which graphql 17 refuses.
  const schema = buildSchema(texts.join("\n"), { assumeValid: true });
  schemas.set(version, schema);
  return schema;
}

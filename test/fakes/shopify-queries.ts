/** Every query that the Shopify connector sends, with the fewest and with the most fields. */
import assert from "node:assert/strict";
import { parseMetafields } from "../../src/sources/shopify/metafields.ts";
import {
  bulkQuery,
  CANCEL_BULK,
  CHANGES_QUERY,
  COUNT_QUERY,
  CREATE_HOOK,
  DELETE_HOOK,
  DELETIONS_QUERY,
  type Extras,
  HOOKS_QUERY,
  nodesQuery,
  pageQuery,
  POLL_BULK,
  RUN_BULK,
  SHOP_QUERY,
  trialQuery,
  variantsQuery,
} from "../../src/sources/shopify/queries.ts";

const metafields = parseMetafields("mm-google-shopping, color = custom.colour, gtin = facts.ean");
assert.ok(typeof metafields !== "string");

export const SHORTEST: Extras = { country: null, metafields: [] };
export const LONGEST: Extras = { country: "DE", metafields };

export const SHOPIFY_QUERIES: Readonly<Record<string, string>> = {
  "the shop": SHOP_QUERY,
  "the count": COUNT_QUERY,
  "the start of a bulk operation": RUN_BULK,
  "the state of a bulk operation": POLL_BULK,
  "the end of a bulk operation": CANCEL_BULK,
  "the webhooks": HOOKS_QUERY,
  "a new webhook": CREATE_HOOK,
  "the end of a webhook": DELETE_HOOK,
  "a trial": trialQuery(SHORTEST),
  "a trial with a country and metafields": trialQuery(LONGEST),
  "a page": pageQuery(SHORTEST),
  "a page with a country and metafields": pageQuery(LONGEST),
  "some products": nodesQuery(SHORTEST),
  "some products with a country and metafields": nodesQuery(LONGEST),
  "what changed": CHANGES_QUERY,
  "what was deleted": DELETIONS_QUERY,
  "more variants": variantsQuery(SHORTEST),
  "more variants with a country and metafields": variantsQuery(LONGEST),
  "the whole shop": bulkQuery(SHORTEST, "status:active"),
  "the whole shop with a country and metafields": bulkQuery(LONGEST, "status:active,unlisted"),
};

import { MAX_DESTINATIONS } from "../destinations/destinations.ts";
import { MAX_WEBHOOKS } from "../webhooks/endpoints.ts";

/** How many of each a catalog may have. docs/limits.md is written from this table. */
export const CATALOG_LIMITS = {
  sources: 10_000,
  /** Keys that are neither revoked nor expired. */
  keys: 100,
  webhooks: MAX_WEBHOOKS,
  destinations: MAX_DESTINATIONS,
} as const;

/** Limits per catalog. docs/limits.md is generated from this table. */
export const CATALOG_LIMITS = {
  sources: 10_000,
  /** Keys that are neither revoked nor expired. */
  keys: 100,
  webhooks: 50,
  /** Concurrent source tests. */
  sourceTests: 2,
} as const;

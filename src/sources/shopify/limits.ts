/** How much of anything one read of a shop may take. Every wait and cap is here, so that a test can make them small. */
import type { HttpLimits } from "../../lib/outbound/http-client.ts";
import { type RetryPolicy, SHOP_RETRIES } from "../kit/retry.ts";

export type ShopifyLimits = {
  /** For calls to the API; the file of a bulk operation has limits of its own. */
  readonly http: Partial<HttpLimits>;
  readonly retries: RetryPolicy;
  /** What a page asks for at first; it becomes less when Shopify finds the question too costly. */
  readonly page: PageSize;
  /** How many variants a further question about one product asks for. */
  readonly moreVariants: number;
  readonly sampleProducts: number;
  /** Products after which a walk begins a new list: Shopify's lists stop at 25,000. */
  readonly sliceProducts: number;
  readonly bulk: BulkLimits;
};

export type PageSize = { readonly products: number; readonly variants: number };

export type BulkLimits = {
  /** Shops with fewer products are read by pages: that is quicker than waiting for an operation to start. */
  readonly fromProducts: number;
  /** The waits between two looks at an operation; the last one is repeated. */
  readonly pollWaitsMs: readonly number[];
  readonly maxPolls: number;
  readonly maxFileBytes: number;
  readonly maxLineChars: number;
  /** About how much of the file is held in memory while products are put together. */
  readonly bucketBytes: number;
  readonly maxBuckets: number;
};

export const SHOPIFY_LIMITS: ShopifyLimits = {
  http: {},
  retries: SHOP_RETRIES,
  page: { products: 50, variants: 25 },
  moreVariants: 250,
  sampleProducts: 25,
  sliceProducts: 20_000,
  bulk: {
    fromProducts: 250,
    pollWaitsMs: [2_000, 3_000, 5_000, 10_000, 20_000, 30_000],
    // With the waits above, about an hour.
    maxPolls: 125,
    maxFileBytes: 8_000_000_000,
    maxLineChars: 4_000_000,
    bucketBytes: 8_000_000,
    maxBuckets: 256,
  },
};

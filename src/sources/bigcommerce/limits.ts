/** How much is asked for at once, kept and waited for. Every cap is here, so that a test can make the world small. */
import { sleep } from "../../lib/async.ts";
import type { HttpLimits } from "../../lib/outbound/http-client.ts";
import { type RetryPolicy, SHOP_RETRIES } from "../retry.ts";

export type BigCommerceLimits = {
  readonly http: Partial<HttpLimits>;
  readonly retries: RetryPolicy;
  /** How a wait that the shop's quota asks for is waited. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The most that is waited for a new quota at a time. */
  readonly maxPauseMs: number;
  readonly firstPageProducts: number;
  /** BigCommerce refuses more than 250. */
  readonly maxPageProducts: number;
  /** Pages are made so large that they hold about so many variants: what bounds the memory of a read. */
  readonly pageVariants: number;
  /** How often a page that the shop cannot deliver is asked for again with fewer products. */
  readonly maxShrinks: number;
  /** A list of variants this long may have been cut by the platform, so it is counted. */
  readonly countFromVariants: number;
  /** Of brands, and of categories: so many are remembered, then all are forgotten and asked for anew. */
  readonly maxRemembered: number;
  readonly sampleProducts: number;
};

export const BIGCOMMERCE_LIMITS: BigCommerceLimits = {
  http: { totalMs: 120_000, maxBytes: 32_000_000 },
  retries: SHOP_RETRIES,
  pause: sleep,
  maxPauseMs: 60_000,
  firstPageProducts: 100,
  maxPageProducts: 250,
  pageVariants: 2_500,
  maxShrinks: 3,
  countFromVariants: 10,
  maxRemembered: 20_000,
  sampleProducts: 50,
};

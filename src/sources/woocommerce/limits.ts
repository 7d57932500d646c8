/** How much of anything one shop may take. Every number is here, so that a test can make the world small. */
import type { HttpLimits } from "../../lib/outbound/http-client.ts";
import { type RetryPolicy, SHOP_RETRIES } from "../kit/retry.ts";

export type WooLimits = {
  readonly http: Partial<HttpLimits>;
  readonly retries: RetryPolicy;
  /** WooCommerce's own most is 100 a page. */
  readonly pageSize: number;
  /** How far a page is made smaller for a host that runs out of memory or time. */
  readonly leastPageSize: number;
  /** Of products, for a first look. */
  readonly sampleSize: number;
  /** Parents whose variations are asked for at the same time, where there is no list of them all. */
  readonly parentsAtOnce: number;
  /** Variations in all that products name and no list shows, and that are therefore asked for by themselves. */
  readonly mostOneByOne: number;
  /** For a request whose answer we can do without: one try, and no longer than this. */
  readonly courtesyMs: number;
};

export const WOO_LIMITS: WooLimits = {
  http: {},
  retries: SHOP_RETRIES,
  pageSize: 100,
  leastPageSize: 10,
  sampleSize: 30,
  parentsAtOnce: 4,
  mostOneByOne: 1_000,
  courtesyMs: 10_000,
};

/** All limits of a feed. They are arguments, so that tests can use small ones. */
import { FEED_BACKOFF_MS } from "../../lib/backoff.ts";
import type { HttpLimits } from "../../lib/outbound/http-client.ts";
import { RECORD_LIMITS, type RecordLimits } from "../product-record/limits.ts";
import type { RetryPolicy } from "../kit/retry.ts";

export type FeedLimits = RecordLimits & {
  readonly http: Partial<HttpLimits>;
  /** As sent, packed or not. */
  readonly maxDownloadBytes: number;
  readonly maxUnpackedBytes: number;
  /** Unpacked bytes for each byte sent, once `ratioFromBytes` are out: more than any real feed has. */
  readonly maxUnpackRatio: number;
  readonly ratioFromBytes: number;
  /** How much is fetched for a sample. */
  readonly sampleBytes: number;
  /** How much processor time the reading of a sample may take. */
  readonly sampleCpuMs: number;
  readonly retries: RetryPolicy;
};

export const FEED_LIMITS: FeedLimits = {
  ...RECORD_LIMITS,
  http: {},
  maxDownloadBytes: 2_000_000_000,
  maxUnpackedBytes: 8_000_000_000,
  maxUnpackRatio: 200,
  ratioFromBytes: 10_000_000,
  sampleBytes: 8_000_000,
  sampleCpuMs: 10_000,
  retries: { waitsMs: FEED_BACKOFF_MS, maxRetryAfterMs: 30_000, maxThrottledMs: 60_000 },
};

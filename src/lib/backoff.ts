/**
 * Every retry schedule of the program, as the delays before each retry. They are fixed and have no jitter, because
 * leases and slots keep retries apart; only transactions that conflict wait for a random time (`store/db.ts`). After
 * the last delay the work is given up, except where `repeatingLast` is used.
 */

/** Webhooks, uploads and mails, which other servers take. It is part of the contract. */
export const DELIVERY_BACKOFF_S: readonly number[] = [60, 300, 1_800, 7_200, 43_200];
/** The last delay and a margin. A later time was written before the clock was set back. */
export const MAX_DELIVERY_DELAY_S = 13 * 3_600;

/** Runs that fail for a reason of our own. */
export const RUN_BACKOFF_MS: readonly number[] = [1_000, 5_000, 30_000, 120_000];

/** Requests to a shop. A read has hundreds of them, so one that fails now and then must not end it. */
export const SHOP_BACKOFF_MS: readonly number[] = [1_000, 3_000, 8_000, 20_000];

/** Downloads of a feed URL, which are one request. */
export const FEED_BACKOFF_MS: readonly number[] = [1_000, 4_000];

/** Questions to a model. */
export const MODEL_BACKOFF_MS: readonly number[] = [2_000, 10_000];

/** Connections to the database, until it is available again. */
export const DATABASE_BACKOFF_MS: readonly number[] = [100, 500, 1_000, 2_000, 5_000];

/** Starts of the embedded server: a killed server's processes need time to release its shared memory. */
export const SERVER_START_BACKOFF_MS: readonly number[] = [0, 100, 300, 1_000, 3_000];

/** Restarts of an embedded server that was lost, until one succeeds. */
export const SERVER_RESTART_BACKOFF_MS: readonly number[] = [0, 1_000, 5_000, 15_000, 30_000];

/** The delay after so many failures, where the work is never given up. */
export const repeatingLast = (delays: readonly number[], failures: number): number =>
  delays[Math.min(failures, delays.length - 1)] ?? 0;

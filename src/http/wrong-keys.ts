/**
 * Counts calls with a missing or wrong API key per address, and rejects more of them for a minute without a query. A
 * key that was valid before still passes: behind a proxy all callers have one address, and a caller with
 * a wrong key must not lock out the others.
 */
import { hash } from "node:crypto";
import { AppError } from "../errors.ts";

const WINDOW_MS = 60_000;
export const MAX_WRONG_KEYS = 30;
/** The size of the cache; the oldest entries are evicted. */
const MAX_CACHED = 10_000;

export type KeyAttempt = {
  readonly ip: string;
  readonly headers: { readonly authorization?: string | undefined; readonly cookie?: string | undefined };
};
export type WrongKeyLimit = <T>(attempt: KeyAttempt, authenticate: () => Promise<T>) => Promise<T>;

/** The limit of installations without limits. */
export const noKeyLimit: WrongKeyLimit = async (_attempt, authenticate) => authenticate();

export function wrongKeyLimit(now: () => number = () => performance.now()): WrongKeyLimit {
  const wrong = new Map<string, { readonly until: number; count: number }>();
  /** Hashes of credentials that were valid when last used. */
  const valid = new Set<string>();

  const blockedMs = (address: string): number => {
    const seen = wrong.get(address);
    if (seen === undefined) return 0;
    if (seen.until <= now()) wrong.delete(address);
    return seen.count < MAX_WRONG_KEYS ? 0 : Math.max(0, seen.until - now());
  };
  const countWrong = (address: string): void => {
    const seen = wrong.get(address);
    if (seen !== undefined) seen.count += 1;
    else addBounded(wrong, () => wrong.set(address, { until: now() + WINDOW_MS, count: 1 }));
  };

  return async ({ ip: address, headers }, authenticate) => {
    const digest = hash("sha256", headers.authorization ?? headers.cookie ?? "");
    const waitMs = blockedMs(address);
    if (waitMs > 0 && !valid.has(digest)) {
      throw new AppError(
        "too_many_wrong_keys",
        `This address sent ${MAX_WRONG_KEYS} wrong API keys within a minute. Wait a minute, then send a valid key.`,
        { retryAfterS: Math.ceil(waitMs / 1000) },
      );
    }
    try {
      const caller = await authenticate();
      addBounded(valid, () => valid.add(digest));
      return caller;
    } catch (error) {
      if (error instanceof AppError && error.code === "unauthorized") {
        valid.delete(digest);
        countWrong(address);
      }
      throw error;
    }
  };
}

function addBounded(cache: Map<string, unknown> | Set<string>, add: () => unknown): void {
  add();
  const [oldest] = cache.keys();
  if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
}

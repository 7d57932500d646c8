/**
 * Counts calls with a missing or wrong API key per address, and rejects more of them for a minute without a query. A
 * key that was valid before still passes: behind a proxy all callers have one address, and one who guesses must not
 * lock out the others.
 */
import { hash } from "node:crypto";
import { AppError } from "../errors.ts";

const WINDOW_MS = 60_000;
export const MAX_WRONG_KEYS = 30;
/** The size of the cache; the oldest entries are evicted. */
const MAX_REMEMBERED = 10_000;

export type KeyAttempt<T> = {
  readonly address: string;
  /** The Authorization header as sent. */
  readonly credential: string | undefined;
  readonly authenticate: () => Promise<T>;
};
export type WrongKeyLimit = <T>(attempt: KeyAttempt<T>) => Promise<T>;

/** For installations without limits. */
export const noKeyLimit: WrongKeyLimit = async ({ authenticate }) => authenticate();

export function wrongKeyLimit(now: () => number = () => performance.now()): WrongKeyLimit {
  const wrong = new Map<string, { readonly until: number; count: number }>();
  /** Hashes of credentials that were valid when last used. */
  const right = new Set<string>();

  const blockedMs = (address: string): number => {
    const seen = wrong.get(address);
    if (seen === undefined) return 0;
    if (seen.until <= now()) wrong.delete(address);
    return seen.count < MAX_WRONG_KEYS ? 0 : Math.max(0, seen.until - now());
  };
  const note = (address: string): void => {
    const seen = wrong.get(address);
    if (seen !== undefined) seen.count += 1;
    else remember(wrong, () => wrong.set(address, { until: now() + WINDOW_MS, count: 1 }));
  };

  return async ({ address, credential, authenticate }) => {
    const digest = hash("sha256", credential ?? "");
    const waitMs = blockedMs(address);
    if (waitMs > 0 && !right.has(digest)) {
      throw new AppError(
        "rate_limited",
        `This address sent ${MAX_WRONG_KEYS} wrong API keys within a minute. Wait a minute, then send a valid key.`,
        { retryAfterS: Math.ceil(waitMs / 1000) },
      );
    }
    try {
      const caller = await authenticate();
      remember(right, () => right.add(digest));
      return caller;
    } catch (error) {
      if (error instanceof AppError && error.code === "unauthorized") {
        right.delete(digest);
        note(address);
      }
      throw error;
    }
  };
}

function remember(kept: Map<string, unknown> | Set<string>, add: () => unknown): void {
  add();
  const [oldest] = kept.keys();
  if (kept.size > MAX_REMEMBERED && oldest !== undefined) kept.delete(oldest);
}

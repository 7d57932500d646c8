/** Waits for the database, however long it takes: for processes that keep running. */
import { DATABASE_BACKOFF_MS, repeatingLast } from "../lib/backoff.ts";
import type { AppError } from "../errors.ts";
import { sleep } from "../lib/async.ts";
import { isAway } from "./db.ts";

export type DatabaseWaitOptions = {
  readonly signal: AbortSignal;
  readonly onAway: (failure: AppError) => void;
};

/** Retries while the database is unavailable, until the signal aborts. Any other failure is final. */
export async function waitForDb<T>(
  work: () => Promise<T>,
  { signal, onAway }: DatabaseWaitOptions,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isAway(error) || signal.aborted) throw error;
      onAway(error);
      await sleep(repeatingLast(DATABASE_BACKOFF_MS, tries), signal);
      if (signal.aborted) throw error;
    }
  }
}

/** Waits for the database, however long it takes: for processes that keep running. */
import type { AppError } from "../errors.ts";
import { sleep } from "../lib/async.ts";
import { isAway } from "./db.ts";

const BACKOFF_MS = [250, 500, 1_000, 2_000];
const MAX_BACKOFF_MS = 5_000;

export type Waiting = {
  readonly signal: AbortSignal;
  readonly onAway: (failure: AppError) => void;
};

/** Retries while the database is unavailable, until the signal aborts. Any other failure is final. */
export async function waitForDb<T>(work: () => Promise<T>, { signal, onAway }: Waiting): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isAway(error) || signal.aborted) throw error;
      onAway(error);
      await sleep(BACKOFF_MS[tries] ?? MAX_BACKOFF_MS, signal);
      if (signal.aborted) throw error;
    }
  }
}

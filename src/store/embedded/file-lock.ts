/**
 * A lock between processes, on a file. The kernel holds the lock, so it ends with its process, however the process
 * dies. Node.js has no call for such a lock; SQLite takes one for each exclusive transaction. The file is never
 * removed, because two processes could then hold two locks.
 */
import { setTimeout as delay } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";

const POLL_MS = 25;
const SQLITE_BUSY = 5;

export type LockOptions = { readonly waitMs: number; readonly signal?: AbortSignal };

export class LockTimeout extends Error {
  override readonly name = "LockTimeout";
}

/** Runs `work` while holding the lock. Throws LockTimeout, or an AbortError, if it does not get the lock. */
export async function withFileLock<T>(
  path: string,
  { waitMs, signal }: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const deadline = performance.now() + waitMs;
  using lock = new DatabaseSync(path);
  while (!isLocked(lock)) {
    if (performance.now() >= deadline) throw new LockTimeout(`Another process holds the lock ${path}.`);
    await delay(POLL_MS, undefined, signal ? { signal } : {});
  }
  return await work();
}

function isLocked(lock: DatabaseSync): boolean {
  try {
    lock.exec("begin exclusive");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}

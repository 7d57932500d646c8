/** One server per data folder: an advisory lock, which lasts as long as its process. */
import { AppError } from "../errors.ts";
import { acquireLock } from "../store/lock.ts";
import { serverOn } from "./server-card.ts";
import type { System } from "./system.ts";

/** Resolves with the function that releases the lock. */
export async function refuseSecondServer({ target, config }: System): Promise<() => Promise<void>> {
  const release = await acquireLock(target, "serve");
  if (release) return release;
  const other = await serverOn(config.dataDir);
  throw new AppError(
    "already_running",
    `Shelfwire is already running on ${config.dataDir}${other === undefined ? "" : `: process ${other.pid}, ${other.url}`}. Stop that one first, or give this one another DATA_DIR.`,
  );
}

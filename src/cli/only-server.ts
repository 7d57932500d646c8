/** One server per data folder: a lock in the database, which lives exactly as long as the process that holds it. */
import { AppError } from "../errors.ts";
import { acquireLock } from "../store/lock.ts";
import { serverOn } from "./server-card.ts";
import type { System } from "./system.ts";

/** Resolves with what gives the lock up again. */
export async function refuseSecondServer({ target, config }: System): Promise<() => Promise<void>> {
  const release = await acquireLock(target, "serve");
  if (release) return release;
  const other = await serverOn(config.dataDir);
  throw new AppError(
    "already_running",
    `Shelfwire runs on ${config.dataDir} already${other === undefined ? "" : `: process ${other.pid}, ${other.url}`}. Stop that one first, or give this one another DATA_DIR.`,
  );
}

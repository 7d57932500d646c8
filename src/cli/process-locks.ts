/** Advisory locks that last as long as their process: one server per data folder, and whether a worker is running. */
import { AppError } from "../errors.ts";
import { acquireLock } from "../store/lock.ts";
import { serverOn } from "./server-file.ts";
import type { System } from "./system.ts";

export type ReleaseLock = () => Promise<void>;

export async function refuseSecondServer({ target, config }: System): Promise<ReleaseLock> {
  const release = await acquireLock(target, "serve");
  if (release) return release;
  const other = await serverOn(config.dataDir);
  throw new AppError(
    "already_running",
    `Shelfwire is already running on ${config.dataDir}${other === undefined ? "" : `: process ${other.pid}, ${other.url}`}. Stop it first, or set DATA_DIR to another folder.`,
  );
}

/** Shared by all workers. `isWorkerRunning` may hold it for one statement; then this worker runs without it. */
export async function lockAsWorker({ target }: System): Promise<ReleaseLock> {
  return (await acquireLock(target, "worker", "shared")) ?? (async () => undefined);
}

export async function isWorkerRunning({ target }: Pick<System, "target">): Promise<boolean> {
  const release = await acquireLock(target, "worker");
  await release?.();
  return release === undefined;
}

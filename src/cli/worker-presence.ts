/** Lets processes know whether a worker is running anywhere: every worker shares one lock for as long as it lives. */
import { acquireLock } from "../store/lock.ts";
import type { System } from "./system.ts";

const NAME = "worker";

/** Resolves with what ends the presence. */
export async function showWorker({ target }: System): Promise<() => Promise<void>> {
  const release = await acquireLock(target, NAME, "shared");
  // Someone is looking at this very moment; the look lasts one statement, and being missed once does no harm.
  return release ?? (async () => undefined);
}

export async function isWorkerRunning({ target }: Pick<System, "target">): Promise<boolean> {
  const release = await acquireLock(target, NAME);
  await release?.();
  return release === undefined;
}

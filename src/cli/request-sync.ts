/**
 * Asks for a sync on the command line. A run that waits in the queue while no worker is running, as an interrupted
 * command leaves it, is taken up instead of refused.
 */
import { AppError } from "../errors.ts";
import { requestSync } from "../pipeline/requests.ts";
import type { SyncRequest } from "../pipeline/requests.ts";
import type { System } from "./system.ts";
import { isWorkerRunning } from "./worker-presence.ts";

export async function requestOrResumeSync(system: System, request: SyncRequest): Promise<string> {
  try {
    return await requestSync(system.db, request);
  } catch (error) {
    const openRun = error instanceof AppError && error.code === "sync_in_progress" ? error.runId : undefined;
    if (openRun === undefined || (await isWorkerRunning(system))) throw error;
    return openRun;
  }
}

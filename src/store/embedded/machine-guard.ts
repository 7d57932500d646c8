/**
 * Keeps a second container or machine off the data folder: PostgreSQL's own protection, by pid and shared memory, does
 * not work across containers. A file names the machine that uses the cluster, and its users touch it as a heartbeat.
 */
import { readFile, rename, stat, utimes, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../errors.ts";
import { compare, isPlace, ownPlace } from "../../lib/process-identity.ts";
import type { Paths } from "./paths.ts";

const HEARTBEAT_MS = 2_000;
/**
 * The time of five missed heartbeats: short enough to wait for after a container was killed, long enough for a busy
 * machine.
 */
const TIMEOUT_MS = 10_000;
const POLL_MS = 100;

/**
 * Records that this machine uses the cluster. The record is made before the server starts, so that it is right after a
 * crash.
 */
export async function claimMachine({ machine }: Paths): Promise<void> {
  const partial = `${machine}.tmp`;
  await writeFile(partial, JSON.stringify(await ownPlace()), { mode: 0o600, flush: true });
  await rename(partial, machine);
}

export function heartbeat({ machine }: Paths): { readonly stop: () => void } {
  const touch = () => void utimes(machine, new Date(), new Date()).catch(() => undefined);
  const timer = setInterval(touch, HEARTBEAT_MS).unref();
  return { stop: () => clearInterval(timer) };
}

/** True if pids in the data folder belong to this machine and this boot, so that they can be looked up. */
export async function hasLocalPids(
  { root, machine }: Paths,
  { signal, timeoutMs = TIMEOUT_MS }: { readonly signal: AbortSignal; readonly timeoutMs?: number },
): Promise<boolean> {
  const text = await readFile(machine, "utf8").catch(() => null);
  const place: unknown = text === null ? null : JSON.parse(text);
  const where = isPlace(place) ? compare(place, await ownPlace()) : "here";
  if (where !== "elsewhere") return where === "here";

  const first = await lastBeat(machine);
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    await delay(POLL_MS, undefined, { signal });
    if ((await lastBeat(machine)) === first) continue;
    throw new AppError(
      "already_running",
      `The database in ${root} is in use by another container or machine. Stop that one first, choose another ` +
        "DATA_DIR, or set DATABASE_URL on both to share one PostgreSQL.",
    );
  }
  return false;
}

async function lastBeat(machine: string): Promise<number> {
  return (await stat(machine)).mtimeMs;
}

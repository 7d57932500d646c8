/**
 * Keeps two containers or machines off one data folder. PostgreSQL guards its data by pid and shared memory, and
 * sees neither across a container's walls: two servers on one volume would destroy it. So those who use the
 * cluster say where they are and show life by touching a file, and a newcomer from elsewhere refuses while they do.
 */
import { readFile, rename, stat, utimes, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../errors.ts";
import { compare, isPlace, ownPlace } from "../../lib/process-identity.ts";
import type { Layout } from "./layout.ts";

const BEAT_MS = 2_000;
/** Five missed beats: a container that was killed is waited out, a busy one is not mistaken for dead. */
const SILENCE_MS = 10_000;
const POLL_MS = 100;

/** Says that the cluster is now used from here. Written before the server starts, so a crash leaves it right. */
export async function occupy({ occupancy }: Layout): Promise<void> {
  const partial = `${occupancy}.tmp`;
  await writeFile(partial, JSON.stringify(await ownPlace()), { mode: 0o600, flush: true });
  await rename(partial, occupancy);
}

/** Shows life until the returned function is called. */
export function showLife({ occupancy }: Layout): () => void {
  const touch = async () => {
    const now = new Date();
    await utimes(occupancy, now, now).catch(() => undefined);
  };
  const beat = setInterval(() => void touch(), BEAT_MS).unref();
  return () => clearInterval(beat);
}

/** Where the one who used the cluster last was, seen from here. Pids of `here` alone mean anything. */
export async function lastOccupant({ occupancy }: Layout): Promise<"here" | "ended" | "elsewhere"> {
  const text = await readFile(occupancy, "utf8").catch(() => null);
  const place: unknown = text === null ? null : JSON.parse(text);
  return isPlace(place) ? compare(place, await ownPlace()) : "here";
}

/** Resolves once an occupant elsewhere has shown no life for `silenceMs`; throws if there is a sign of it. */
export async function awaitSilence(
  { root, occupancy }: Layout,
  { signal, silenceMs = SILENCE_MS }: { signal: AbortSignal; silenceMs?: number },
): Promise<void> {
  const first = await lastBeat(occupancy);
  const deadline = performance.now() + silenceMs;
  while (performance.now() < deadline) {
    await delay(POLL_MS, undefined, { signal });
    if ((await lastBeat(occupancy)) === first) continue;
    throw new AppError(
      "already_running",
      `The database in ${root} is in use by another container or machine. Stop that one first, choose another ` +
        "DATA_DIR, or set DATABASE_URL on both to share one PostgreSQL.",
    );
  }
}

async function lastBeat(occupancy: string): Promise<number> {
  return (await stat(occupancy)).mtimeMs;
}

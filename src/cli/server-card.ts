/**
 * How commands find the running server: it writes a file to its data folder, and a copy to its user's state folder
 * for commands that do not know the data folder. A file counts only while its process is alive, so a leftover of a
 * crash does no harm.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { compare, isProcessIdentity, ownIdentity, ownPlace, startOf } from "../lib/process-identity.ts";
import type { ProcessIdentity } from "../lib/process-identity.ts";

export type ServerCard = {
  readonly pid: number;
  /** The address in its feed URLs. */
  readonly url: string;
  readonly dataDir: string;
  readonly isEmbedded: boolean;
  readonly process: ProcessIdentity;
};

const cardIn = (dataDir: string): string => join(dataDir, "server.json");

/** Writes the files of this process; resolves with the function that deletes them. */
export async function leaveCard(config: Config, stateDir: string): Promise<() => Promise<void>> {
  const { dataDir, baseUrl: url, databaseUrl } = config;
  const identity = await ownIdentity();
  const card: ServerCard = {
    pid: process.pid,
    url,
    dataDir,
    isEmbedded: databaseUrl === null,
    process: identity,
  };
  const own = cardIn(dataDir);
  const copy = join(stateDir, `server-${process.pid}.json`);
  await writeFile(own, JSON.stringify(card));
  // Only a convenience: a service account may have no home to write to.
  await mkdir(stateDir, { recursive: true })
    .then(async () => writeFile(copy, JSON.stringify(card), { mode: 0o600 }))
    .catch(() => undefined);
  return async () => {
    // Of several servers on one folder, the last to start has the card.
    const kept = await readCard(own);
    if (kept?.pid === process.pid) await rm(own, { force: true });
    await rm(copy, { force: true }).catch(() => undefined);
  };
}

/** The server that runs on a data folder. */
export async function serverOn(dataDir: string): Promise<ServerCard | undefined> {
  const card = await readCard(cardIn(dataDir));
  return card && (await isRunning(card)) ? card : undefined;
}

/** All servers of this user that run; cards of others are removed. */
export async function runningServers(stateDir: string): Promise<readonly ServerCard[]> {
  const names = await readdir(stateDir).catch((): string[] => []);
  const cards = names.filter((name) => /^server-\d+\.json$/.test(name)).map((name) => join(stateDir, name));
  const found = await Promise.all(
    cards.map(async (path) => {
      const card = await readCard(path);
      if (card && (await isRunning(card))) return [card];
      await rm(path, { force: true }).catch(() => undefined);
      return [];
    }),
  );
  return found.flat();
}

async function readCard(path: string): Promise<ServerCard | undefined> {
  try {
    const card = JSON.parse(await readFile(path, "utf8")) as Partial<ServerCard>;
    return isProcessIdentity(card.process) ? (card as ServerCard) : undefined;
  } catch {
    return undefined;
  }
}

/** Of a process on another machine, which shares the folder, nothing is known: it is believed. */
async function isRunning({ process: { pid, started, place } }: ServerCard): Promise<boolean> {
  const where = compare(place, await ownPlace());
  return where === "elsewhere" || (where === "here" && (await startOf(pid)) === started);
}

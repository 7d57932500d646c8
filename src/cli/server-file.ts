/**
 * How commands find the running server: it writes a file to its data folder, and a copy to its user's state folder
 * for commands that do not know the data folder. A file counts only while its process is alive, so a leftover of a
 * crash does no harm.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Config, SETTINGS } from "../config.ts";
import { compare, isProcessIdentity, ownIdentity, ownPlace, startOf } from "../lib/process-identity.ts";
import type { ProcessIdentity } from "../lib/process-identity.ts";

export type ServerFile = {
  readonly pid: number;
  /** The address in its feed URLs. */
  readonly url: string;
  readonly dataDir: string;
  readonly isEmbedded: boolean;
  /** Whether it allows loopback targets without a setting. */
  readonly allowLoopback: boolean;
  /** Its settings, without secrets. Missing if an older version wrote the file. */
  readonly settings?: Partial<Config>;
  readonly process: ProcessIdentity;
};

/** Settings that are no secrets. */
export const OPEN_SETTINGS = (Object.keys(SETTINGS) as readonly (keyof typeof SETTINGS)[]).filter(
  (key) => SETTINGS[key].secret !== true,
);

const fileIn = (dataDir: string): string => join(dataDir, "server.json");

/** Writes the files of this process; resolves with the function that deletes them. */
export async function writeServerFile(config: Config, stateDir: string): Promise<() => Promise<void>> {
  const { dataDir, baseUrl: url, databaseUrl, allowLoopback } = config;
  const identity = await ownIdentity();
  const { pid } = process;
  const isEmbedded = databaseUrl === null;
  const settings = Object.fromEntries(OPEN_SETTINGS.map((key) => [key, config[key]]));
  const server: ServerFile = { pid, url, dataDir, isEmbedded, allowLoopback, settings, process: identity };
  const own = fileIn(dataDir);
  const copy = join(stateDir, `server-${pid}.json`);
  await writeFile(own, JSON.stringify(server));
  // Only a convenience: a service account may have no home to write to.
  await mkdir(stateDir, { recursive: true })
    .then(async () => writeFile(copy, JSON.stringify(server), { mode: 0o600 }))
    .catch(() => undefined);
  return async () => {
    // Of several servers on one folder, the file is that of the last to start.
    if ((await readServerFile(own))?.pid === pid) await rm(own, { force: true });
    await rm(copy, { force: true }).catch(() => undefined);
  };
}

/** The server that runs on a data folder. */
export async function serverOn(dataDir: string): Promise<ServerFile | undefined> {
  const server = await readServerFile(fileIn(dataDir));
  return server && (await isRunning(server)) ? server : undefined;
}

/** All running servers of this user; files of others are deleted. */
export async function runningServers(stateDir: string): Promise<readonly ServerFile[]> {
  const names = await readdir(stateDir).catch((): string[] => []);
  const paths = names.filter((name) => /^server-\d+\.json$/.test(name)).map((name) => join(stateDir, name));
  const found = await Promise.all(
    paths.map(async (path) => {
      const server = await readServerFile(path);
      if (server && (await isRunning(server))) return [server];
      await rm(path, { force: true }).catch(() => undefined);
      return [];
    }),
  );
  return found.flat();
}

async function readServerFile(path: string): Promise<ServerFile | undefined> {
  try {
    const server = JSON.parse(await readFile(path, "utf8")) as Partial<ServerFile>;
    return isProcessIdentity(server.process) ? (server as ServerFile) : undefined;
  } catch {
    return undefined;
  }
}

/** A process on another machine that shares the folder cannot be checked, so it counts as running. */
async function isRunning({ process: { pid, started, place } }: ServerFile): Promise<boolean> {
  const where = compare(place, await ownPlace());
  return where === "elsewhere" || (where === "here" && (await startOf(pid)) === started);
}

/**
 * Which installation a command works on. With DATA_DIR or DATABASE_URL set, that one; without, the one whose server is
 * running. The feed URLs are the running server's: its BASE_URL or PORT may be set where only it sees them.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { readConfig, stateDir } from "../config.ts";
import type { Config } from "../config.ts";
import { AppError } from "../errors.ts";
import type { Io } from "./context.ts";
import { runningServers, serverOn } from "./server-card.ts";

export async function configBesideServer(io: Io, isQuiet: boolean): Promise<Config> {
  const config = readConfig(io.env);
  const isChosen = ["DATA_DIR", "DATABASE_URL", "DATABASE_URL_FILE"].some((name) => io.env[name]);
  const dataDir = isChosen ? config.dataDir : await dataDirOfServer(io, config, isQuiet);
  const server = await serverOn(dataDir);
  return { ...config, dataDir, baseUrl: server?.url ?? config.baseUrl };
}

async function dataDirOfServer(io: Io, { dataDir }: Config, isQuiet: boolean): Promise<string> {
  const note = (text: string) => {
    if (!isQuiet) io.talk(`${text}\n`);
  };
  const servers = await runningServers(stateDir(io.env));
  if (servers.some((server) => server.dataDir === dataDir)) return dataDir;
  const [server, another] = servers;
  if (server === undefined) {
    if (!(await isThere(join(dataDir, "postgres"))))
      note(`DATA_DIR is not set and no server is running: using ${dataDir}, which is new.`);
    return dataDir;
  }
  if (another !== undefined) {
    const list = servers.map((one) => `${one.dataDir} (${one.url})`).join(", ");
    throw new AppError(
      "config_invalid",
      `Several servers are running. Set DATA_DIR to that of one: ${list}.`,
    );
  }
  if (!server.isEmbedded) {
    throw new AppError(
      "config_invalid",
      `The server at ${server.url} uses a database of its own. Set DATABASE_URL, SECRET_KEY and DATA_DIR (${server.dataDir}) as it has them.`,
    );
  }
  note(`Using the running server at ${server.url}, DATA_DIR ${server.dataDir}.`);
  return server.dataDir;
}

const isThere = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

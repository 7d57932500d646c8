/**
 * Which installation a command works on: that of DATA_DIR or DATABASE_URL if set, otherwise that of the running server.
 * Feed URLs, and whether loopback targets are allowed, are those of the running server, whose BASE_URL, HOST or PORT may differ
 * from the command's.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../config.ts";
import { stateDir } from "../config-setting.ts";
import type { Config } from "../config.ts";
import { AppError } from "../errors.ts";
import type { Io } from "./context.ts";
import { runningServers, serverOn } from "./server-file.ts";

export async function configBesideServer(io: Io, isQuiet: boolean): Promise<Config> {
  const config = readConfig(io.env);
  const isChosen = ["DATA_DIR", "DATABASE_URL", "DATABASE_URL_FILE"].some((name) => io.env[name]);
  const dataDir = isChosen ? config.dataDir : await dataDirOfServer(io, config, isQuiet);
  const server = await serverOn(dataDir);
  const { url: baseUrl, allowLoopback } = server ?? { ...config, url: config.baseUrl };
  return { ...config, dataDir, baseUrl, allowLoopback };
}

async function dataDirOfServer(io: Io, { dataDir }: Config, isQuiet: boolean): Promise<string> {
  const note = (text: string) => {
    if (!isQuiet) io.talk(`${text}\n`);
  };
  const servers = await runningServers(stateDir(io.env));
  if (servers.some((server) => server.dataDir === dataDir)) return dataDir;
  const [server, another] = servers;
  if (server === undefined) {
    if (!existsSync(join(dataDir, "postgres")))
      note(`DATA_DIR is not set and no server is running: using ${dataDir}, which is new.`);
    return dataDir;
  }
  if (another !== undefined) {
    const list = servers.map((one) => `${one.dataDir} (${one.url})`).join(", ");
    throw new AppError("config_invalid", `Several servers are running. Set DATA_DIR to one of: ${list}.`);
  }
  if (!server.isEmbedded) {
    throw new AppError(
      "config_invalid",
      `The server at ${server.url} uses its own database. Set the same DATABASE_URL, SECRET_KEY and DATA_DIR (${server.dataDir}).`,
    );
  }
  note(`Using the running server at ${server.url}, DATA_DIR ${server.dataDir}.`);
  return server.dataDir;
}

/**
 * Which installation a command works on: that of DATA_DIR or DATABASE_URL if set, otherwise that of the running server.
 * Feed URLs, and whether loopback targets are allowed, are those of the running server, whose BASE_URL, HOST or PORT
 * may differ from the command's. So are all settings that the command's environment does not set, except secrets.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readConfig, SETTINGS } from "../config.ts";
import { isSet, stateDir } from "../config-setting.ts";
import type { Config, Env } from "../config.ts";
import { AppError } from "../errors.ts";
import type { Io } from "./context.ts";
import { OPEN_SETTINGS, runningServers, serverOn } from "./server-file.ts";
import type { ServerFile } from "./server-file.ts";

export async function configBesideServer(io: Io, isQuiet: boolean): Promise<Config> {
  const config = readConfig(io.env);
  const isChosen = ["DATA_DIR", "DATABASE_URL", "DATABASE_URL_FILE"].some((name) => io.env[name]);
  const dataDir = isChosen ? config.dataDir : await dataDirOfServer(io, config, isQuiet);
  const server = await serverOn(dataDir);
  if (!server) return { ...config, dataDir };
  const unset = OPEN_SETTINGS.filter((key) => !isSet(SETTINGS[key], io.env));
  const { url: baseUrl, allowLoopback, settings = {} } = server;
  const served = Object.fromEntries(
    unset.filter((key) => key in settings).map((key) => [key, settings[key]]),
  );
  return { ...config, ...served, dataDir, baseUrl, allowLoopback };
}

/** The names of settings that the command's environment sets to other values than the server has. */
export function differingSettings({ settings = {} }: ServerFile, env: Env): readonly string[] {
  const own = readConfig(env);
  return OPEN_SETTINGS.filter(
    (key) => isSet(SETTINGS[key], env) && key in settings && !isDeepStrictEqual(settings[key], own[key]),
  ).map((key) => SETTINGS[key].env);
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

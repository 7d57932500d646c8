/**
 * Settings from the file `.env` in the working directory. The environment takes precedence, even with an empty value;
 * other variables in the file are ignored.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { SETTINGS } from "../config.ts";
import type { Env } from "../config.ts";
import { AppError, systemCode } from "../errors.ts";

const NAMES: ReadonlySet<string> = new Set(
  Object.values(SETTINGS).flatMap(({ env }) => [env, `${env}_FILE`]),
);

export function withEnvFile(env: Env, folder: string): Env {
  const text = readIfExists(join(folder, ".env"));
  if (text === undefined) return env;
  const settings = Object.entries(parseEnv(text)).filter(([name]) => NAMES.has(name) && !isSet(name, env));
  return { ...Object.fromEntries(settings), ...env };
}

/** `SECRET_KEY_FILE` in the environment replaces `SECRET_KEY` of the file, and the other way round. */
function isSet(name: string, env: Env): boolean {
  const plain = name.replace(/_FILE$/, "");
  return env[plain] !== undefined || env[`${plain}_FILE`] !== undefined;
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const code = systemCode(cause);
    // `.env` may also be a folder: a Python environment.
    if (code === "ENOENT" || code === "EISDIR") return undefined;
    throw new AppError("config_invalid", `The settings in ${path} cannot be read (${code}).`, { cause });
  }
}

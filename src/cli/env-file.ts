/**
 * Settings from the file `.env` in the working directory, beside those of the environment. The environment wins, also
 * with an empty value; variables that are no settings of ours are not taken from the file.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { SETTINGS } from "../config.ts";
import type { Env } from "../config.ts";
import { AppError } from "../errors.ts";

const NAMES: ReadonlySet<string> = new Set(
  Object.values(SETTINGS).flatMap(({ env }) => [env, `${env}_FILE`]),
);

export function withEnvFile(env: Env, folder: string): Env {
  const text = readIfThere(join(folder, ".env"));
  if (text === undefined) return env;
  const given = Object.entries(parseEnv(text)).filter(([name]) => NAMES.has(name) && !isSet(name, env));
  return { ...Object.fromEntries(given), ...env };
}

/** `SECRET_KEY_FILE` in the environment replaces `SECRET_KEY` of the file, and the other way round. */
function isSet(name: string, env: Env): boolean {
  const plain = name.replace(/_FILE$/, "");
  return env[plain] !== undefined || env[`${plain}_FILE`] !== undefined;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : "";
    // `.env` may also be a folder: a Python environment.
    if (code === "ENOENT" || code === "EISDIR") return undefined;
    throw new AppError("config_invalid", `The settings in ${path} cannot be read (${String(code)}).`, {
      cause,
    });
  }
}

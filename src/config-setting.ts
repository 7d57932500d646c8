/** Declares the type of a setting, and reads settings from the environment. */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { AppError } from "./errors.ts";
import type { FieldProblem } from "./errors.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** Where the files of this user's running servers are stored. */
export const stateDir = (env: Env): string =>
  join(env["XDG_STATE_HOME"] || join(homedir(), ".local/state"), "shelfwire");

/** Production has no demo. The image and the systemd units set NODE_ENV. */
export const isProduction = (env: Env): boolean => env["NODE_ENV"] === "production";

export type ConfigSetting<T> = {
  readonly env: string;
  /** As docs/config.md shows it. */
  readonly default: string;
  readonly help: string;
  /** May also be given as `<NAME>_FILE`, the path of a file with the value. */
  readonly secret?: boolean;
  readonly parse: (text: string) => T;
  readonly absent: T;
};

export const setting = <T>(entry: ConfigSetting<T>): ConfigSetting<T> => entry;

/** A setting with a default in the form that a user would write. */
export const withDefault = <T>(entry: Omit<ConfigSetting<T>, "absent">): ConfigSetting<T> => ({
  ...entry,
  default: `\`${entry.default}\``,
  absent: entry.parse(entry.default),
});

export function readSetting<T>(entry: ConfigSetting<T>, env: Env, problems: FieldProblem[]): T {
  try {
    const text = textOf(entry, env);
    return text === undefined ? entry.absent : entry.parse(text);
  } catch (error) {
    if (error instanceof AppError) problems.push(...error.fields);
    else
      problems.push({ pointer: entry.env, detail: error instanceof Error ? error.message : String(error) });
    return entry.absent;
  }
}

/** Returns true if the setting is set in either way, valid or not. */
export function isSet({ env: name }: Pick<ConfigSetting<unknown>, "env">, env: Env): boolean {
  return Boolean(env[name] || env[`${name}_FILE`]);
}

/** Some settings need each other. Returns a problem for each one that is not set although another one is. */
export function missingBeside(
  settings: readonly Pick<ConfigSetting<unknown>, "env">[],
  env: Env,
  others: string,
): readonly FieldProblem[] {
  const missing = settings.filter((entry) => !isSet(entry, env));
  if (missing.length === settings.length) return [];
  return missing.map(({ env: pointer }) => ({ pointer, detail: `is required with ${others}` }));
}

/** An empty variable counts as not set: compose files and shells write it so. */
function textOf({ env: name, secret }: ConfigSetting<unknown>, env: Env): string | undefined {
  const text = env[name] || undefined;
  const path = secret ? env[`${name}_FILE`] || undefined : undefined;
  if (path === undefined) return text;
  if (text !== undefined) throw new Error(`is set twice, as ${name} and as ${name}_FILE`);
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    throw new Error(`cannot be read from ${path}, the path in ${name}_FILE`);
  }
}

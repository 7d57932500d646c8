/**
 * The settings of a source from the command line: `name=value`, `name=@file`, `name=-` for standard input, and a prompt
 * for a missing required secret. `@@` begins a value that starts with `@`.
 */
import { readFile } from "node:fs/promises";
import { AppError, invalidRequest } from "../errors.ts";
import { CONNECTORS, isSourceKind } from "../sources/registry.ts";
import type { SettingField } from "../sources/source.ts";
import type { Io } from "./context.ts";

export async function readSourceSettings(io: Io, pairs: readonly string[]): Promise<Record<string, string>> {
  const settings: Record<string, string> = {};
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1) throw invalidRequest(`--set must be name=value, not "${pair}".`);
    settings[pair.slice(0, at)] = await valueOf(io, pair.slice(0, at), pair.slice(at + 1));
  }
  return settings;
}

async function valueOf({ input }: Io, name: string, text: string): Promise<string> {
  if (text === "-") {
    if (!input) throw invalidRequest(`--set ${name}=-: there is no standard input to read.`);
    return (await input.read()).trimEnd();
  }
  if (text.startsWith("@@")) return text.slice(1);
  if (!text.startsWith("@")) return text;
  const path = text.slice(1);
  const content = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new AppError(
      "invalid_request",
      `--set ${name}: ${path} cannot be read. Write @@ for a value that begins with @.`,
      { cause },
    );
  });
  return content.trimEnd();
}

/** Prompts for missing required secrets, if there is a terminal. */
export async function askForSecrets(
  { input }: Io,
  kind: string,
  known: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const settings = { ...known };
  if (!input?.ask || !isSourceKind(kind)) return settings;
  for (const { name, label, secret, required } of CONNECTORS[kind].fields)
    if (secret && required && settings[name] === undefined)
      settings[name] = await input.ask(`${label} (${name}): `, { isHidden: true });
  return settings;
}

/** The settings of every kind, for the help of a command. */
export function settingsHelp(): string {
  const kinds = Object.values(CONNECTORS).map(({ kind, label, fields }) =>
    [`  ${kind} (${label})`, ...fields.map(fieldLine)].join("\n"),
  );
  return [
    "",
    "Settings by kind, for --set:",
    "",
    ...kinds,
    "",
    "A value may be read from a file (--set access_token=@token.txt) or from standard input (--set access_token=-).",
    "A missing required secret is asked for.",
    "",
  ].join("\n");
}

function fieldLine({ name, help, required, secret, choices, default: preset }: SettingField): string {
  const notes = [
    ...(required ? ["required"] : []),
    ...(secret ? ["secret"] : []),
    ...(choices ? [`one of ${choices.join(", ")}`] : []),
    ...(preset === undefined ? [] : [`default ${preset}`]),
  ];
  return `    ${name.padEnd(18)} ${help}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
}

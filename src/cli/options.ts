/** Reads values of options. A problem is reported with the name of the option. */
import type { Command } from "commander";
import type { CatalogSettings } from "../catalog/settings.ts";
import { duration } from "../config-values.ts";
import { invalidRequest } from "../errors.ts";
import type { FieldProblem } from "../errors.ts";
import { readCatalogSettings, SETTING_OPTIONS } from "../setup/catalog-settings.ts";
import type { SettingTexts } from "../setup/catalog-settings.ts";
import { currencyProblems, refuse } from "../setup/catalogs.ts";

/** For an option that may be repeated. */
export const collect = (value: string, previous: readonly string[]): readonly string[] => [
  ...previous,
  value,
];

/** Separated by commas. */
export const listOf = (text: string): readonly string[] =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

export function choice<const T extends string>(option: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === text);
  if (found !== undefined) return found;
  throw invalidRequest(`${option} must be one of ${allowed.join(", ")}, not "${text}".`);
}

export const yesOrNo = (option: string, text: string | undefined): boolean | undefined =>
  text === undefined ? undefined : choice(option, text, ["yes", "no"]) === "yes";

export function wholeNumber(option: string, text: string, max: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  if (number >= 1 && number <= max) return number;
  throw invalidRequest(`${option} must be a whole number from 1 to ${max}, not "${text}".`);
}

/**
 * For a call of the API, whose schema says which numbers it takes. A text that is no number stays a text, which it
 * refuses.
 */
export const numberOrText = (text: string): number | string => {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isNaN(number) ? text : number;
};

/** An empty text is not 0. */
export function ratio(option: string, text: string): number {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (number >= 0 && number <= 1) return number;
  throw invalidRequest(`${option} must be a number from 0 to 1, not "${text}".`);
}

/** `0`, `30m`, `24h`, `7d`. */
export function secondsOf(option: string, text: string): number {
  if (text.trim() === "0") return 0;
  try {
    return duration(text);
  } catch (error) {
    throw invalidRequest(`${option} ${(error as Error).message}.`);
  }
}

export function timeOf(option: string, text: string): Date {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time;
  throw invalidRequest(`${option} must be a time such as 2026-11-15T06:00:00Z or 2026-11-15, not "${text}".`);
}

/** `storeUrl` is `--store-url`. */
const flagOf = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** An option for each setting of a catalog. */
export function settingOptions(command: Command): Command {
  for (const { key, placeholder, help } of SETTING_OPTIONS)
    command.option(`${flagOf(key)} <${placeholder}>`, `${help.charAt(0).toLowerCase()}${help.slice(1, -1)}`);
  return command;
}

/** The settings from the options of `settingOptions`; `problems` are those of other options. */
export function readSettingOptions(
  what: Parameters<typeof refuse>[0],
  texts: SettingTexts,
  problems: readonly FieldProblem[] = [],
): CatalogSettings {
  const read = readCatalogSettings(texts);
  const missing = what === "created" && texts.currency === undefined ? currencyProblems(read.settings) : [];
  const all = [...problems, ...read.problems, ...missing];
  refuse(
    what,
    all.map(({ pointer, detail }) => ({ pointer: flagOf(pointer), detail })),
  );
  return read.settings;
}

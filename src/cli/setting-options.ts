/** The settings of a catalog as options of a command, from the one table of them. */
import type { Command } from "commander";
import type { FieldProblem } from "../errors.ts";
import { refuse } from "../setup/catalogs.ts";
import { CATALOG_SETTING_KEYS, CATALOG_SETTINGS } from "../setup/catalog-settings.ts";

/** `storeUrl` as `--store-url`: as the user spells it. */
const flagOf = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Refuses with the options' own names. */
export function refuseOptions(what: Parameters<typeof refuse>[0], problems: readonly FieldProblem[]): void {
  refuse(
    what,
    problems.map(({ pointer, detail }) => ({
      pointer: pointer.startsWith("--") ? pointer : flagOf(pointer),
      detail,
    })),
  );
}

/** `sellerName` as `--seller-name <name>`. */
export function settingOptions(command: Command): Command {
  for (const key of CATALOG_SETTING_KEYS) {
    const { placeholder, help } = CATALOG_SETTINGS[key];
    command.option(`${flagOf(key)} <${placeholder}>`, help);
  }
  return command;
}

/** The settings of a catalog as options of a command, from the one table of them. */
import type { Command } from "commander";
import { CATALOG_SETTING_KEYS, CATALOG_SETTINGS } from "../setup/catalog-settings.ts";

/** `sellerName` as `--seller-name <name>`. */
export function settingOptions(command: Command): Command {
  for (const key of CATALOG_SETTING_KEYS) {
    const { placeholder, help } = CATALOG_SETTINGS[key];
    const flag = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    command.option(`--${flag} <${placeholder}>`, help);
  }
  return command;
}

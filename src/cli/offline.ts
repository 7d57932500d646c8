/** Opens a feed, from a file or an address, without a server or a database. */
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Command, Option } from "commander";
import { AppError, invalidRequest } from "../errors.ts";
import type { Config } from "../config.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import { withBundledFiles, withLocalFile } from "../lib/bundled-files.ts";
import { httpClient } from "../lib/outbound/http-client.ts";
import { readOffline } from "../pipeline/offline/read.ts";
import type { OfflineCatalog } from "../pipeline/offline/read.ts";
import { checkFeedUrl, FEED_URL_FIELDS } from "../sources/feed-url/settings.ts";
import { CONNECTORS } from "../sources/registry.ts";
import type { SourceSettings } from "../sources/source.ts";
import { SAMPLE_DIR, USER_AGENT } from "./program.ts";

const isAddress = (target: string): boolean => /^(https?|sample):/.test(target);

export type OfflineFeed = {
  /** A file or an address. */
  readonly target: string;
  readonly settings: CatalogSettings;
  /** Settings of a feed URL, by their names. */
  readonly file: SourceSettings;
};

/** The settings of a feed URL that say how to read a file, by the names that commander gives to their options. */
const FILE_OPTIONS = {
  decimalMark: "decimal_mark",
  encoding: "encoding",
  columns: "columns",
  linkTemplate: "link_template",
} as const;

export type OfflineFileOptions = Partial<Record<keyof typeof FILE_OPTIONS, string>>;

const flagOf = (name: string): string => `--${name.replaceAll("_", "-")}`;

/** The same settings as those of a source, so that each advice about a file can be followed offline too. */
export function fileOptions(command: Command): Command {
  for (const name of Object.values(FILE_OPTIONS)) {
    const { help = "", choices } = FEED_URL_FIELDS.find((field) => field.name === name) ?? {};
    const option = new Option(`${flagOf(name)} <text>`, help);
    command.addOption(choices === undefined ? option : option.choices(choices));
  }
  return command;
}

/** Takes the settings of the file out of a command's options. Throws `invalid_request` for a setting that is wrong. */
export function takeFileOptions<O extends OfflineFileOptions>(options: O) {
  const { decimalMark, encoding, columns, linkTemplate, ...rest } = options;
  const given = { decimalMark, encoding, columns, linkTemplate };
  const file = Object.fromEntries(
    Object.entries(FILE_OPTIONS).flatMap(([option, name]) => {
      const text = given[option as keyof OfflineFileOptions];
      return text === undefined ? [] : [[name, text]];
    }),
  );
  const [problem] = checkFeedUrl(file);
  if (problem) throw invalidRequest(`${flagOf(problem.setting)}: ${problem.detail}`);
  return { file, rest };
}

export async function openOffline(
  config: Config,
  { target, settings, file }: OfflineFeed,
): Promise<OfflineCatalog> {
  const { allowPrivateTargets: allowPrivate, allowLoopback } = config;
  const client = httpClient({ allowPrivate, allowLoopback, userAgent: USER_AGENT });
  const outside = withBundledFiles(client, SAMPLE_DIR);
  const path = resolve(target);
  if (!isAddress(target) && !(await stat(path).catch(() => undefined))?.isFile())
    throw new AppError("source_not_found", `There is no file ${target}. Name a file or an http(s) address.`);
  const url = isAddress(target) ? target : pathToFileURL(path).href;
  try {
    return await readOffline({
      connector: CONNECTORS.feed_url,
      url,
      file,
      settings,
      http: isAddress(target) ? outside : withLocalFile(outside, { url, path }),
      spoolRoot: join(tmpdir(), "shelfwire-spool"),
      signal: AbortSignal.timeout(30 * 60_000),
    });
  } finally {
    await outside.close();
  }
}

/** Opens a feed, from a file or an address, without a server or a database. */
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Option } from "commander";
import { AppError } from "../errors.ts";
import type { Config } from "../config.ts";
import type { DecimalMark } from "../catalog/decimal.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import { withBundledFiles, withLocalFile } from "../lib/bundled-files.ts";
import { httpClient } from "../lib/outbound/http-client.ts";
import { readOffline } from "../pipeline/offline/read.ts";
import type { OfflineCatalog } from "../pipeline/offline/read.ts";
import { DECIMAL_MARKS } from "../sources/feed-url/settings.ts";
import { CONNECTORS } from "../sources/registry.ts";
import { SAMPLE_DIR, USER_AGENT } from "./program.ts";

const isAddress = (target: string): boolean => /^(https?|sample):/.test(target);

export type OfflineFeed = {
  /** A file or an address. */
  readonly target: string;
  readonly settings: CatalogSettings;
  readonly decimalMark?: DecimalMark | undefined;
};

/** For the action of a command, together with the options of `settingOptions`. */
export const decimalMarkOption = (): Option =>
  new Option(
    "--decimal-mark <mark>",
    "the mark before the decimals of prices, if prices such as 1.299 can be read two ways",
  ).choices(DECIMAL_MARKS);

export async function openOffline(
  config: Config,
  { target, settings, decimalMark }: OfflineFeed,
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
      ...(decimalMark !== undefined && { decimalMark }),
      settings,
      http: isAddress(target) ? outside : withLocalFile(outside, { url, path }),
      spoolRoot: join(tmpdir(), "shelfwire-spool"),
      signal: AbortSignal.timeout(30 * 60_000),
    });
  } finally {
    await outside.close();
  }
}

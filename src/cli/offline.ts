/** Opens a feed, from a file or an address, without a server or a database. */
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { AppError } from "../errors.ts";
import type { Config } from "../config.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import { withBundledFiles, withLocalFile } from "../lib/bundled-files.ts";
import { httpClient } from "../lib/outbound/http-client.ts";
import { readOffline } from "../pipeline/offline/read.ts";
import type { OfflineCatalog } from "../pipeline/offline/read.ts";
import { CONNECTORS } from "../sources/registry.ts";
import { SAMPLE_DIR, USER_AGENT } from "./program.ts";

const isAddress = (target: string): boolean => /^(https?|sample):/.test(target);

export async function openOffline(
  config: Config,
  target: string,
  settings: CatalogSettings,
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
      settings,
      http: isAddress(target) ? outside : withLocalFile(outside, { url, path }),
      spoolRoot: join(tmpdir(), "shelfwire-spool"),
      signal: AbortSignal.timeout(30 * 60_000),
    });
  } finally {
    await outside.close();
  }
}

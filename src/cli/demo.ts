/** The demo catalog in the start message: created and synced the first time, and shown while it exists. */
import { counted } from "../lib/counted.ts";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FEED_FILES } from "../channels/registry.ts";
import { requestSync, waitForSync } from "../pipeline/requests.ts";
import { createDemo, DEMO_SLUG } from "../setup/demo.ts";
import { findCatalogBySlug } from "../store/catalogs.ts";
import { listSources } from "../store/sources.ts";
import type { System } from "./system.ts";

export async function demoLines(system: System, signal: AbortSignal): Promise<readonly string[]> {
  const { db, encryption, config } = system;
  // Stored for this message; the key gives access to the demo catalog only.
  const keyFile = join(config.dataDir, "demo.key");
  const saveKey = async (key: string) => writeFile(keyFile, `${key}\n`, { mode: 0o600 });
  await createDemo(db, encryption, { intervalS: config.syncIntervalS, saveKey });
  const key = await readFile(keyFile, "utf8").catch(() => null);
  const found = await findCatalogBySlug(db, DEMO_SLUG);
  if (!found || key === null) return [];
  // New, or a start was interrupted before its first sync was done.
  if (found.itemCount === 0) await syncDemo(system, found.id, signal);
  const catalog = (await findCatalogBySlug(db, DEMO_SLUG)) ?? found;
  return [
    "",
    `  A demo catalog, "${catalog.name}", with ${counted(catalog.itemCount, "item")}:`,
    "",
    `  API key  ${key.trim()}`,
    ...FEED_FILES.map((file) => `  feed     ${system.jobs.feedUrl(catalog, file)}`),
  ];
}

async function syncDemo({ db, notices, log }: System, catalogId: string, signal: AbortSignal): Promise<void> {
  const [source] = await listSources(db, catalogId);
  if (!source) return;
  log.info({}, "syncing the demo shop and rendering its feeds");
  const request = { catalogId, sourceId: source.id, cause: "command" } as const;
  const runId = await requestSync(db, request);
  await waitForSync({ db, notices, signal }, runId);
}

/** The demo catalog in the start message: created, synced and shown at the first start. Its key is shown this once. */
import { counted } from "../lib/counted.ts";
import { FEED_FILES } from "../channels/registry.ts";
import { requestSync, waitForSync } from "../pipeline/requests.ts";
import { createDemo, DEMO_SLUG, type Demo } from "../setup/demo.ts";
import { findCatalogBySlug } from "../store/catalogs.ts";
import type { System } from "./system.ts";

/**
 * Without lines if there is no demo to create. Its key and feed URLs are shown only at a terminal: a log must not have
 * them.
 */
export async function demoLines(
  system: System,
  { signal, isTerminal }: { readonly signal: AbortSignal; readonly isTerminal: boolean },
): Promise<readonly string[]> {
  const { db, encryption, config } = system;
  const demo = await createDemo(db, encryption, {
    intervalS: config.syncIntervalS,
    showsKey: isTerminal,
  });
  if (!demo) return [];
  await syncDemo(system, demo, signal);
  const catalog = await findCatalogBySlug(db, DEMO_SLUG);
  if (!catalog) return [];
  const about = `A demo catalog, "${catalog.name}", with ${counted(catalog.itemCount, "item")}`;
  if (demo.key === null) return ["", `  ${about}, was created; its slug is ${DEMO_SLUG}.`];
  return [
    "",
    `  ${about}. Its key is shown only now:`,
    "",
    `  API key  ${demo.key}`,
    ...FEED_FILES.map((file) => `  feed     ${system.jobs.feedUrl(catalog, file)}`),
  ];
}

async function syncDemo(
  { db, notices, log }: System,
  { catalogId, sourceId }: Demo,
  signal: AbortSignal,
): Promise<void> {
  log.info({}, "syncing the demo shop and rendering its feeds");
  const runId = await requestSync(db, { catalogId, sourceId, cause: "command" });
  await waitForSync({ db, notices, signal }, runId);
}

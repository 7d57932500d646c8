/** Shows the demo catalog at the start: made and synced the first time, shown again as long as it exists. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FEED_FILES } from "../feeds/format.ts";
import { requestSync, waitForSync } from "../pipeline/requests.ts";
import { createDemo, DEMO_SLUG } from "../setup/demo.ts";
import { findCatalogBySlug } from "../store/catalogs.ts";
import type { Io } from "./context.ts";
import type { System } from "./system.ts";

export async function showDemo(system: System, io: Io, signal: AbortSignal): Promise<void> {
  const { db, sealer, config, notices } = system;
  // The key is kept for this greeting alone; a demo shop's key opens a demo shop.
  const keyFile = join(config.dataDir, "demo.key");
  const demo = await createDemo(db, sealer, config.syncIntervalS);
  if (demo) {
    await writeFile(keyFile, `${demo.key}\n`, { mode: 0o600 });
    const runId = await requestSync(db, {
      catalogId: demo.catalogId,
      sourceId: demo.sourceId,
      cause: "command",
    });
    await waitForSync({ db, notices, signal }, runId);
  }
  const catalog = await findCatalogBySlug(db, DEMO_SLUG);
  const key = await readFile(keyFile, "utf8").catch(() => null);
  if (!catalog || key === null) return;
  io.out(
    `\n  A demo catalog, "${catalog.name}", with ${catalog.itemCount} items:\n\n  API key  ${key.trim()}\n`,
  );
  for (const file of FEED_FILES) io.out(`  feed     ${system.jobs.feedUrl(catalog, file)}\n`);
}

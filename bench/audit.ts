/**
 * Measures what the audit adds to a render of 100,000 items. The render is timed without reading the catalog from the
 * database, so the ratio is too high rather than too low. Prints Markdown.
 */
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import type { ItemGroup } from "../src/catalog/item.ts";
import { withLocalFile } from "../src/lib/bundled-files.ts";
import { httpClient } from "../src/lib/outbound/http-client.ts";
import { newId } from "../src/lib/id.ts";
import { type AuditPass, openAuditPass } from "../src/pipeline/audit/pass.ts";
import { recordAudit } from "../src/pipeline/audit/record.ts";
import { readOffline } from "../src/pipeline/offline/read.ts";
import { finishFiles, openPass, writeGroups } from "../src/pipeline/render/pass.ts";
import { feedFolders } from "../src/files/feed-folders.ts";
import { CONNECTORS } from "../src/sources/registry.ts";
import { findNewestAudit } from "../src/store/audits.ts";
import { type Catalog, findCatalog, insertCatalog } from "../src/store/catalogs.ts";
import type { Db } from "../src/store/db.ts";
import { catalogCsv } from "./catalog.ts";
import { withOwnDatabase } from "./own-database.ts";
import { median } from "./statistics.ts";

const ITEMS = 100_000;
const ROUNDS = 3;
const SETTINGS = { currency: "USD", country: "US", sellerName: "Bench", storeUrl: "https://shop.example/" };
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function readItems(dir: string): Promise<readonly ItemGroup[]> {
  const path = join(dir, "catalog.csv");
  await pipeline(catalogCsv(ITEMS, "first"), createWriteStream(path));
  const url = pathToFileURL(path).href;
  const outside = httpClient({ allowPrivate: [], userAgent: "bench" });
  const { groups } = await readOffline({
    connector: CONNECTORS.feed_url,
    url,
    settings: SETTINGS,
    http: withLocalFile(outside, { url, path }),
    spoolRoot: join(dir, "spool"),
    signal: new AbortController().signal,
  });
  await outside.close();
  return groups;
}

const NO_AUDIT: AuditPass = {
  add: () => undefined,
  record: () => null,
  keep: () => true,
  addKept: () => undefined,
  replaced: () => undefined,
  examplesFrom: () => undefined,
  needsExample: () => false,
  addExamples: () => undefined,
  remove: () => undefined,
  abandon: () => Promise.resolve(),
  finish: () => Promise.resolve({ kind: "failed", error: null }),
};

async function renderOnce(catalog: Catalog, groups: readonly ItemGroup[], dir: string): Promise<number> {
  const attempt = newId();
  const folder = await feedFolders(join(dir, "feeds")).create(catalog.id, attempt);
  const began = performance.now();
  const pass = await openPass(catalog, new Date(), { folder, audit: NO_AUDIT });
  await writeGroups(
    pass,
    groups.map((group) => ({ group, bodies: [], fingerprints: [], sources: [] })),
  );
  await finishFiles(pass, attempt);
  await folder.commit();
  const ms = performance.now() - began;
  await folder.discard();
  return ms;
}

/** The render it refers to is not real. */
async function auditOnce(db: Db, catalog: Catalog, groups: readonly ItemGroup[]): Promise<number> {
  const asOf = new Date();
  const context = { settings: SETTINGS, asOf, freshness: { lastSyncAt: asOf, intervalS: 21_600 } };
  const began = performance.now();
  await db.session(async (auditSession) => {
    const pass = await openAuditPass(auditSession, catalog, context);
    for (const group of groups) {
      const full = pass.add(group);
      if (full) await full;
    }
    const outcome = await pass.finish(null);
    const render = {
      catalogId: catalog.id,
      renderRunId: newId(),
      startedAt: asOf,
      base: String(began),
      folder: newId(),
    };
    const recorded = await auditSession.tx(async (tx) => {
      const previous = await findNewestAudit(tx, catalog.id);
      return recordAudit(tx, { render, outcome, previous, log: SILENT });
    });
    if (!recorded) throw new Error("the audit failed");
  });
  return performance.now() - began;
}

async function requireCatalog(db: Db): Promise<Catalog> {
  const id = newId();
  const token = Buffer.alloc(32);
  const fresh = { id, slug: "bench", name: "Bench", settings: SETTINGS };
  await insertCatalog(db, { ...fresh, feedTokenHash: token, feedTokenEncrypted: token });
  const catalog = await findCatalog(db, id);
  if (!catalog) throw new Error("the catalog is gone");
  return catalog;
}

await withOwnDatabase(async (db, dir) => {
  const groups = await readItems(dir);
  const catalog = await requireCatalog(db);
  const renders: number[] = [];
  const audits: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    renders.push(await renderOnce(catalog, groups, dir));
    audits.push(await auditOnce(db, catalog, groups));
  }
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
  const [firstAudit = 0, ...laterAudits] = audits;
  const render = median(renders);
  print(`| ${ITEMS} items | time | of the render |\n|---|---|---|`);
  print(`| render, four files | ${seconds(render)} | 1 |`);
  print(
    `| first audit, every verdict written | ${seconds(firstAudit)} | ${(firstAudit / render).toFixed(2)} |`,
  );
  const later = median(laterAudits);
  print(`| audit that finds the same again | ${seconds(later)} | ${(later / render).toFixed(2)} |`);
});

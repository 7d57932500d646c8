/**
 * `node bench/shops.ts`: a re-sync of a shop with 20,000 variants in which ten products changed, of what changed
 * against a full one, in requests and in time, for each shop system. The shops answer from memory on loopback, so the
 * time is ours and theirs without any network; the number of requests is what a real shop limits.
 */
import { join } from "node:path";
import { openBenchFolder } from "./folder.ts";
import { newId } from "../src/lib/id.ts";
import { requestSync, waitForRun } from "../src/pipeline/requests.ts";
import type { System } from "../src/cli/system.ts";
import { createCatalog } from "../src/setup/catalogs.ts";
import { addSource } from "../src/setup/sources.ts";
import { type AnyShop, SHOPS } from "../test/fakes/any-shop.ts";
import { startProgram } from "./program.ts";
import { markdownTable, number, type Row } from "./table.ts";

/** Of one to three variants each. */
const PRODUCTS = 10_000;
const CHANGED = 10;

type Cost = { readonly requests: number; readonly ms: number; readonly seen: number };

export async function measureShops(talk: (text: string) => void): Promise<readonly Row[]> {
  await using parts = new AsyncDisposableStack();
  const { root } = parts.use(await openBenchFolder());
  const { system } = parts.use(await startProgram(join(root, "data")));
  const rows: Row[] = [];
  for (const [name, open] of Object.entries(SHOPS)) {
    talk(`${name}: making a shop of ${PRODUCTS} products`);
    await using shop = await open(PRODUCTS);
    rows.push(...(await measureShop(name, shop, system)));
  }
  return rows;
}

async function measureShop(name: string, shop: AnyShop, system: System): Promise<readonly Row[]> {
  const subject = await connect(shop, system);
  const sync = (changesOnly: boolean): Promise<Cost> =>
    measureSync(shop, system, { ...subject, changesOnly });
  const { seen: items } = await sync(false);
  edit(shop, 40);
  const full = await sync(false);
  edit(shop, 41);
  const some = await sync(true);
  const what = `re-sync of a ${name} shop, ten products changed`;
  const of = { items, against: "full re-sync" };
  return [
    {
      ...of,
      what: `${what}: requests`,
      figure: number(some.requests),
      reference: number(full.requests),
      ratios: [some.requests / full.requests],
    },
    {
      ...of,
      what: `${what}: time`,
      figure: `${number(Math.round(some.ms))} ms`,
      reference: `${number(Math.round(full.ms))} ms`,
      ratios: [some.ms / full.ms],
    },
  ];
}

function edit(shop: AnyShop, price: number): void {
  for (let i = 0; i < CHANGED; i += 1) shop.edit({ kind: "price", product: i * 997, price });
}

type Subject = { readonly catalogId: string; readonly sourceId: string };

async function connect({ kind, settings }: AnyShop, { db, encryption }: System): Promise<Subject> {
  const store = { country: "DE", sellerName: "Benchmark", storeUrl: "https://shop.example/" };
  const { id: catalogId } = await createCatalog(db, encryption, {
    slug: `bench-${newId()}`,
    name: "Benchmark",
    settings: { currency: "EUR", ...store },
  });
  const source = { catalogId, kind, settings, enabled: false, intervalS: 86_400 };
  const { id: sourceId } = await addSource(db, encryption, source);
  return { catalogId, sourceId };
}

async function measureSync(
  shop: AnyShop,
  { db, notices }: System,
  { catalogId, sourceId, changesOnly }: Subject & { readonly changesOnly: boolean },
): Promise<Cost> {
  const before = shop.requests();
  const began = performance.now();
  const runId = await requestSync(db, { catalogId, sourceId, cause: "command", changesOnly });
  const run = await waitForRun({ db, notices, signal: AbortSignal.timeout(600_000) }, runId);
  if (run.state !== "succeeded") throw new Error(run.error?.message ?? "the sync failed");
  const ms = performance.now() - began;
  return { requests: shop.requests() - before, ms, seen: Number(run.stats["seen"]) };
}

if (import.meta.main) {
  const rows = await measureShops((text) => process.stderr.write(`${text}\n`));
  process.stdout.write(markdownTable(rows));
}

import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { itemIds, runsOf, waitLimit } from "../../../test/actions.ts";
import { feedHost } from "../../../test/fakes/feed-host.ts";
import { article, articles, openShop, type Row } from "../../../test/fakes/shop.ts";
import { installation } from "../../../test/installation.ts";
import { AppError } from "../../errors.ts";
import { findSource } from "../../store/sources.ts";
import type { Connector } from "../../sources/source.ts";
import { type Sampled, sampleSource } from "./sample.ts";
import { closeAfterTests } from "../../../test/close-after.ts";

const home = closeAfterTests(await installation({ hasWorker: false }));

async function sample(rows: readonly Row[] | number): Promise<{ catalogId: string; sampled: Sampled }> {
  await using shop = await openShop();
  if (typeof rows === "number") shop.breakDown(rows);
  else shop.stock(rows);
  const { id: catalogId } = await home.createCatalog();
  const source = await findSource(home.db, await home.addFeed(catalogId, shop.url));
  assert.ok(source);
  const sampled = await sampleSource(home.jobs, source, waitLimit());
  return { catalogId, sampled };
}

test("a sample shows the result for the first rows, valid and rejected", async () => {
  const { sampled } = await sample([
    article("a"),
    article("b", { price: "" }),
    article("c", { gtin: "123" }),
  ]);

  assert.deepEqual(
    sampled.items.map(({ id }) => id),
    ["a", "c"],
  );
  assert.deepEqual(
    sampled.rejections.map(({ position, code }) => ({ position, code })),
    [{ position: 2, code: "missing_price" }],
  );
  assert.ok(sampled.warnings.some(({ code }) => code === "invalid_gtin"));
  assert.equal(sampled.isWhole, true);
});

test("a sample stops after twenty rows and is not whole", async () => {
  const { sampled } = await sample([...articles(19), article("bad", { title: "" }), ...articles(500)]);

  assert.equal(sampled.items.length, 19);
  assert.equal(sampled.rejections.length, 1);
  assert.equal(sampled.isWhole, false);
});

test("a sample with unknown columns suggests settings", async () => {
  await using host = await feedHost();
  const { id: catalogId } = await home.createCatalog();
  const url = host.serve("/feed", { kind: "file", body: "sku,name,VK brutto,slug\n1,Mug,5.90,mug\n" });
  const sampled = await sampleSource(
    home.jobs,
    { catalogId, kind: "feed_url", settings: { url } },
    waitLimit(),
  );

  assert.equal(sampled.items.length, 0);
  assert.deepEqual(sampled.suggestion, {
    seen: ["sku", "name", "VK brutto", "slug"],
    missing: ["link", "price"],
    fields: [{ field: "price", column: "VK brutto", confidence: "low", values: ["5.90"] }],
    columns: "VK brutto = price",
    link_template: "https://your-shop.example/{slug}",
    prices: [],
  });
});

test("a sample changes nothing and leaves no files", async () => {
  const { catalogId } = await sample(articles(3));

  assert.deepEqual(await itemIds(home.db, catalogId), []);
  assert.deepEqual(await runsOf(home.db, catalogId), []);
  assert.deepEqual(await readdir(home.jobs.spoolRoot), []);
});

test("a sample predicts what the destination of each file would refuse, why, and what to do", async () => {
  const { sampled } = await sample([
    ...articles(18, { brand: "", availability: "" }),
    article("b1", { brand: "Kiln" }),
    article("b2", { brand: "Kiln", image_link: "" }),
  ]);

  const numbers = sampled.feeds.map(({ file, written, excluded, refused, reasons }) => [
    file,
    written,
    excluded,
    refused,
    reasons.map(({ code, count }) => `${count} ${code}`).join(", "),
  ]);
  assert.deepEqual(numbers, [
    ["acp.csv", 20, 0, 19, "18 missing_brand, 1 missing_image"],
    ["acp.json", 20, 0, 19, "18 missing_brand, 1 missing_image"],
    ["gmc.tsv", 20, 0, 19, "18 unknown_availability, 1 missing_image"],
    ["jsonld.json", 20, 0, 1, "1 missing_image"],
  ]);
  const brand = sampled.feeds[0]?.reasons[0]?.message ?? "";
  assert.match(brand, /^The item has no brand.*default_brand/);
});

test("a source that cannot be read fails with the reason", async () => {
  await assert.rejects(
    sample(401),
    (error) => error instanceof AppError && error.code === "source_unauthorized",
  );
});

/** A shop that proves its credentials first, as the platform connectors do. */
function probing(probe: NonNullable<Connector["probe"]>): Connector {
  return {
    kind: "probing",
    label: "Probing",
    fields: [],
    check: () => [],
    destination: () => "",
    probe,
    read: async function* () {
      yield { kind: "end", validators: null, expected: 0 };
    },
  };
}

async function look(connector: Connector, patienceMs?: number): Promise<Sampled> {
  const { id: catalogId } = await home.createCatalog();
  const deps = { ...home.jobs, connectors: { probing: connector } };
  const source = { catalogId, kind: "probing", settings: { token: "hush" } };
  return sampleSource(deps, source, new AbortController().signal, patienceMs);
}

test("a sample has the result of the probe, where there is one", async () => {
  const probe = { facts: [{ label: "Shop", value: "Kiln" }], notes: ["Stock levels are not readable."] };

  const asked = await look(
    probing(async ({ token }) => (token === "hush" ? probe : { facts: [], notes: [] })),
  );
  const { sampled } = await sample([article("a")]);

  const { feeds, ...rest } = asked;
  assert.deepEqual(rest, {
    probe,
    format: null,
    items: [],
    rejections: [],
    warnings: [],
    effect: { added: [], changed: [], unchanged: [], deleted: [] },
    cleared: [],
    suggestion: null,
    isWhole: true,
  });
  assert.ok(feeds.every(({ written, excluded }) => written + excluded === 0));
  assert.equal(sampled.probe, null);
});

test("a shop that refuses the probe is not read, and one that never answers times out", async () => {
  const refused = new AppError("source_unauthorized", "The token lacks the scope read_products.");
  const silent = probing(
    async (_settings, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );

  await assert.rejects(look(probing(() => Promise.reject(refused))), (error) => error === refused);
  await assert.rejects(look(silent, 20), { code: "source_timeout" });
});

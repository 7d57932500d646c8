/** Decisions about category paths over the API: tried, saved and taken back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plan } from "../../src/contract/plans.ts";
import { untilRun } from "../actions.ts";
import { closeAfterTests } from "../close-after.ts";
import { runningApi } from "./running-api.ts";
import type { Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());

const mug = (id: string, path: string): object => ({
  id,
  title: `Mug ${id}`,
  description: "A glazed mug for coffee and tea, made by hand in a small pottery.",
  link: `https://shop.example/p/${id}`,
  image: `https://shop.example/i/${id}.jpg`,
  brand: "Kiln",
  price: "9.50 EUR",
  availability: "in_stock",
  categories: [path],
});

async function openShop(): Promise<Shop> {
  const shop = await api.openShop();
  const body = [mug("a", "Home > Mugs"), mug("b", "Home > Mugs"), mug("c", "Home > Plates")];
  assert.equal((await shop.call("/api/v1/catalog", { method: "PUT", body })).status, 200);
  return shop;
}

type Mapped = { mapped: number; changed_items: number | null; run_id: string | null; plan: Plan | null };

async function map(shop: Shop, mappings: readonly object[], more: object = {}): Promise<Mapped> {
  const answer = await shop.call("/api/v1/categories", { method: "PUT", body: { mappings, ...more } });
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as { data: Mapped }).data;
}

const decided = async ({ id }: Shop) =>
  api.db.query({ text: "select path, category from category_mappings where catalog_id = $1", values: [id] });

async function exactPoints(shop: Shop): Promise<string> {
  assert.equal((await shop.call("/api/v1/feeds", { method: "POST" })).status, 200);
  const audit = await shop.call("/api/v1/audit");
  const { exact } = (audit.json as { data: { audit: { exact: { raw: string; denominator: string } } } }).data
    .audit;
  return `${exact.raw}/${exact.denominator}`;
}

test("a dry run of decisions about category paths says what would change and stores nothing", async () => {
  const shop = await openShop();
  const mappings = [{ path: "Home > Mugs", category: "2169" }];

  const tried = await map(shop, mappings, { dry_run: true });
  const none = await decided(shop);
  const saved = await map(shop, mappings);
  const points = await exactPoints(shop);

  assert.deepEqual([tried.mapped, tried.changed_items, tried.run_id, none], [1, 2, null, []]);
  assert.ok((tried.plan?.gain ?? 0) > 0);
  assert.deepEqual(tried.plan?.examples[0]?.changes, [
    { field: "google_category", before: null, after: "2169" },
  ]);
  assert.deepEqual([saved.changed_items, saved.plan], [2, null]);
  assert.equal(tried.plan?.after.points, points);
});

test("a dry run also tells what taking a decision back would cost", async () => {
  const shop = await openShop();
  await map(shop, [{ path: "Home > Mugs", category: "2169" }]);
  await exactPoints(shop);

  const tried = await map(shop, [{ path: "Home > Mugs" }], { dry_run: true });

  assert.equal(tried.changed_items, 2);
  assert.ok((tried.plan?.gain ?? 0) < 0);
  assert.deepEqual(await decided(shop), [{ path: "Home > Mugs", category: "2169" }]);
});

type Listed = { path: string; items: number; categorized: number; is_decided: boolean };

test("a path counts as categorized by the shop only if its own items say so, whatever mappings and rules do", async () => {
  const shop = await openShop();
  await map(shop, [{ path: "Home > Mugs", category: "2169" }]);
  const rules = [
    { name: "Category", action: { type: "default", field: "google_category", value: "2169" } },
    { name: "Path", action: { type: "set", field: "categories", value: "Other" } },
  ];
  assert.equal((await shop.call("/api/v1/rules", { method: "PUT", body: { rules } })).status, 200);
  const search = await shop.call("/api/v1/proposals/refresh", { method: "POST" });
  await untilRun(api.db, (search.json as { data: { run_id: string } }).data.run_id, "succeeded");

  const answer = await shop.call("/api/v1/categories");

  const { categories } = (answer.json as { data: { categories: Listed[] } }).data;
  assert.deepEqual(
    categories.map(({ path, items, categorized, is_decided: isDecided }) => [
      path,
      items,
      categorized,
      isDecided,
    ]),
    [
      ["Home > Plates", 1, 0, false],
      ["Home > Mugs", 2, 0, true],
    ],
  );
});

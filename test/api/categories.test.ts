/** Decisions about category paths over the API: tried, saved and taken back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plan } from "../../src/contract/plans.ts";
import { newId } from "../../src/lib/id.ts";
import { changeCatalogSettings } from "../../src/store/catalogs.ts";
import { pruneRuns } from "../../src/store/render-retention.ts";
import { enqueueRun } from "../../src/store/runs.ts";
import { sql } from "../../src/store/sql.ts";
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

type Mapped = {
  mapped: number;
  paths_without_items: string[];
  changed_items: number | null;
  run_id: string | null;
  plan: Plan | null;
};

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

/** As after a sync: groups that have not changed are skipped. */
async function look({ id: catalogId }: Shop): Promise<void> {
  const id = newId();
  await enqueueRun(api.db, { id, catalogId, sourceId: null, kind: "proposals", cause: "sync" });
  await untilRun(api.db, id, "succeeded");
}

test("items of a path that was decided to have no category get no proposal, until that is taken back", async () => {
  const shop = await openShop();
  await exactPoints(shop);
  const proposed = async (): Promise<readonly string[]> => {
    await look(shop);
    const answer = await shop.call("/api/v1/proposals/items?state=pending&field=google_category");
    const { proposals } = (answer.json as { data: { proposals: { item_id: string }[] } }).data;
    return proposals.map(({ item_id: id }) => id);
  };
  assert.deepEqual(await proposed(), ["a", "b", "c"]);

  await map(shop, [{ path: "Home > Mugs", category: null }]);
  assert.deepEqual(await proposed(), ["c"]);

  await map(shop, [{ path: "Home > Mugs" }]);
  assert.deepEqual(await proposed(), ["a", "b", "c"]);
});

test("a search finds categories in the catalog's language and in English, unless it asks for one", async () => {
  const shop = await openShop();
  const found = async (query: string): Promise<readonly string[]> => {
    const answer = await shop.call(`/api/v1/categories/search?limit=5&q=${query}`);
    assert.equal(answer.status, 200, answer.text);
    return (answer.json as { data: { categories: { path: string }[] } }).data.categories.map(
      ({ path }) => path,
    );
  };
  const isAmong = (paths: readonly string[], path: string): void =>
    assert.ok(paths.includes(path), `${path} in ${paths.join(" | ")}`);
  assert.deepEqual(await found("Schuhe"), []);
  await api.db.execute(sql`
    update catalogs set settings = settings || ${JSON.stringify({ language: "de-AT" })}::jsonb where id = ${shop.id}`);

  isAmong(await found("Schuhe"), "Bekleidung & Accessoires > Schuhe");
  isAmong(await found("shoes"), "Apparel & Accessories > Shoes");
  isAmong(await found("Schuhe&language=de"), "Bekleidung & Accessoires > Schuhe");
  isAmong(await found("chaussures&language=fr"), "Vêtements et accessoires > Chaussures");
  assert.deepEqual(await found("Schuhe&language=en"), []);
});

test("a path with two different decisions is refused, and nothing is stored", async () => {
  const shop = await openShop();
  const twice = (first: string | null, second: string | null) =>
    shop.call("/api/v1/categories", {
      method: "PUT",
      body: {
        mappings: [
          { path: "Home > Mugs", category: first },
          { path: "Home > Plates", category: "674" },
          { path: "Home > Mugs", category: second },
        ],
      },
    });

  const answer = await twice("2169", null);
  assert.equal(answer.status, 400);
  const problem = answer.json as { detail: string; errors: { pointer: string }[] };
  assert.match(
    problem.detail,
    /^The path "Home > Mugs" is decided twice: category 2169, then no category\. Send it once\./,
  );
  assert.equal(problem.errors[0]?.pointer, "/mappings/2/path");
  assert.deepEqual(await decided(shop), []);
  assert.equal((await twice("2169", "2169")).status, 200);
});

test("a decision about a path that no item has is stored, and the answer names the path", async () => {
  const shop = await openShop();
  const mappings = [
    { path: "Home > Mugs", category: "2169" },
    { path: "Home > Mgus", category: "2169" },
  ];
  // Paths are counted together with proposals.
  assert.deepEqual((await map(shop, mappings)).paths_without_items, []);
  await api.db.execute({
    text: "insert into category_paths (catalog_id, path, items, categorized, titles, suggestions) values ($1, 'Home > Mugs', 2, 0, '{}', '[]')",
    values: [shop.id],
  });

  const tried = await map(shop, mappings, { dry_run: true });
  const saved = await map(shop, mappings);

  assert.deepEqual(
    [tried.paths_without_items, saved.paths_without_items],
    [["Home > Mgus"], ["Home > Mgus"]],
  );
  assert.equal((await decided(shop)).length, 2);
});

test("the list says why the language of the catalog limits the suggestions, also after other runs were deleted", async () => {
  const shop = await openShop();
  const noteOf = async (): Promise<string | null> => {
    const answer = await shop.call("/api/v1/categories");
    return (answer.json as { data: { note: string | null } }).data.note;
  };
  assert.equal(await noteOf(), null, "before the first search");
  await changeCatalogSettings(api.db, shop.id, { language: "cs" });
  await look(shop);
  await exactPoints(shop);

  await pruneRuns(api.db, 0);

  assert.match((await noteOf()) ?? "", /not in Czech\./);
});

/** Searching the catalog: by text, source, group, audit rule, and by the file an item is not in. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { ItemAnswer, ItemSummary } from "../../src/contract/items.ts";
import { dataOf } from "./answer-data.ts";
import { describedBy } from "./described.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

const api = closeAfterTests(await runningApi());
const assertDescribed = await describedBy(api);

type Page = { readonly items: readonly ItemSummary[]; readonly next_cursor: string | null };

/** All pages of a search, of two items each. */
async function search(shop: Shop, query: Readonly<Record<string, string>>): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const asked = new URLSearchParams({ limit: "2", ...query, ...(cursor !== null && { cursor }) });
    const answer = await shop.call(`/api/v1/items?${asked.toString()}`);
    assertDescribed("GET /api/v1/items", answer);
    const page: Page = dataOf<Page>(answer);
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
    if (cursor === null) return ids.toSorted();
  }
}

const HEADER = "id,title,description,link,image_link,availability,price,brand,condition,gtin,item_group_id\n";
const line = (id: string, title: string, { brand = "Kiln", gtin = "", group = "" } = {}) =>
  `"${id}","${title}","${title}, made well.",https://shop.example/p/${encodeURIComponent(id)},https://shop.example/i/${encodeURIComponent(id)}.jpg,in_stock,9.50 USD,"${brand}",new,${gtin},${group}\n`;

async function stocked(): Promise<Shop> {
  const shop = await api.openShop();
  const body =
    HEADER +
    line("MUG-1", "Blue Mug", { gtin: "4006381333931" }) +
    line("MUG-2", "Red Mug", { brand: "Größenwerk" }) +
    line("MUG-3", "Blue and red mug", { group: "set" }) +
    line("BOWL-1", "Écru Bowl", { group: "set" }) +
    line(`LONG-${"x".repeat(60)}`, "Blue Vase");
  shop.answers({ kind: "file", body });
  const synced = await shop.sync();
  assert.equal(synced.status, 200, synced.text);
  return shop;
}

const LONG = `LONG-${"x".repeat(60)}`;

test("every word must be in the id, title, brand or GTIN, in any case and with or without accents", async () => {
  const shop = await stocked();

  assert.deepEqual(await search(shop, { q: "blue" }), [LONG, "MUG-1", "MUG-3"]);
  assert.deepEqual(await search(shop, { q: "  mug BLUE " }), ["MUG-1", "MUG-3"]);
  assert.deepEqual(await search(shop, { q: "ecru" }), ["BOWL-1"]);
  assert.deepEqual(await search(shop, { q: "ÉCRU bowl" }), ["BOWL-1"]);
  assert.deepEqual(await search(shop, { q: "größenwerk" }), ["MUG-2"]);
  assert.deepEqual(await search(shop, { q: "4006381333931" }), ["MUG-1"]);
  assert.deepEqual(await search(shop, { q: "mug-" }), ["MUG-1", "MUG-2", "MUG-3"]);
  assert.deepEqual(await search(shop, { q: "blue bowl" }), []);
  assert.deepEqual(await search(shop, { q: "zebra" }), []);
});

test("filters can be combined: source, group, rule, and the file whose destination refuses an item", async () => {
  const shop = await stocked();
  const pushed = {
    products: [{ id: "p1", title: "Blue pushed mug", link: "https://shop.example/p1", price: "1 USD" }],
  };
  assert.equal((await shop.call("/api/v1/catalog", { method: "PUT", body: pushed })).status, 200);

  assert.deepEqual(await search(shop, { source_id: shop.sourceId }), [
    "BOWL-1",
    LONG,
    "MUG-1",
    "MUG-2",
    "MUG-3",
  ]);
  assert.deepEqual(await search(shop, { source_id: "pushed" }), ["p1"]);
  assert.deepEqual(await search(shop, { source_id: "pushed", q: "mug" }), ["p1"]);
  assert.deepEqual(await search(shop, { q: "blue", source_id: shop.sourceId }), [LONG, "MUG-1", "MUG-3"]);
  assert.deepEqual(await search(shop, { group_id: "set" }), ["BOWL-1", "MUG-3"]);
  assert.deepEqual(await search(shop, { group_id: "set", q: "mug" }), ["MUG-3"]);
  assert.deepEqual(await search(shop, { refused_in: "gmc.tsv", source_id: shop.sourceId }), [LONG]);
  assert.deepEqual(await search(shop, { refused_in: "gmc.tsv", q: "mug", source_id: shop.sourceId }), []);
  const { findings } = dataOf<{ findings: { item_id: string; rule: string }[] }>(
    await shop.call("/api/v1/audit/findings?limit=500"),
  );
  const byRule = [...Map.groupBy(findings, (finding) => finding.rule)];
  const [rule = ""] =
    byRule.find(([, of]) => of.length > 2 && of.some(({ item_id: id }) => id === "BOWL-1")) ?? [];
  const found = findings.filter((finding) => finding.rule === rule).map(({ item_id }) => item_id);
  assert.ok(found.length > 2);
  assert.deepEqual(await search(shop, { finding: rule }), found.toSorted());
  assert.deepEqual(
    await search(shop, { finding: rule, q: "bowl" }),
    found.filter((id) => id === "BOWL-1"),
  );
});

test("an item that was removed after the render is not found, nor a renamed one by its old title", async () => {
  const shop = await stocked();
  const { folder } = (
    await api.db.query<{ folder: string }>({
      text: "select f.folder from feed_files f join catalogs c on c.published_run_id = f.run_id where c.id = $1",
      values: [shop.id],
    })
  )[0] ?? { folder: "" };
  assert.ok(folder);
  await api.db.execute({
    text: "delete from items where id = 'MUG-1' and catalog_id = $1",
    values: [shop.id],
  });
  await api.db.execute({
    text: "update items set body = replace(body, 'Red Mug', 'Green Cup') where catalog_id = $1",
    values: [shop.id],
  });

  assert.deepEqual(await search(shop, { q: "mug" }), ["MUG-2", "MUG-3"], "MUG-2 by its id");
  assert.deepEqual(await search(shop, { q: "red mug" }), ["MUG-3"]);
});

test("without the search list of a render, the catalog itself is searched", async () => {
  const shop = await stocked();
  await rm(join(api.dataDir, "feeds", shop.id), { recursive: true });

  assert.deepEqual(await search(shop, { q: "blue mug" }), ["MUG-1", "MUG-3"]);
  assert.deepEqual(await search(shop, { refused_in: "gmc.tsv" }), []);
});

test("before the first render nothing is found, and other catalogs are never searched", async () => {
  const [empty, full] = [await api.openShop(mugs(3)), await stocked()];

  assert.deepEqual(await search(empty, { q: "blue" }), []);
  assert.deepEqual(await search(empty, { source_id: full.sourceId }), []);
});

test("unknown rules, invalid cursors and cursors of a deleted render are refused", async () => {
  const shop = await stocked();
  const first = dataOf<Page>(await shop.call("/api/v1/items?q=mug&limit=1"));
  const foreign = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

  for (const query of [
    `q=mug&cursor=${foreign(["../../etc", 0])}`,
    `q=mug&cursor=${foreign([shop.id, -1])}`,
    `q=mug&cursor=${foreign([shop.id, 0])}`,
    "finding=none",
    "refused_in=none",
    "source_id=none",
  ])
    assertProblem(await shop.call(`/api/v1/items?${query}`), 400, "invalid_request");
  await rm(join(api.dataDir, "feeds", shop.id), { recursive: true });
  const problem = assertProblem(
    await shop.call(`/api/v1/items?q=mug&cursor=${first.next_cursor}`),
    400,
    "invalid_request",
  );
  assert.match(problem.detail, /Search again/);
});

test("an item has its source, its cells in each delimited file, and advice for files whose destination refuses it", async () => {
  const shop = await stocked();
  const view = async (id: string) => {
    const answer = await shop.call(`/api/v1/items/${id}`);
    assertDescribed("GET /api/v1/items/{id}", answer);
    return dataOf<ItemAnswer["data"]>(answer);
  };

  const { source, feeds } = await view("MUG-1");
  const long = await view(LONG);

  assert.deepEqual([source?.id, source?.kind], [shop.sourceId, "feed_url"]);
  for (const file of ["acp.csv", "gmc.tsv"]) {
    const columns = feeds.find((feed) => feed.file === file)?.columns ?? [];
    const cells = new Map(columns.map(({ name, value }) => [name, value]));
    const values = [...cells.values()];
    assert.ok(values.includes("Blue Mug") && values.includes("4006381333931"), file);
    assert.ok(values.every((value) => value !== ""));
  }
  assert.equal(feeds.find(({ file }) => file === "acp.json")?.columns, null);
  const refused = long.feeds.find(({ file }) => file === "gmc.tsv");
  assert.deepEqual([refused?.included, refused?.refusal?.code], [true, "id_too_long"]);
  assert.deepEqual(refused?.columns?.[0], { name: "id", value: LONG });
  assert.match(refused.refusal?.remedy ?? "", /shorter ids/);
});

test("an item with any id can be read by a query parameter, also one that clients remove from paths", async () => {
  const shop = await api.openShop([{ id: "." }, { id: ".." }, { id: "a/b ✓ %" }]);
  assert.equal((await shop.sync()).status, 200);

  for (const id of [".", "..", "a/b ✓ %"]) {
    const answer = await shop.call(`/api/v1/item?${new URLSearchParams({ id }).toString()}`);
    assert.equal(answer.status, 200, answer.text);
    assertDescribed("GET /api/v1/item", answer);
    assert.equal(dataOf<ItemAnswer["data"]>(answer).item.id, id);
  }
  // As pushed on a Mac: the letter and its accent.
  const decomposed = await api.openShop([{ id: "cafe\u0301" }]);
  assert.equal((await decomposed.sync()).status, 200);
  for (const path of ["item?id=cafe%CC%81", "items/cafe%CC%81", "items/cafe%CC%81/explain"])
    assert.equal((await decomposed.call(`/api/v1/${path}`)).status, 200, path);
  assertProblem(await shop.call("/api/v1/item?id=none"), 404, "not_found");
  assertProblem(await shop.call("/api/v1/item"), 400, "invalid_request");
});

/** A PATCH that sends some fields of an item: those change, all others stay. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../../src/catalog/item.ts";
import type { SyncStats } from "../../src/contract/syncs.ts";
import { itemRows } from "../actions.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";
import { isLong } from "../long.ts";

const CATALOG = "/api/v1/catalog";
const JSONL = { "content-type": "application/x-ndjson" };

const api = closeAfterTests(await runningApi({ hasRenders: false }));

const product = (id: string, more: object = {}): object => ({
  id,
  title: `Mug ${id}`,
  description: "Glazed.",
  link: `https://shop.example/p/${id}`,
  image: `https://shop.example/i/${id}.jpg`,
  brand: "Kiln",
  price: "9.50 EUR",
  availability: "in_stock",
  quantity: 5,
  ...more,
});

function statsIn(answer: Answer): SyncStats {
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as { data: { stats: SyncStats } }).data.stats;
}

const send = async (shop: Shop, method: "PUT" | "PATCH", body: unknown): Promise<SyncStats> =>
  statsIn(await shop.call(CATALOG, { method, body }));

async function itemOf(shop: Shop, id: string, { db } = api): Promise<Item> {
  const rows = await db.query<{ body: string }>({
    text: "select body from items where catalog_id = $1 and id = $2",
    values: [shop.id, id],
  });
  return JSON.parse(rows[0]?.body ?? "null") as Item;
}

test("a patch of the price changes the price of a pushed item and nothing else, also in the feeds", async () => {
  await using rendering = await runningApi();
  const shop = await rendering.openShop();
  await send(shop, "PUT", [product("p50"), product("p51")]);
  const before = await itemOf(shop, "p50", rendering);

  const stats = await send(shop, "PATCH", [{ id: "p50", price: "1.11 EUR" }]);

  assert.deepEqual([stats.seen, stats.upserted, stats.rejected, stats.removed], [1, 1, 0, 0]);
  assert.deepEqual(await itemOf(shop, "p50", rendering), {
    ...before,
    price: { amount: "1.11", currency: "EUR" },
  });
  assert.match((await shop.fetch("gmc.tsv")).text, /p50\t.*1\.11 EUR/);
});

test("the same change again is no change", async () => {
  const shop = await api.openShop();
  await send(shop, "PUT", [product("p50")]);
  await send(shop, "PATCH", [{ id: "p50", stock: 0 }]);

  const stats = await send(shop, "PATCH", [{ id: "p50", stock: 0 }]);

  assert.deepEqual([stats.upserted, stats.unchanged], [0, 1]);
  const { availability, quantity } = await itemOf(shop, "p50");
  assert.deepEqual([availability, quantity], ["out_of_stock", 0]);
});

test("null clears a field, under any of its names; a required one cannot be cleared", async () => {
  const shop = await api.openShop();
  await send(shop, "PUT", [product("a", { sale_price: "8 EUR" }), product("b")]);

  const stats = await send(shop, "PATCH", [
    { id: "a", sale_price: null, vendor: null },
    { id: "b", title: null },
  ]);

  const { salePrice, brand, title } = await itemOf(shop, "a");
  assert.deepEqual([salePrice, brand, title], [undefined, undefined, "Mug a"]);
  assert.deepEqual(
    stats.rejections.map(({ item_id, field, code }) => [item_id, field, code]),
    [["b", "title", "missing_title"]],
  );
  assert.equal((await itemOf(shop, "b")).title, "Mug b");
});

test("null clears an attribute for Google among the other fields and inside google", async () => {
  const shop = await api.openShop();
  await send(shop, "PUT", [
    product("p50", { pause: "ads", promotion_id: ["SPRING"], excluded_destination: ["Shopping_ads"] }),
  ]);

  const stats = await send(shop, "PATCH", [{ id: "p50", pause: null, google: { promotion_id: null } }]);

  assert.equal(stats.upserted, 1);
  assert.deepEqual((await itemOf(shop, "p50")).google, { excluded_destination: ["Shopping_ads"] });
});

test("a product with title, link and price changes these three, in JSON and in a CSV file", async () => {
  const shop = await api.openShop();
  await send(shop, "PUT", [product("a"), product("b")]);
  const [a, b] = [await itemOf(shop, "a"), await itemOf(shop, "b")];
  const price = { amount: "1.00", currency: "EUR" };

  await send(shop, "PATCH", [{ id: "a", title: "Cup", link: "https://shop.example/c", price: "1.00 EUR" }]);
  const file = "id,title,link,price\nb,Cup,https://shop.example/c,1.00 EUR\n";
  statsIn(await shop.call(CATALOG, { method: "PATCH", headers: { "content-type": "text/csv" }, body: file }));

  const changed = { title: "Cup", link: "https://shop.example/c", price };
  assert.deepEqual(await itemOf(shop, "a"), { ...a, ...changed });
  assert.deepEqual(await itemOf(shop, "b"), { ...b, ...changed });
});

test("a product in the mode replace replaces its item; an unknown mode is reported and changes fields", async () => {
  const shop = await api.openShop();
  await send(shop, "PUT", [product("a"), product("b")]);
  const b = await itemOf(shop, "b");

  const stats = await send(shop, "PATCH", [
    { id: "a", title: "Cup", link: "https://shop.example/c", price: "1.00 EUR", mode: "replace" },
    { id: "b", title: "Cup", mode: "overwrite" },
  ]);

  assert.deepEqual(await itemOf(shop, "a"), {
    id: "a",
    title: "Cup",
    link: "https://shop.example/c",
    price: { amount: "1.00", currency: "EUR" },
    availability: "unknown",
  });
  assert.deepEqual(await itemOf(shop, "b"), { ...b, title: "Cup" });
  assert.deepEqual(stats.warning_codes, { availability_missing: 1, unknown_word: 1 });
});

test("a product that is not stored yet is added with a title and a price; a missing link is a warning", async () => {
  const shop = await api.openShop();

  const stats = await send(shop, "PATCH", [{ id: "new", title: "Mug", price: "9 EUR", stock: 1 }]);

  assert.equal(stats.upserted, 1);
  assert.deepEqual(
    stats.warning_examples.map(({ code }) => code),
    ["missing_link"],
  );
});

test("a change of an item that does not exist adds the item if it has a title and a price", async () => {
  const shop = await api.openShop();
  await send(shop, "PUT", [product("a")]);

  const stats = await send(shop, "PATCH", [{ id: "ghost", title: "Ghost", price: "1.11 EUR" }]);

  assert.deepEqual([stats.upserted, stats.rejected, stats.warning_codes["missing_link"]], [1, 0, 1]);
  assert.equal((await itemOf(shop, "ghost")).link, undefined);
});

test("a change of an item that does not exist is rejected with the fields that are missing", async () => {
  const shop = await api.openShop();
  await send(shop, "PUT", [product("a")]);

  const stats = await send(shop, "PATCH", [{ id: "ghost", price: "1.11 EUR" }]);

  assert.deepEqual(stats.rejection_codes, { missing_title: 1 });
  assert.match(
    stats.rejections[0]?.message ?? "",
    /no title\. There is no item "ghost" .* send its title and price\./,
  );
});

test("an item of a source is not changed by a push", async () => {
  const shop = await api.openShop(mugs(2));
  assert.equal((await shop.sync()).status, 200);
  const rows = await itemRows(api.db, shop.id);

  const stats = await send(shop, "PATCH", [{ id: "mug-001", price: "1.11 USD" }]);

  assert.deepEqual(stats.rejection_codes, { duplicate_item_id: 1 });
  assert.deepEqual(await itemRows(api.db, shop.id), rows);
});

test("of several changes of one item in a body, the first is applied and the others are rejected", async () => {
  const shop = await api.openShop();
  await send(shop, "PUT", [product("a"), product("b")]);

  const stats = await send(shop, "PATCH", [
    { id: "a", price: "1 EUR" },
    { id: "a", price: "2 EUR" },
    { id: "a", delete: true },
    { id: "b", delete: true },
  ]);

  assert.deepEqual([stats.upserted, stats.rejected, stats.removed], [1, 2, 1]);
  assert.deepEqual(stats.rejection_codes, { duplicate_item_id: 2 });
  assert.equal((await itemOf(shop, "a")).price.amount, "1.00");
});

test("a PUT accepts full items only: a patch is rejected", async () => {
  const shop = await api.openShop();
  await send(shop, "PUT", [product("a"), product("b")]);

  const stats = await send(shop, "PUT", [product("a"), { id: "b", price: "1 EUR" }]);

  assert.deepEqual(stats.rejection_codes, { missing_title: 1 });
  assert.equal(stats.removed, 1);
});

test("variants without a title change the items they name", async () => {
  const shop = await api.openShop();
  const variants = [
    { id: "v1", price: "10 EUR" },
    { id: "v2", price: "12 EUR" },
  ];
  await send(shop, "PUT", [product("g", { variants })]);

  const changes = [
    { id: "v1", price: "9 EUR" },
    { id: "v2", quantity: 0 },
  ];
  const stats = await send(shop, "PATCH", [{ id: "g", variants: changes }]);

  assert.deepEqual([stats.upserted, stats.rejected], [2, 0]);
  const [v1, v2] = [await itemOf(shop, "v1"), await itemOf(shop, "v2")];
  assert.deepEqual([v1.price.amount, v1.title, v1.groupId], ["9.00", "Mug g", "g"]);
  assert.deepEqual([v2.price.amount, v2.availability], ["12.00", "out_of_stock"]);
});

if (isLong)
  test("2,500 changes in a body, more than fit into one lookup, change 2,500 items", async () => {
    const shop = await api.openShop();
    const ids = Array.from({ length: 2_500 }, (_, i) => `p${i}`);
    const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    statsIn(
      await shop.call(CATALOG, { method: "PUT", headers: JSONL, body: lines(ids.map((id) => product(id))) }),
    );

    const body = lines(ids.map((id, i) => ({ id, price: `${i + 1}.00 EUR` })));
    const stats = statsIn(await shop.call(CATALOG, { method: "PATCH", headers: JSONL, body }));

    assert.deepEqual([stats.seen, stats.upserted, stats.rejected], [2_500, 2_500, 0]);
    assert.equal((await itemOf(shop, "p2321")).price.amount, "2322.00");
    assert.equal((await itemOf(shop, "p2321")).title, "Mug p2321");
  });

test("an empty value changes nothing and gives a warning", async () => {
  const shop = await api.openShop();
  const values = ["NaN", "n/a", "-", "#N/A", "null", [], {}, { sum: 1 }];
  const fields = ["price", "title", "quantity", "availability", "sale_price", "gtin", "image", "color"];
  const changes = fields.flatMap((field) => values.map((value) => [field, value] as const));
  const id = (i: number) => `p${i}`;
  await send(
    shop,
    "PUT",
    changes.map((_, i) => product(id(i))),
  );

  const stats = await send(
    shop,
    "PATCH",
    changes.map(([field, value], i) => ({ id: id(i), [field]: value })),
  );

  assert.deepEqual([stats.unchanged, stats.upserted], [changes.length, 0]);
  assert.deepEqual(stats.warning_codes, { empty_value: changes.length });
  const [{ item_id, field, message } = { item_id: "", field: "", message: "" }] = stats.warning_examples;
  assert.deepEqual([item_id, field], ["p0", "price"]);
  assert.equal(
    message,
    'price is "NaN", which is not a value; the field is unchanged. To clear a field, send null.',
  );
});

test("a change with a valid and an empty value is applied, with a warning for the empty one", async () => {
  const shop = await api.openShop();
  await send(shop, "PUT", [product("a"), product("b")]);

  const stats = await send(shop, "PATCH", [
    { id: "a", price: "7 EUR", title: "NaN", additional_images: [] },
    { id: "b", price: "8 EUR", title: "", brand: null, images: ["https://shop.example/b.jpg"] },
  ]);

  assert.deepEqual([stats.upserted, stats.warning_codes], [2, { empty_value: 2 }]);
  assert.equal((await itemOf(shop, "a")).title, "Mug a");
});

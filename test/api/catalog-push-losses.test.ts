/** A push or a pull never removes items because of the form of its data, and its answer is correct. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { SyncStats } from "../../src/contract/syncs.ts";
import { itemIds, itemRows } from "../actions.ts";
import type { Disposable } from "../fresh.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, Asked, RunningApi, Shop } from "./running-api.ts";

const CATALOG = "/api/v1/catalog";
const JSONL = { "content-type": "application/x-ndjson" };
const JSON_TYPE = { "content-type": "application/json" };

let api: Disposable<RunningApi>;
before(async () => {
  api = await runningApi({ hasRenders: false });
});
after(() => api[Symbol.asyncDispose]());

const product = (id: string, more: object = {}): object => ({
  id,
  title: `Mug ${id}`,
  link: `https://shop.example/p/${id}`,
  price: "9.50 USD",
  availability: "in_stock",
  ...more,
});
const THREE = [product("a"), product("b"), product("c")];

const put = (shop: Shop, body: unknown, more: Asked & { readonly query?: string } = {}): Promise<Answer> =>
  shop.call(`${CATALOG}${more.query ?? ""}`, { method: "PUT", body, ...more });

function statsIn(answer: Answer): SyncStats {
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as { data: { stats: SyncStats } }).data.stats;
}

async function shopWithThree(): Promise<Shop> {
  const shop = await api.openShop();
  statsIn(await put(shop, THREE));
  return shop;
}

const BODIES: readonly { readonly what: string; readonly body: unknown; readonly headers?: object }[] = [
  { what: "an empty list before the products", body: { items: [], products: THREE } },
  { what: "an empty list after the products", body: { products: THREE, data: [] } },
  { what: "one product with its own empty list", body: { ...THREE[0], items: [] } },
  { what: "the same key twice", body: '{"products":[{"id":"a"}],"products":[]}', headers: JSON_TYPE },
  { what: "only blank lines", body: "\n \n", headers: JSONL },
  { what: "only a byte order mark", body: "\uFEFF", headers: JSONL },
];

test("an ambiguous body changes nothing", async (t) => {
  const shop = await shopWithThree();
  const rows = await itemRows(api.db, shop.id);

  for (const { what, body, headers = {} } of BODIES) {
    await t.test(`a body with ${what}`, async () => {
      assertProblem(await put(shop, body, { headers: { ...headers } }), 400, "body_malformed");

      assert.deepEqual(await itemRows(api.db, shop.id), rows);
    });
  }
});

test("a nested list is not the catalog, and an empty list removes all items of a small one", async () => {
  const shop = await shopWithThree();

  const nested = statsIn(await put(shop, { meta: { items: [] }, products: THREE }));
  const emptied = statsIn(await put(shop, { products: [] }));

  assert.deepEqual([nested.unchanged, nested.removed], [3, 0]);
  assert.equal(emptied.removed, 3);
});

test("a replacement with only rejected items removes nothing, whatever share it may remove", async () => {
  const shop = await shopWithThree();
  const bad = [product("a", { price: "free" }), product("x", { price: "free" })];

  const problem = assertProblem(await put(shop, bad), 422, "source_all_rejected");
  const kept = await itemIds(api.db, shop.id);
  const nearly = await put(shop, bad, { query: "?max_removed_ratio=0.99" });
  const all = await put(shop, bad, { query: "?max_removed_ratio=1" });

  assert.match(problem.detail, /^All 2 items were rejected, the first because: .*price.*Nothing was changed/);
  assert.match(problem.detail, /Correct the items and push again\./);
  assert.deepEqual(kept, ["a", "b", "c"]);
  assertProblem(nearly, 422, "source_all_rejected");
  assertProblem(all, 422, "source_all_rejected");
  assert.deepEqual(await itemIds(api.db, shop.id), ["a", "b", "c"]);
});

test("in a first replacement all items may be rejected", async () => {
  const shop = await api.openShop();

  const stats = statsIn(await put(shop, [product("a", { price: "free" })]));

  assert.deepEqual([stats.seen, stats.rejected, stats.removed], [1, 1, 0]);
});

test("an item that is named but rejected is removed like one that is not named", async () => {
  const shop = await shopWithThree();

  const stats = statsIn(await put(shop, [product("a"), product("b", { price: "free" })]));

  assert.deepEqual([stats.unchanged, stats.rejected, stats.removed], [1, 1, 2]);
  assert.deepEqual(await itemIds(api.db, shop.id), ["a"]);
});

test("a pull with only rejected items removes nothing either", async () => {
  const shop = await api.openShop(mugs(3));
  assert.equal((await shop.sync()).status, 200);
  shop.sells(mugs(3).map((mug) => ({ ...mug, price: "free" })));

  const problem = assertProblem(await shop.sync(), 422, "source_all_rejected");

  assert.match(problem.detail, /^All 3 items were rejected, the first because: .*Nothing was changed/);
  assert.deepEqual(await itemIds(api.db, shop.id), ["mug-001", "mug-002", "mug-003"]);
});

test("rejections and warnings have the field names of a push", async () => {
  const shop = await api.openShop();

  const stats = statsIn(
    await put(shop, [product("a", { sale_price: "cheap" }), product("b", { availability_date: "soon" })]),
  );

  const fields = stats.warning_examples.map(({ field }) => field).filter((field) => field !== null);
  assert.ok(fields.includes("sale_price"), fields.join(", "));
  assert.ok(fields.includes("availability_date"), fields.join(", "));
  assert.deepEqual(
    fields.filter((field) => /[A-Z]/.test(field)),
    [],
  );
});

test("a deletion without `delete: true` is rejected, and the item is not changed", async () => {
  const shop = await shopWithThree();
  const rows = await itemRows(api.db, shop.id);

  const stats = statsIn(
    await shop.call(CATALOG, {
      method: "PATCH",
      body: [product("a", { delete: "true", price: "1 USD" }), { id: "b", delete: 1 }],
    }),
  );

  assert.deepEqual(
    stats.rejections.map(({ item_id, field, code }) => [item_id, field, code]),
    [
      ["a", "delete", "unreadable_row"],
      ["b", "delete", "unreadable_row"],
    ],
  );
  assert.deepEqual(await itemRows(api.db, shop.id), rows);
});

test("an id that a source owns is rejected with the owner and what to do", async () => {
  const shop = await api.openShop([...mugs(2), { ...mugs(1)[0], id: "a" }]);
  statsIn(await put(shop, [product("a")]));

  const pulled = statsIn(await shop.sync());
  const pushed = statsIn(
    await shop.call(CATALOG, {
      method: "PATCH",
      body: [product("mug-001"), { id: "mug-002", delete: true }],
    }),
  );

  assert.deepEqual([pulled.upserted, pulled.rejected], [2, 1]);
  assert.match(pulled.rejections[0]?.message ?? "", /"a" belongs to a pushed item.*PATCH.*PUT/);
  const [add, remove] = pushed.rejections.map(({ message }) => message);
  assert.match(add ?? "", /"mug-001" is already used by an item of a source of this catalog/);
  assert.match(remove ?? "", /"mug-002" belongs to a source of this catalog and cannot be deleted by a push/);
});

test("once the pushed item is deleted, as the rejection advises, the source's own item is stored", async () => {
  const shop = await api.openShop([{ ...mugs(1)[0], id: "a" }]);
  statsIn(await put(shop, [product("a")]));
  assert.equal(statsIn(await shop.sync()).rejected, 1);

  statsIn(await shop.call(CATALOG, { method: "PATCH", body: [{ id: "a", delete: true }] }));
  const { upserted, rejected } = statsIn(await shop.sync());

  assert.deepEqual([upserted, rejected], [1, 0]);
});

test("an element that the database cannot store is one rejection, and the rest is stored", async () => {
  const shop = await api.openShop();
  const half = "😀".repeat(300);
  const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

  const lines = await shop.call(CATALOG, {
    method: "PATCH",
    headers: JSONL,
    body: `${line(product("a"))}\0\n${line(product("b"))}😀 no JSON\n`,
  });
  const list = await shop.call(CATALOG, {
    method: "PATCH",
    body: [half, product("c", { delete: half }), product("d")],
  });

  assert.deepEqual([statsIn(lines).upserted, statsIn(lines).rejected], [2, 2]);
  assert.deepEqual([statsIn(list).upserted, statsIn(list).rejected], [1, 2]);
  assert.deepEqual(await itemIds(api.db, shop.id), ["a", "b", "d"]);
});

test("a field in an unreadable form gives a warning, and the rest of the product is stored", async () => {
  const shop = await api.openShop();
  const good = product("good", {
    options: { Color: "Red" },
    details: [{ name: "Origin", value: "Norway" }],
    certifications: [{ authority: "EC", name: "EPREL", code: "123456" }],
  });
  const odd = product("odd", { options: { Color: null, A: ["x", "y"], B: "b" }, certifications: "x" });

  const { upserted, warning_examples } = statsIn(await put(shop, [good, odd]));

  assert.equal(upserted, 2);
  assert.deepEqual(
    warning_examples.map(({ item_id, field, code }) => [item_id, field, code]),
    [
      ["odd", "options", "incomplete_value"],
      ["odd", "certifications", "incomplete_value"],
    ],
  );
});

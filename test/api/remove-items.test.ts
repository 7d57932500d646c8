/** DELETE /api/v1/items: pushed items that match a filter are removed, items of sources never. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RemovedItemsAnswer } from "../../src/contract/items.ts";
import type { SyncedAnswer } from "../../src/contract/syncs.ts";
import { closeAfterTests } from "../close-after.ts";
import { dataOf } from "./answer-data.ts";
import { describedBy } from "./described.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { runningApi, type Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());
const assertDescribed = await describedBy(api);

const cup = (number: number) => ({
  id: `cup-${number}`,
  title: number % 2 === 0 ? `Blue cup ${number}` : `Red cup ${number}`,
  link: `https://shop.example/p/cup-${number}`,
  price: "5.00 USD",
});

/** Three mugs of a source and six pushed cups, half of them blue. */
async function mixedShop(): Promise<Shop> {
  const shop = await api.openShop(mugs(3));
  dataOf(await shop.sync());
  const products = Array.from({ length: 6 }, (_, at) => cup(at + 1));
  dataOf(await shop.call("/api/v1/catalog", { method: "PUT", body: { products } }));
  return shop;
}

const remove = async (shop: Shop, body: object) => {
  const answer = await shop.call("/api/v1/items", { method: "DELETE", body });
  if (answer.status < 300) assertDescribed("DELETE /api/v1/items", answer);
  return answer;
};
const removed = async (shop: Shop, body: object) =>
  dataOf<RemovedItemsAnswer["data"]>(await remove(shop, body));
const idsOf = async (shop: Shop) =>
  dataOf<{ items: { id: string }[] }>(await shop.call("/api/v1/items"))
    .items.map(({ id }) => id)
    .sort();

test("pushed items that match a filter are removed by a run that renders; a dry run only counts them", async () => {
  const shop = await mixedShop();
  const before = await idsOf(shop);

  const counted = await removed(shop, { q: "blue", dry_run: true });
  assert.deepEqual(counted, { matched: 3, examples: ["cup-2", "cup-4", "cup-6"], run_id: null, stats: null });
  assert.deepEqual(await idsOf(shop), before);
  const { matched, run_id: runId, stats } = await removed(shop, { q: "blue", expected: 3 });

  assert.deepEqual([matched, stats?.removed, stats?.seen], [3, 3, 0]);
  const left = ["cup-1", "cup-3", "cup-5", "mug-001", "mug-002", "mug-003"];
  assert.deepEqual(await idsOf(shop), left);
  assert.doesNotMatch((await shop.fetch("gmc.tsv")).text, /Blue cup/);
  const { syncs } = dataOf<{ syncs: { run_id: string; source_id: null }[] }>(
    await shop.call("/api/v1/syncs"),
  );
  assert.deepEqual([syncs[0]?.run_id, syncs[0]?.source_id], [runId, null]);
});

test("a search text that is only accents is refused instead of matching every item", async () => {
  const shop = await mixedShop();

  for (const q of ["´", "¨ ´"])
    assertProblem(await remove(shop, { q, dry_run: true }), 400, "invalid_request");

  assert.equal((await idsOf(shop)).length, 9);
});

test("items of a source are never removed: not by a filter, not by their ids, not with all", async () => {
  const shop = await mixedShop();

  assertProblem(await remove(shop, { q: "mug" }), 404, "not_found");
  assert.equal((await removed(shop, { ids: ["mug-001", "cup-1"] })).matched, 1);
  assert.equal((await removed(shop, { all: true })).matched, 5);

  assert.deepEqual(await idsOf(shop), ["mug-001", "mug-002", "mug-003"]);
});

test("no filter, a filter next to all, an unknown rule and another number than expected are refused", async () => {
  const shop = await mixedShop();
  const before = await idsOf(shop);

  for (const body of [
    {},
    { q: "  " },
    { all: false },
    { all: true, q: "blue" },
    { ids: ["cup-1"], q: "blue" },
    { ids: [] },
  ])
    assertProblem(await remove(shop, body), 400, "invalid_request");
  assertProblem(await remove(shop, { finding: "no.such_rule" }), 400, "invalid_request");
  assertProblem(await remove(shop, { q: "blue", expected: 2 }), 409, "conflict");
  assertProblem(await remove(shop, { all: true, unknown: 1 }), 400, "invalid_request");

  assert.deepEqual(await idsOf(shop), before);
});

test("a removal of most items is published at once, also where the publish guard holds", async () => {
  const shop = await api.openShop(mugs(2));
  dataOf(await shop.sync());
  const products = Array.from({ length: 60 }, (_, at) => cup(at + 1));
  dataOf(await shop.call("/api/v1/catalog", { method: "PUT", body: { products } }));

  const { stats } = await removed(shop, { all: true, guard: "hold" });

  assert.deepEqual([stats?.removed, stats?.render_error, stats?.guard], [60, undefined, undefined]);
  assert.doesNotMatch((await shop.fetch("gmc.tsv")).text, /cup/);
});

test("a replacement that may remove any number is not held because items are gone", async () => {
  const shop = await api.openShop(mugs(2));
  dataOf(await shop.sync());
  const put = async (count: number) => {
    const products = Array.from({ length: count }, (_, at) => cup(at + 1));
    const path = "/api/v1/catalog?max_removed_ratio=1";
    return dataOf<SyncedAnswer["data"]>(await shop.call(path, { method: "PUT", body: { products } }));
  };
  await put(60);

  const { stats } = await put(3);

  assert.deepEqual([stats.removed, stats.render_error], [57, undefined]);
});

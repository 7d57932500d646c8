/** Items that were kept when their source was removed: they have no owner until a source or a push lists them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Source } from "../../src/contract/sources.ts";
import type { SyncStats } from "../../src/contract/syncs.ts";
import { itemIds } from "../actions.ts";
import { feedHost } from "../fakes/feed-host.ts";
import { csv, mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

const SOURCES = "/api/v1/sources";

const api = closeAfterTests(await runningApi({ hasRenders: false }));
const host = closeAfterTests(await feedHost());

function statsIn(answer: Answer): SyncStats {
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as { data: { stats: SyncStats } }).data.stats;
}

const numbers = ({ seen, upserted, unchanged, rejected, removed }: SyncStats) => ({
  seen,
  upserted,
  unchanged,
  rejected,
  removed,
});

/** A source that sells so many mugs, added but never synced by itself. */
async function addMugs(shop: Shop, count: number): Promise<string> {
  const path = `/${shop.slug}-again.csv`;
  host.serve(path, { kind: "file", body: csv(mugs(count)) });
  const settings = { url: host.url(path) };
  const body = { kind: "feed_url", settings, enabled: false };
  const answer = await shop.call(SOURCES, { method: "POST", body });
  assert.equal(answer.status, 201, answer.text);
  return (answer.json as { data: Source }).data.id;
}

const syncOf = (shop: Shop, sourceId: string): Promise<Answer> =>
  shop.call("/api/v1/syncs", { method: "POST", body: { source_id: sourceId } });

/** A shop whose source with this many mugs was removed. */
async function shopLeftWith(count: number): Promise<Shop> {
  const shop = await api.openShop(mugs(count));
  statsIn(await shop.sync());
  const body = { id: shop.sourceId, items: "keep" };
  assert.equal((await shop.call(SOURCES, { method: "DELETE", body })).status, 200);
  return shop;
}

const countOf = async (shop: Shop, id: string): Promise<number | undefined> => {
  const { sources } = ((await shop.call(SOURCES)).json as { data: { sources: Source[] } }).data;
  return sources.find((source) => source.id === id)?.item_count;
};

const pushed = (id: string): object => ({
  id,
  title: "Mug",
  link: `https://shop.example/p/${id}`,
  price: "1.00 USD",
});

test("a shop that is connected again claims its items unchanged", async () => {
  const shop = await shopLeftWith(3);
  const id = await addMugs(shop, 3);

  const again = statsIn(await syncOf(shop, id));
  host.serve(`/${shop.slug}-again.csv`, { kind: "file", body: csv(mugs(2)) });
  const shrunk = statsIn(await syncOf(shop, id));

  assert.deepEqual(numbers(again), { seen: 3, upserted: 0, unchanged: 3, rejected: 0, removed: 0 });
  assert.deepEqual(numbers(shrunk), { seen: 2, upserted: 0, unchanged: 2, rejected: 0, removed: 1 });
  assert.equal(await countOf(shop, id), 2);
  assert.deepEqual(await itemIds(api.db, shop.id), ["mug-001", "mug-002"]);
});

test("items that the new source does not have stay without an owner, until the next full push claims them", async () => {
  const shop = await shopLeftWith(3);
  const id = await addMugs(shop, 1);
  statsIn(await syncOf(shop, id));
  const kept = await itemIds(api.db, shop.id);

  const stats = statsIn(
    await shop.call("/api/v1/catalog", { method: "PUT", body: [pushed("x"), pushed("mug-002")] }),
  );

  assert.deepEqual(kept, ["mug-001", "mug-002", "mug-003"]);
  assert.deepEqual(numbers(stats), { seen: 2, upserted: 2, unchanged: 0, rejected: 0, removed: 1 });
  assert.deepEqual(await itemIds(api.db, shop.id), ["mug-001", "mug-002", "x"]);
});

test("an item that was pushed meanwhile belongs to pushes, and no source claims it", async () => {
  const shop = await shopLeftWith(2);
  const body = [pushed("mug-001")];
  statsIn(await shop.call("/api/v1/catalog", { method: "PATCH", body }));
  const id = await addMugs(shop, 2);

  const stats = statsIn(await syncOf(shop, id));

  assert.deepEqual(numbers(stats), { seen: 2, upserted: 0, unchanged: 1, rejected: 1, removed: 0 });
  assert.match(stats.rejections[0]?.message ?? "", /"mug-001" belongs to a pushed item/);
  assert.equal(await countOf(shop, id), 1);
});

test("another source whose items with these ids were rejected gets them, although its file has not changed", async () => {
  const shop = await api.openShop(mugs(2));
  statsIn(await shop.sync());
  const other = await addMugs(shop, 2);
  assert.equal(statsIn(await syncOf(shop, other)).rejected, 2);

  await shop.call(SOURCES, { method: "DELETE", body: { id: shop.sourceId, items: "keep" } });
  const stats = statsIn(await syncOf(shop, other));

  assert.deepEqual([stats.unchanged, stats.rejected], [2, 0]);
  assert.equal(await countOf(shop, other), 2);
});

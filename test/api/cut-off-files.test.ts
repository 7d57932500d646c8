/** A file of delimited text that was cut off removes no items; files that are complete do, however they end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { SyncStats } from "../../src/contract/syncs.ts";
import { closeAfterTests } from "../close-after.ts";
import { zipOf } from "../fakes/zip.ts";
import { dataOf } from "./answer-data.ts";
import { assertProblem } from "./problem.ts";
import { runningApi } from "./running-api.ts";
import type { Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi({ hasRenders: false }));

const rowsOf = (count: number): string =>
  Array.from({ length: count }, (_, i) => `m-${i},Mug,https://shop.example/${i},149.00 USD,Kiln`).join("\n");
/** Without a line end. */
const fileOf = (count: number): string => `id,title,link,price,brand\n${rowsOf(count)}`;
const COMPLETE = `${fileOf(30)}\n`;
/** The last row is `m-24,…,149.0`: the brand is missing. */
const INSIDE_ROW = fileOf(25).slice(0, -"0 USD,Kiln".length);
/** The last row ends inside the brand, so that it has all cells. */
const INSIDE_LAST_CELL = fileOf(25).slice(0, -2);

const serve = (shop: Shop, body: string | Uint8Array): void => shop.answers({ kind: "file", body });

async function removedBy(shop: Shop, body: string, more: object = {}): Promise<number> {
  serve(shop, body);
  const answer = await shop.sync({}, more);
  assert.equal(answer.status, 200, answer.text);
  return dataOf<{ stats: SyncStats }>(answer).stats.removed;
}

async function assertRefused(shop: Shop, body: string | Uint8Array, reason: RegExp): Promise<void> {
  const items = async () => (await shop.call("/api/v1/items?limit=100")).text;
  const before = await items();
  serve(shop, body);

  const { detail } = assertProblem(await shop.sync(), 422, "source_incomplete");

  assert.match(detail, reason);
  assert.match(detail, /[56] items that would be removed.*Nothing was changed/);
  assert.equal(await items(), before);
}

test("a file that ends inside a row removes nothing, plain or packed, also if no file ever had a last line end", async () => {
  for (const before of [COMPLETE, fileOf(30)]) {
    const shop = await api.openShop();
    await removedBy(shop, before);

    const packed = [gzipSync(INSIDE_ROW), zipOf({ "feed.csv": INSIDE_ROW })];
    for (const body of [INSIDE_ROW, ...packed])
      await assertRefused(shop, body, /fewer cells than the header/);
  }
});

test("a file whose last row is cut off and has a line end removes nothing", async () => {
  const shop = await api.openShop();
  await removedBy(shop, COMPLETE);

  for (const end of ["\n", "\r\n", "\n\n"])
    await assertRefused(shop, `${INSIDE_ROW}${end}`, /fewer cells than the header/);
});

test("a push of a file that ends inside a row removes nothing, unless any removal is allowed", async () => {
  const shop = await api.openShop();
  const put = async (body: string, query = "") =>
    shop.call(`/api/v1/catalog${query}`, { method: "PUT", headers: { "content-type": "text/csv" }, body });
  assert.equal((await put(COMPLETE)).status, 200);

  for (const body of [INSIDE_ROW, `${INSIDE_ROW}\n`]) {
    const { detail } = assertProblem(await put(body), 400, "body_incomplete");
    assert.match(detail, /6 items that would be removed.*Nothing was changed; send the whole file/);
  }
  const accepted = dataOf<{ stats: SyncStats }>(await put(INSIDE_ROW, "?max_removed_ratio=1"));
  assert.equal(accepted.stats.removed, 6);
});

test("a file without the last line end that all earlier files had removes nothing", async () => {
  const shop = await api.openShop();
  await removedBy(shop, COMPLETE);

  await assertRefused(shop, INSIDE_LAST_CELL, /does not end with a line end/);
});

test("a sync that allows the removal accepts such a file as complete, and so do the syncs after it", async () => {
  const shop = await api.openShop();
  await removedBy(shop, COMPLETE);

  assert.equal(await removedBy(shop, fileOf(25), { max_removed_ratio: 1 }), 5);
  assert.equal(await removedBy(shop, fileOf(20)), 5);
});

test("files that never end with a line end, and files that end with one or more, remove what they no longer have", async () => {
  for (const end of ["", "\n", "\r\n", "\n\n  "]) {
    const shop = await api.openShop();
    await removedBy(shop, `${fileOf(30)}${end}`);

    assert.equal(await removedBy(shop, `${fileOf(25)}${end}`), 5, JSON.stringify(end));
  }
});

test("a file whose rows omit empty cells at their end removes what it no longer has", async () => {
  const ragged = (count: number) => fileOf(count).replaceAll(",Kiln", "");
  const shop = await api.openShop();
  await removedBy(shop, ragged(30));

  assert.equal(await removedBy(shop, ragged(25)), 5);
});

test("a new URL says nothing about how the files of the old one ended", async () => {
  const shop = await api.openShop();
  await removedBy(shop, COMPLETE);
  serve(shop, fileOf(25));
  const { sources } = dataOf<{ sources: { settings: { url: string } }[] }>(
    await shop.call("/api/v1/sources"),
  );
  const url = `${sources[0]?.settings.url ?? ""}#new`;
  const body = { id: shop.sourceId, settings: { url } };
  assert.equal((await shop.call("/api/v1/sources", { method: "PATCH", body })).status, 200);

  assert.equal(await removedBy(shop, fileOf(25)), 5);
});

test("a quote that is never closed fails the sync", async () => {
  const shop = await api.openShop();
  await removedBy(shop, COMPLETE);
  serve(shop, COMPLETE.replace("m-29,Mug", 'm-29,"Mug'));

  assertProblem(await shop.sync(), 422, "source_incomplete");
});

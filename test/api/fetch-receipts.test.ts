/** Receipts of fetches: who got which render, when, and how many renders they are behind. Over real HTTP. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FeedConsumer, FetchReceipt } from "../../src/contract/feed-fetches.ts";
import type { CatalogStatus } from "../../src/contract/status.ts";
import { buildApp } from "../../src/http/app.ts";
import { FetchCounter } from "../../src/http/feed-fetches.ts";
import type { PublishedFile } from "../../src/http/published-feeds.ts";
import { catalogStatus } from "../../src/pipeline/status/status.ts";
import { type FetchTally, pruneReceipts, recordFetches } from "../../src/store/fetch-receipts.ts";
import { listFilesOfRuns, listPublications } from "../../src/store/feed-files.ts";
import { closeAfterTests } from "../close-after.ts";
import { dataOf } from "./answer-data.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());

const GOOGLE = { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)" };
const META = { "user-agent": "facebookcatalog/1.0" };
const DAY_MS = 86_400_000;

async function synced(price = "10.00 USD"): Promise<Shop> {
  const shop = await api.openShop(mugs(2).map((mug) => ({ ...mug, price })));
  assert.equal((await shop.sync()).status, 200);
  return shop;
}

type Fetching = (
  file: string,
  asked: { headers?: Readonly<Record<string, string>>; method?: string },
) => Promise<Response>;

/** A server of the test's own: when it stops, everything that it has counted is written. */
async function withServer(shop: Shop, work: (get: Fetching) => Promise<void>): Promise<void> {
  const server = await buildApp(api.parts);
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  const { feeds } = await shop.feeds();
  try {
    await work(async (file, asked) => {
      const path = new URL(feeds.find((feed) => feed.file === file)?.url ?? "").pathname;
      const answer = await fetch(url + path, {
        ...asked,
        headers: { "accept-encoding": "identity", ...asked.headers },
      });
      await answer.arrayBuffer();
      return answer;
    });
  } finally {
    await server.close();
  }
}

const consumers = async (shop: Shop): Promise<FeedConsumer[]> =>
  dataOf<{ consumers: FeedConsumer[] }>(await shop.call("/api/v1/feeds/fetches")).consumers;
const receipts = async (shop: Shop, query = ""): Promise<FetchReceipt[]> =>
  dataOf<{ receipts: FetchReceipt[] }>(await shop.call(`/api/v1/feeds/receipts${query}`)).receipts;

async function published(shop: Shop, file = "gmc.tsv"): Promise<PublishedFile> {
  const [publication] = await listPublications(api.db, shop.id);
  const found = (await listFilesOfRuns(api.db, [publication?.runId ?? ""])).find((row) => row.file === file);
  assert.ok(found);
  return { ...found, catalogId: shop.id };
}

test("each consumer has its last fetch, the render it got and how many renders it is behind", async () => {
  const shop = await synced();
  const first = await published(shop);

  await withServer(shop, async (get) => {
    const { headers } = await get("gmc.tsv", { headers: GOOGLE });
    await get("gmc.tsv", { headers: { ...GOOGLE, "if-none-match": headers.get("etag") ?? "" } });
    await get("gmc.tsv", { headers: META });
    await get("gmc.tsv", { headers: { ...META, range: "bytes=0-9" } });
    await get("acp.csv", { method: "HEAD", headers: META });
  });
  shop.sells(mugs(2).map((mug) => ({ ...mug, price: "11.00 USD" })));
  await shop.sync();
  shop.sells(mugs(2).map((mug) => ({ ...mug, price: "12.00 USD" })));
  await shop.sync();
  // Nothing changes: a render, but no other file.
  await shop.sync();
  await withServer(shop, async (get) => void (await get("gmc.tsv", { headers: META })));

  const found = await consumers(shop);
  assert.deepEqual(
    found.map((one) => [one.file, one.consumer, one.last_status, one.renders_behind, one.fetches]),
    [
      ["gmc.tsv", "Meta", 200, 0, 3],
      ["gmc.tsv", "Google", 304, 2, 2],
    ],
  );
  const [meta, google] = found;
  assert.equal(google?.render_run_id, first.runId);
  assert.equal(meta?.render_run_id, (await published(shop)).runId);
  assert.deepEqual(
    google?.days.map(({ fetches, not_modified, bytes }) => [fetches, not_modified, bytes]),
    [[2, 1, first.bytes]],
  );
  assert.equal(google?.usual_interval_s, null);
  const ofFirst = await receipts(shop, `?run_id=${first.runId}`);
  assert.deepEqual(
    ofFirst
      .map(({ consumer, status, fetches, bytes }) => `${consumer} ${status} ${fetches} ${bytes}`)
      .toSorted(),
    [`Google 200 1 ${first.bytes}`, "Google 304 1 0", `Meta 200 1 ${first.bytes}`, "Meta 206 1 10"],
  );
  const page = dataOf<{ receipts: FetchReceipt[]; next_cursor: string }>(
    await shop.call("/api/v1/feeds/receipts?limit=3&file=gmc.tsv"),
  );
  assert.equal(page.receipts.length, 3);
  assert.equal((await receipts(shop, `?limit=3&cursor=${page.next_cursor}`)).length, 2);
});

test("a file that a consumer asks for compressed with zstd counts what was sent", async () => {
  const shop = await synced();

  await withServer(
    shop,
    async (get) => void (await get("gmc.tsv", { headers: { ...GOOGLE, "accept-encoding": "zstd" } })),
  );

  const [receipt] = await receipts(shop);
  assert.ok(receipt && receipt.bytes > 100, String(receipt?.bytes));
});

const span = ({ first_at, last_at }: FetchReceipt): number => Date.parse(last_at) - Date.parse(first_at);

function tally({ catalogId, file, runId, etag }: PublishedFile, more: Partial<FetchTally>): FetchTally {
  const at = more.lastAt ?? new Date();
  const by = { consumer: "Google", isKnown: true, status: 200, fetches: 1, bytes: 0 };
  return { catalogId, file, runId, etag, ...by, firstAt: at, lastAt: at, ...more };
}

test("a million fetches in many batches are one row for each day, consumer, render and status", async () => {
  const shop = await synced();
  const file = await published(shop);
  const noon = Date.UTC(2026, 10, 14, 12);

  for (let batch = 0; batch < 10; batch += 1)
    await recordFetches(api.db, [
      tally(file, { fetches: 100_000, bytes: 1_000, lastAt: new Date(noon + batch * 60_000) }),
      tally(file, { fetches: 7, status: 304, lastAt: new Date(noon + batch * 60_000) }),
    ]);

  assert.deepEqual(
    (await receipts(shop)).map((one) => [one.day, one.fetches, one.bytes, one.status, span(one)]),
    [
      ["2026-11-14", 1_000_000, 10_000, 200, 540_000],
      ["2026-11-14", 70, 0, 304, 540_000],
    ],
  );
});

test("programs without a known name are bounded, known consumers are not, and a day begins at midnight UTC", async () => {
  const shop = await synced();
  const file = await published(shop);
  const counter = new FetchCounter();
  const midnight = Date.UTC(2026, 10, 15);
  const add = (consumer: string | null, now: number) =>
    counter.add(file, { consumer, status: 200, isHead: false, bytes: 1 }, now);

  for (let program = 0; program < 1_000; program += 1) add(`program-${program}`, midnight - 2);
  add("Google", midnight - 1);
  add("Google", midnight);
  add(null, midnight);
  add("program-999", midnight);

  const tallies = counter.take();
  const before = tallies.filter(({ lastAt }) => lastAt.getTime() < midnight);
  assert.equal(before.length, 22);
  assert.equal(before.find(({ consumer }) => consumer === "other")?.fetches, 980);
  assert.deepEqual(
    tallies.filter(({ lastAt }) => lastAt.getTime() >= midnight).map(({ consumer }) => consumer),
    ["Google", null, "program-999"],
  );
  assert.deepEqual(counter.take(), []);
  counter.putBack(tallies);
  counter.putBack(tallies);
  assert.equal(counter.take().length, tallies.length);
});

const NOW = new Date("2026-11-16T12:00:00Z");

async function attention(shop: Shop, now = NOW): Promise<readonly string[]> {
  const deps = { db: api.db, feedUrl: () => "https://feeds.example/x" };
  const status: CatalogStatus | undefined = await catalogStatus(deps, shop.id, now);
  return (status?.attention ?? [])
    .filter(({ code }) => code === "consumer_behind")
    .map(({ message }) => message);
}

/** Fetches at these ages in days, oldest first, of the file with another content than the published one. */
async function fetchedAt(
  shop: Shop,
  consumer: string,
  ages: readonly number[],
  isKnown = true,
): Promise<void> {
  const file = await published(shop);
  for (const age of ages)
    await recordFetches(api.db, [
      tally(file, { consumer, isKnown, etag: "old", lastAt: new Date(NOW.getTime() - age * DAY_MS) }),
    ]);
}

test("a known consumer that stops fetching is reported, with the time and its usual interval", async () => {
  const shop = await synced();
  await fetchedAt(shop, "Google", [9, 8, 7, 6, 5, 4, 3]);

  const [message, ...others] = await attention(shop);

  assert.deepEqual(others, []);
  assert.match(
    message ?? "",
    /^Google last fetched gmc\.tsv 3 days ago, on 2026-11-13, and is 1 render behind\. Before, it fetched the file at least every 1 day\. /,
  );
  assert.deepEqual(await attention(shop, new Date(NOW.getTime() + 30 * DAY_MS)), []);
});

test("a consumer within its usual interval, an unknown one, a rare one and one that has the file are not reported", async () => {
  const shop = await synced();
  await fetchedAt(shop, "Google", [9, 8, 7, 6, 5, 4, 3, 2, 1]);
  await fetchedAt(shop, "Pinterest", [30, 23, 16, 9, 8, 8.5]);
  await fetchedAt(shop, "partner-bot", [9, 8, 7, 6, 5, 4], false);
  await fetchedAt(shop, "Meta", [5, 4]);
  const file = await published(shop);
  for (const age of [9, 8, 7, 6, 5, 4, 3])
    await recordFetches(api.db, [
      tally(file, { consumer: "Microsoft", lastAt: new Date(NOW.getTime() - age * DAY_MS) }),
    ]);

  assert.deepEqual(await attention(shop), []);
});

test("receipts are kept for their time, and consumers as long as they come", async () => {
  const shop = await synced();
  await fetchedAt(shop, "Google", [40, 20]);
  await fetchedAt(shop, "Meta", [40]);

  await pruneReceipts(api.db, new Date(NOW.getTime() - 30 * DAY_MS));

  assert.deepEqual(
    (await receipts(shop)).map(({ consumer }) => consumer),
    ["Google"],
  );
  assert.deepEqual(
    (await consumers(shop)).map(({ consumer }) => consumer),
    ["Google"],
  );
});

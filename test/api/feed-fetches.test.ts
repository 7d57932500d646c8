/** Who fetched a feed last, and when: recorded beside the answer, never in its way. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { CatalogStatus } from "../../src/contract/status.ts";
import { buildApp } from "../../src/http/app.ts";
import { fetchRecorder } from "../../src/http/feed-fetches.ts";
import { recordFeedFetches } from "../../src/store/feed-fetches.ts";
import type { PublishedFile } from "../../src/http/published-feeds.ts";
import type { Db } from "../../src/store/db.ts";
import { listFilesOfRuns, listPublications } from "../../src/store/feed-files.ts";
import { until } from "../actions.ts";
import type { Disposable } from "../fresh.ts";
import { memoryLog } from "../installation.ts";
import { dataOf } from "./answer-data.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { RunningApi, Shop } from "./running-api.ts";

let api: Disposable<RunningApi>;
before(async () => {
  api = await runningApi();
});
after(() => api[Symbol.asyncDispose]());

async function synced(): Promise<Shop> {
  const shop = await api.openShop(mugs(2));
  await shop.sync();
  return shop;
}

type Fetched = { readonly at: string | null; readonly by: string | null; readonly status: number | null };

async function fetched(shop: Shop): Promise<Readonly<Record<string, Fetched>>> {
  const { feeds } = dataOf<CatalogStatus>(await shop.call("/api/v1/catalog/status"));
  return Object.fromEntries(
    feeds.map(({ file, last_fetched_at: at, last_fetched_by: by, last_fetched_status: status }) => [
      file,
      { at, by, status },
    ]),
  );
}

const NEVER: Fetched = { at: null, by: null, status: null };

/** A server of the test's own: when it stops, everything that it has collected is written. */
async function withServer(
  work: (ask: (file: string, asked: object) => Promise<number>) => Promise<void>,
  shop: Shop,
) {
  const server = await buildApp(api.parts);
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  const { feeds } = await shop.feeds();
  try {
    await work(async (file, asked) => {
      const path = new URL(feeds.find((feed) => feed.file === file)?.url ?? "").pathname;
      const answer = await fetch(url + path, asked);
      await answer.arrayBuffer();
      return answer.status;
    });
  } finally {
    await server.close();
  }
}

test("a fetch, a 304 and a HEAD count; an error and the console's preview do not", async () => {
  const shop = await synced();
  const etag = (await shop.fetch("gmc.tsv")).headers.etag ?? "";
  const statuses: number[] = [];
  await withServer(async (ask) => {
    const browser = { "user-agent": "curl/8.5.0" };
    statuses.push(
      await ask("acp.csv", { headers: { "user-agent": "facebookcatalog/1.0" } }),
      await ask("gmc.tsv", {
        headers: { "user-agent": "Googlebot/2.1", "if-none-match": etag, "accept-encoding": "identity" },
      }),
      await ask("jsonld.json", { method: "HEAD", headers: browser }),
      await ask("acp.json", { headers: { ...browser, cookie: "shelfwire_session=abc" } }),
      await ask("acp.json", { headers: { ...browser, "x-shelfwire-console": "1" } }),
      await ask("acp.json", { headers: { ...browser, range: "bytes=99999999-" } }),
    );
  }, shop);

  const all = await fetched(shop);

  assert.deepEqual(statuses, [200, 304, 200, 200, 200, 416]);
  assert.deepEqual(
    Object.entries(all).map(([file, { by, status }]) => [file, by, status]),
    [
      ["acp.csv", "Meta", 200],
      ["acp.json", null, null],
      ["gmc.tsv", "Google", 304],
      ["jsonld.json", "curl", 200],
    ],
  );
  assert.deepEqual(all["acp.json"], NEVER);
  assert.ok(Math.abs(Date.parse(all["acp.csv"]?.at ?? "") - Date.now()) < 60_000);
});

test("of several servers the one with the newest fetch wins, and catalogs that are gone are skipped", async () => {
  const shop = await synced();
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
  const one = { catalogId: shop.id, file: "gmc.tsv", status: 200 } as const;
  const gone = { ...one, catalogId: "01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff", at: at(9), by: null };

  await recordFeedFetches(api.db, [{ ...one, at: at(5), by: "Google" }, gone]);
  await recordFeedFetches(api.db, [{ ...one, at: at(3), by: "curl", status: 304 }]);

  assert.deepEqual((await fetched(shop))["gmc.tsv"], { at: at(5).toISOString(), by: "Google", status: 200 });
});

/** The published file, as the server has it. */
async function publishedFile(shop: Shop, file: PublishedFile["file"]): Promise<PublishedFile> {
  const [publication] = await listPublications(api.db, shop.id);
  const rows = await listFilesOfRuns(api.db, [publication?.runId ?? ""]);
  const found = rows.find((row) => row.file === file);
  assert.ok(found);
  return { ...found, catalogId: shop.id };
}

const byConsumer = (consumer: string) => ({ consumer, status: 200, isHead: false, bytes: 0 });

test("fetches are written once for each interval, the newest of each file", async (t) => {
  const shop = await synced();
  const [google, openai] = [await publishedFile(shop, "gmc.tsv"), await publishedFile(shop, "acp.csv")];
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: new Date("2026-11-16T12:00:00Z") });
  const batches: (readonly unknown[])[] = [];
  const execute = async ({
    text,
    values,
  }: {
    readonly text: string;
    readonly values: readonly unknown[];
  }) => {
    if (text.includes("insert into feed_fetches")) batches.push(values[3] as readonly unknown[]);
    return 1;
  };
  const db: Db = { ...api.db, tx: async (work) => work({ ...api.db, execute }) };
  const recorder = fetchRecorder({ db, log: memoryLog() });
  const fetchBy = (by: string, file = google) => {
    t.mock.timers.tick(1);
    recorder.record(file, byConsumer(by));
  };

  fetchBy("first");
  fetchBy("second");
  fetchBy("other", openai);
  t.mock.timers.tick(1_000);
  fetchBy("third");
  t.mock.timers.tick(30_000);
  fetchBy("fourth");
  const early = batches.length;
  t.mock.timers.tick(30_000);
  await recorder.close();

  assert.equal(early, 1);
  assert.deepEqual(batches, [["second", "other"], ["fourth"]]);
});

test("a write that fails is repeated, and a feed is served all the same", async () => {
  const shop = await synced();
  await api.db.execute({ text: "alter table feed_fetches rename to feed_fetches_away", values: [] });
  const log = memoryLog();
  const recorder = fetchRecorder({ db: api.db, log }, 20);
  recorder.record(await publishedFile(shop, "gmc.tsv"), byConsumer("Google"));
  await until(async () => log.lines.length > 0, "the failed write");

  assert.equal((await shop.fetch("acp.csv")).status, 200);
  await api.db.execute({ text: "alter table feed_fetches_away rename to feed_fetches", values: [] });
  await until(async () => (await fetched(shop))["gmc.tsv"]?.by === "Google", "the repeated write");
  await recorder.close();
});

/** The result of a render, as readers and the disk see it. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { readFeeds, render, runsOf, sync, untilRun } from "../../../test/actions.ts";
import { article, articles, openShop, type Row } from "../../../test/fakes/shop.ts";
import { installation, type Installation, type TestCatalog } from "../../../test/installation.ts";
import { FEED_FILES } from "../../channels/registry.ts";
import { findCatalog } from "../../store/catalogs.ts";
import { type FeedFileRow, listFeedFiles } from "../../store/feed-files.ts";
import { findRun } from "../../store/runs.ts";
import { MAX_PART } from "./item-groups.ts";
import type { RenderStats } from "../render/render.ts";
import { enqueueDueRuns } from "../maintenance.ts";
import { closeAfterTests } from "../../../test/close-after.ts";

const home = closeAfterTests(await installation());
const shop = closeAfterTests(await openShop());

/** A catalog with these rows in it, rendered. */
async function stocked(rows: readonly Row[]): Promise<TestCatalog & { readonly source: string }> {
  const catalog = await home.createCatalog();
  const source = await home.addFeed(catalog.id, shop.url);
  shop.stock(rows);
  assert.equal((await sync(home, catalog, source)).status, 200);
  return { ...catalog, source };
}

type Published = {
  readonly runId: string;
  readonly stats: RenderStats;
  /** All four files are in it. */
  readonly folder: string;
  readonly files: readonly FeedFileRow[];
};

async function published({ db }: Installation, catalogId: string): Promise<Published> {
  const runId = (await findCatalog(db, catalogId))?.publishedRunId ?? "";
  const stats = (await findRun(db, runId))?.stats as RenderStats;
  const files = await listFeedFiles(db, runId);
  const [folder = "", ...others] = new Set(files.map((file) => file.folder));
  assert.deepEqual(others, []);
  return { runId, stats, folder, files };
}

const foldersOf = (catalogId: string): Promise<string[]> => readdir(join(home.dataDir, "feeds", catalogId));

/** Makes the published render seem to have another base. */
async function pretendBase(runId: string, base: string): Promise<void> {
  await home.db.execute({
    text: "update runs set stats = jsonb_set(stats, '{base}', to_jsonb($2::text)) where id = $1",
    values: [runId, base],
  });
}

describe("a render of what is published already", () => {
  test("is a new run that uses the same files", async () => {
    const catalog = await stocked(articles(3));
    const first = await published(home, catalog.id);

    assert.equal((await render(home, catalog)).status, 200);

    const second = await published(home, catalog.id);
    assert.notEqual(second.runId, first.runId);
    assert.deepEqual(second.stats, first.stats);
    assert.deepEqual(
      second.files,
      first.files.map((file) => ({ ...file, changed: false })),
    );
    assert.deepEqual(await foldersOf(catalog.id), [first.folder]);
  });

  test("renders again if the files are missing on the disk", async () => {
    const catalog = await stocked(articles(3));
    const first = await published(home, catalog.id);
    await home.jobs.folders.sweep(catalog.id, () => Promise.resolve(new Set()));

    await render(home, catalog);

    const second = await published(home, catalog.id);
    assert.deepEqual(await foldersOf(catalog.id), [second.folder]);
    assert.equal((await readFeeds(home, catalog)).files["acp.csv"]?.status, 200);
    assert.deepEqual(
      second.files.map(({ etag }) => etag),
      first.files.map(({ etag }) => etag),
    );
  });

  test("renders again when the catalog's settings have changed", async () => {
    const catalog = await stocked(articles(1));
    const first = await published(home, catalog.id);
    await home.db.execute({
      text: `update catalogs set settings = settings || '{"sellerName":"Other Shop"}',
                                 settings_version = settings_version + 1 where id = $1`,
      values: [catalog.id],
    });

    await render(home, catalog);

    const second = await published(home, catalog.id);
    assert.notEqual(second.folder, first.folder);
    assert.notEqual(second.stats.base, first.stats.base);
    assert.match((await readFeeds(home, catalog)).files["acp.csv"]?.text ?? "", /Other Shop/);
  });

  test("renders again when older code made the files, and equal bytes keep ETag and date", async () => {
    const catalog = await stocked([article("a"), article("b", { sale_price: "8.00 USD" })]);
    const first = await published(home, catalog.id);
    const before = await readFeeds(home, catalog);
    await pretendBase(first.runId, first.stats.base.replace(/[^.]+$/, "older"));

    await render(home, catalog);

    const second = await published(home, catalog.id);
    assert.deepEqual(
      second.files,
      first.files.map((file) => ({ ...file, folder: second.folder, changed: false })),
    );
    assert.deepEqual((await readFeeds(home, catalog)).files, before.files);
  });

  test("renders again when the items have changed, and the files are marked as changed", async () => {
    const catalog = await stocked(articles(2));
    const first = await published(home, catalog.id);

    shop.stock([article("a1"), article("a2", { title: "Another name" })]);
    await sync(home, catalog, catalog.source);

    const second = await published(home, catalog.id);
    assert.deepEqual(
      second.files.map(({ changed }) => changed),
      [true, true, true, true],
    );
    assert.notEqual(second.folder, first.folder);
    for (const [i, file] of second.files.entries()) {
      assert.notEqual(file.etag, first.files[i]?.etag);
      assert.ok(file.lastModified > (first.files[i]?.lastModified ?? file.lastModified));
    }
  });
});

test("a scheduled sale changes the feeds when it begins", async () => {
  const begins = new Date(Date.now() + 86_400_000).toISOString();
  const catalog = await stocked([
    article("a", { sale_price: "7.77 USD", sale_price_effective_date: `${begins}/2099-01-01T00:00Z` }),
  ]);
  const first = await published(home, catalog.id);
  const before = await readFeeds(home, catalog);
  assert.equal(first.stats.stale_at, begins);
  await enqueueDueRuns(home.jobs);
  assert.equal((await runsOf(home.db, catalog.id)).filter(({ cause }) => cause === "stale").length, 0);

  // A day passes: every future time in the data is now in the past.
  const began = new Date(Date.now() - 1_000).toISOString();
  for (const text of [
    "update items set body = replace(body, $2, $3) where catalog_id = $1",
    "update catalogs set stale_at = $3::text::timestamptz where id = $1 and $2 <> ''",
    "update runs set stats = jsonb_set(stats, '{stale_at}', to_jsonb($3::text)) where catalog_id = $1 and stats->>'stale_at' = $2",
  ])
    await home.db.execute({ text, values: [catalog.id, begins, began] });
  await Promise.all([enqueueDueRuns(home.jobs), enqueueDueRuns(home.jobs)]);

  const stale = (await runsOf(home.db, catalog.id)).filter(({ cause }) => cause === "stale");
  assert.equal(stale.length, 1);
  await untilRun(home.db, stale[0]?.id ?? "", "succeeded");
  const now = await readFeeds(home, catalog);
  const has = (feeds: typeof now, file: string) => feeds.files[file]?.text.includes("7.77");
  assert.deepEqual([has(before, "acp.csv"), has(now, "acp.csv")], [false, true]);
  assert.deepEqual([has(before, "jsonld.json"), has(now, "jsonld.json")], [false, true]);
  assert.equal((await published(home, catalog.id)).stats.stale_at, "2099-01-01T00:00:00.000Z");
});

describe("the files", () => {
  test("have every item, and name those that will be refused with a reason", async () => {
    const catalog = await stocked([
      ...articles(30, { image_link: "" }),
      article("whole"),
      article("free", { price: "0 USD" }),
    ]);

    const { stats, files } = await published(home, catalog.id);

    assert.equal(stats.items, 32);
    assert.deepEqual(Object.keys(stats.files).sort(), [...FEED_FILES].sort());
    for (const { file, written, excluded, refused } of files) {
      const tally = stats.files[file];
      assert.deepEqual([written, excluded, refused], [32, 0, 31], file);
      assert.deepEqual([tally?.written, tally?.excluded, tally?.refused], [written, excluded, refused], file);
      assert.equal(tally?.refusals.length, Math.min(20, refused), file);
      for (const { item_id, included, code, message } of tally?.refusals ?? [])
        assert.ok(item_id && included && code && message);
    }
  });

  test("of a catalog that was never synced are four valid empty ones", async () => {
    const catalog = await home.createCatalog();
    assert.equal((await readFeeds(home, catalog)).lastRender, null);

    assert.equal((await render(home, catalog)).status, 200);

    const { lastRender, files } = await readFeeds(home, catalog);
    assert.equal(lastRender?.stats["items"], 0);
    assert.deepEqual(Object.keys(files), [...FEED_FILES]);
    const text = (file: string): string => files[file]?.text ?? "";
    assert.match(text("acp.csv"), /^item_id,[^\n]+\n$/);
    assert.match(text("gmc.tsv"), /^id\t[^\n]+\n$/);
    assert.deepEqual((JSON.parse(text("acp.json")) as { products: unknown[] }).products, []);
    const graph = (JSON.parse(text("jsonld.json")) as { "@graph": { "@type": string }[] })["@graph"];
    assert.ok(graph.every((node) => !node["@type"].startsWith("Product")));
  });

  test("have compressed copies with the same bytes, and no incomplete file is left", async () => {
    const catalog = await stocked(articles(200));

    const { folder: name, files } = await published(home, catalog.id);

    assert.deepEqual(await foldersOf(catalog.id), [name]);
    const folder = join(home.dataDir, "feeds", catalog.id, name);
    const lists = ["refusals.jsonl", "search.txt", "index.bin"];
    const expected = [
      ...FEED_FILES.flatMap((file) => [file, `${file}.gz`]),
      ...lists,
      ...[...FEED_FILES, ...lists].map((file) => `${file}.segments`),
      "index.json",
      "index.directory",
      "index.outcomes",
    ];
    assert.deepEqual((await readdir(folder)).sort(), expected.sort());
    for (const { file, bytes, gzipBytes } of files) {
      const plain = await readFile(join(folder, file));
      const gzip = await readFile(join(folder, `${file}.gz`));
      assert.deepEqual([bytes, gzipBytes], [plain.length, gzip.length]);
      assert.ok(gunzipSync(gzip).equals(plain), file);
    }
  });

  test("contain a group of any size completely, although it is rendered in parts", async () => {
    const size = MAX_PART * 2 + 7;
    const variants = Array.from({ length: size }, (_, i) =>
      article(`v${i}`, { item_group_id: "giant", color: `Shade ${i}` }),
    );
    const catalog = await stocked([article("before"), ...variants, article("zz-after")]);

    const { files, lastRender } = await readFeeds(home, catalog);

    const ids = [...variants.map(({ id }) => String(id)), "before", "zz-after"].sort();
    assert.equal(lastRender?.stats["items"], ids.length);
    const { products } = JSON.parse(files["acp.json"]?.text ?? "") as {
      products: { item_id: string; group_id?: string }[];
    };
    assert.deepEqual(products.map(({ item_id }) => item_id).sort(), ids);
    // All parts must agree on the group's name, or they would be groups of their own.
    const groups = Map.groupBy(products, ({ group_id }) => group_id);
    assert.equal(groups.size, 2);
    assert.deepEqual(
      groups.get(undefined)?.map(({ item_id }) => item_id),
      ["before", "zz-after"],
    );
    const graph = (JSON.parse(files["jsonld.json"]?.text ?? "") as { "@graph": JsonldNode[] })["@graph"];
    const named = graph.flatMap((node) => [node, ...(node.hasVariant ?? [])]).flatMap(({ sku }) => sku ?? []);
    assert.deepEqual(named.sort(), ids);
    for (const file of ["acp.csv", "gmc.tsv"]) {
      assert.equal(files[file]?.text.trimEnd().split("\n").length, ids.length + 1, file);
    }
  });
});

type JsonldNode = { readonly sku?: string; readonly hasVariant?: readonly JsonldNode[] };

test("renders that are requested at the same time succeed, and those that wait together are one render", async () => {
  const catalog = await stocked(articles(2));

  const answers = await Promise.all([render(home, catalog), render(home, catalog), render(home, catalog)]);

  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  const renders = (await runsOf(home.db, catalog.id)).filter(({ kind }) => kind === "render");
  assert.ok(renders.every(({ state, attempts }) => state === "succeeded" && attempts === 1));
  // The one after the sync, one that may have begun at once, and one for all callers that waited.
  assert.ok(renders.length >= 2 && renders.length <= 4, String(renders.length));
});

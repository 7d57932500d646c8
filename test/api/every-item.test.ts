/**
 * Every stored item is in all four files; what a destination will refuse is reported, and left out only if a setting
 * says so.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { FEED_FILES, type FeedFile } from "../../src/channels/registry.ts";
import type { CatalogSettingsAnswer } from "../../src/contract/catalog-settings.ts";
import type { ItemExplanation } from "../../src/contract/explain.ts";
import type { ItemAnswer, ItemSummary } from "../../src/contract/items.ts";
import type { RefusalsAnswer, Render, RenderDetail } from "../../src/contract/renders.ts";
import type { Wire } from "../../src/contract/shapes.ts";
import type { CatalogStatus } from "../../src/contract/status.ts";
import type { SyncStats } from "../../src/contract/syncs.ts";
import { createKey } from "../../src/setup/keys.ts";
import { until } from "../actions.ts";
import { closeAfterTests } from "../close-after.ts";
import { dataOf } from "./answer-data.ts";
import { describedBy } from "./described.ts";
import { runningApi, type Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());
const assertDescribed = await describedBy(api);

const PLAIN = `id,title,price,link
mug,Mug,9.50,https://shop.example/p/mug
bowl,Bowl,12.00,https://shop.example/p/bowl
vase,Vase,30.00,https://shop.example/p/vase
`;
const IDS = ["bowl", "mug", "vase"];

async function syncedShop(body: string): Promise<Shop & { readonly stats: SyncStats }> {
  const shop = await api.openShop();
  shop.answers({ kind: "file", body });
  const answer = await shop.sync();
  assert.equal(answer.status, 200, answer.text);
  return { ...shop, stats: dataOf<{ stats: SyncStats }>(answer).stats };
}

async function read<Data>(shop: Shop, path: string, call = path): Promise<Data> {
  const answer = await shop.call(`/api/v1${path}`);
  assert.equal(answer.status, 200, answer.text);
  assertDescribed(`GET /api/v1${call}`, answer);
  return dataOf<Data>(answer);
}

type Node = { readonly "@type": string; readonly productID?: string };

/** The ids of the items in each file, as its readers find them. */
async function idsIn(shop: Shop): Promise<Readonly<Record<FeedFile, readonly string[]>>> {
  const text = async (file: FeedFile) => (await shop.fetch(file)).text;
  const table = async (file: FeedFile, column: string, delimiter: string) =>
    parse<Record<string, string>>(await text(file), { columns: true, delimiter }).map(
      (row) => row[column] ?? "",
    );
  const { products } = JSON.parse(await text("acp.json")) as { products: { item_id: string }[] };
  const graph = (JSON.parse(await text("jsonld.json")) as { "@graph": Node[] })["@graph"];
  return {
    "acp.csv": (await table("acp.csv", "item_id", ",")).toSorted(),
    "acp.json": products.map(({ item_id: id }) => id).toSorted(),
    "gmc.tsv": (await table("gmc.tsv", "id", "\t")).toSorted(),
    "jsonld.json": graph.flatMap(({ productID: id }) => id ?? []).toSorted(),
  };
}

const inEveryFile = (ids: readonly string[]) => Object.fromEntries(FEED_FILES.map((file) => [file, ids]));

test("three plain items are in all four files, and the refusals are reported everywhere", async () => {
  const shop = await syncedShop(PLAIN);

  assert.deepEqual(await idsIn(shop), inEveryFile(IDS));
  const { last_render: last } = await shop.feeds();
  assert.equal(last?.stats.items, 3);
  const { renders } = await read<{ renders: Render[] }>(shop, "/renders");
  const [newest] = renders;
  assert.equal(newest?.run_id, last.run_id);
  const counts = (files: readonly { file: string; excluded: number; refused: number }[]) =>
    Object.fromEntries(files.map(({ file, excluded, refused }) => [file, { excluded, refused }]));
  const expected = {
    "acp.csv": { excluded: 0, refused: 3 },
    "acp.json": { excluded: 0, refused: 3 },
    "gmc.tsv": { excluded: 0, refused: 3 },
    "jsonld.json": { excluded: 0, refused: 3 },
  };
  assert.deepEqual(counts(newest.files), expected);

  const render = await read<RenderDetail>(shop, `/renders/${newest.run_id}`, "/renders/{id}");
  assert.deepEqual(counts(render.files), expected);
  for (const { written, reasons, refused } of render.files) {
    assert.equal(written, 3);
    assert.equal(
      reasons.reduce((sum, { count }) => sum + count, 0),
      refused,
    );
  }

  type Refusals = Wire<typeof RefusalsAnswer>["data"];
  const path = `/renders/${newest.run_id}/refusals`;
  const { refusals } = await read<Refusals>(shop, path, "/renders/{id}/refusals");
  assert.equal(refusals.length, 12);
  assert.deepEqual([...new Set(refusals.map(({ included }) => included))], [true]);
  assert.deepEqual([...new Set(refusals.map(({ file, code }) => `${file} ${code}`))].toSorted(), [
    "acp.csv missing_description",
    "acp.json missing_description",
    "gmc.tsv missing_description",
    "jsonld.json missing_image",
  ]);

  const status = await read<CatalogStatus>(shop, "/catalog/status");
  assert.deepEqual(counts(status.feeds), expected);
  assert.deepEqual([...new Set(status.feeds.map(({ items }) => items))], [3]);

  const { feeds } = await read<ItemAnswer["data"]>(shop, "/items/mug", "/items/{id}");
  assert.deepEqual(
    feeds.map(({ included, refusal }) => [included, refusal?.code]),
    [
      [true, "missing_description"],
      [true, "missing_description"],
      [true, "missing_description"],
      [true, "missing_image"],
    ],
  );
  for (const { text } of feeds) assert.match(text ?? "", /mug/);
  const found = await read<{ items: ItemSummary[] }>(shop, "/items?refused_in=gmc.tsv", "/items");
  assert.deepEqual(found.items.map(({ id }) => id).toSorted(), IDS);
});

test("incomplete_items leaves the items out of the files of that channel alone, until it is cleared", async () => {
  const shop = await syncedShop(PLAIN);
  const input = { catalogId: shop.id, name: "owner", scopes: ["admin"], expiresAt: null };
  const { key } = await createKey(api.db, input);
  /** Changes the setting and waits for the files that have it. */
  const set = async (incompleteItems: object | null) => {
    const before = (await shop.feeds()).last_render?.run_id;
    const answer = await shop.call("/api/v1/catalog/settings", {
      method: "PATCH",
      headers: { authorization: `Bearer ${key}` },
      body: { settings: { incomplete_items: incompleteItems } },
    });
    assert.equal(answer.status, 200, answer.text);
    await until(async () => (await shop.feeds()).last_render?.run_id !== before, "the render");
    return dataOf<Wire<typeof CatalogSettingsAnswer>["data"]>(answer).settings.incomplete_items;
  };

  assert.deepEqual(await set({ google: "leave_out" }), { google: "leave_out" });
  assert.deepEqual(await idsIn(shop), { ...inEveryFile(IDS), "gmc.tsv": [] });
  const { feeds } = await read<CatalogStatus>(shop, "/catalog/status");
  const google = feeds.find(({ file }) => file === "gmc.tsv");
  assert.deepEqual([google?.items, google?.excluded, google?.refused], [0, 3, 0]);
  const item = await read<ItemAnswer["data"]>(shop, "/items/mug", "/items/{id}");
  const view = item.feeds.find(({ file }) => file === "gmc.tsv");
  assert.deepEqual([view?.included, view?.refusal?.code, view?.text], [false, "missing_description", null]);

  assert.deepEqual(await set({ openai: "leave_out", google: "write" }), {
    openai: "leave_out",
    google: "write",
  });
  assert.deepEqual(await idsIn(shop), { ...inEveryFile(IDS), "acp.csv": [], "acp.json": [] });

  assert.equal(await set(null), null);
  assert.deepEqual(await idsIn(shop), inEveryFile(IDS));
});

test("an item without a link is stored with a warning and is in all four files, without an @id", async () => {
  const shop = await syncedShop(`id,title,price,link
mug,Mug,9.50,https://shop.example/p/mug
lost,Lost link,5.00,
odd,Odd link,6.00,javascript:alert(1)
`);

  const { upserted, rejected, warning_codes: warnings } = shop.stats;
  assert.deepEqual([upserted, rejected, warnings["missing_link"], warnings["invalid_url"]], [3, 0, 1, 1]);
  assert.deepEqual(await idsIn(shop), inEveryFile(["lost", "mug", "odd"]));
  const { "@graph": graph } = JSON.parse((await shop.fetch("jsonld.json")).text) as {
    "@graph": (Node & { readonly "@id"?: string; readonly url?: string })[];
  };
  const nodeOf = (id: string) => graph.find(({ productID }) => productID === id);
  assert.deepEqual([nodeOf("lost")?.["@id"], nodeOf("lost")?.url], [undefined, undefined]);
  assert.equal(nodeOf("mug")?.["@id"], "https://shop.example/p/mug#product-mug");

  const { item, audit, feeds } = await read<ItemAnswer["data"]>(shop, "/items/lost", "/items/{id}");
  assert.equal(item.link, undefined);
  const finding = audit.findings.find(({ rule }) => rule === "eligibility.link");
  assert.match(finding?.title ?? "", /^Link is missing/);
  assert.equal(finding?.message, "The item has no link.");
  assert.deepEqual(
    feeds.map(({ included }) => included),
    [true, true, true, true],
  );
  const { items } = await read<{ items: ItemSummary[] }>(shop, "/items");
  assert.deepEqual(
    items.map(({ id, link }) => [id, link]),
    [
      ["lost", null],
      ["mug", "https://shop.example/p/mug"],
      ["odd", null],
    ],
  );

  const explained = await read<ItemExplanation>(shop, "/items/lost/explain", "/items/{id}/explain");
  assert.deepEqual(
    explained.files.map(({ included }) => included),
    [true, true, true, true],
  );
  const title = explained.fields.find(({ field }) => field === "title");
  assert.deepEqual(
    new Set(title?.channels.flatMap(({ files }) => files.map(({ outcome }) => outcome))),
    new Set(["written"]),
  );
});

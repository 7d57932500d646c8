/** A preview shows what a push of the same body would store, and stores nothing. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import type { Rejection, SyncStats } from "../../src/contract/syncs.ts";
import type { ItemAnswer } from "../../src/contract/items.ts";
import { beginSourceRemoval } from "../../src/store/removals.ts";
import { findSource } from "../../src/store/sources.ts";
import { zipOf } from "../fakes/zip.ts";
import { csvFile, SAMPLE_FILES } from "../feed-files.ts";
import type { Disposable } from "../fresh.ts";
import { dataOf } from "./answer-data.ts";
import { assertProblem, type ProblemBody } from "./problem.ts";
import { mugs } from "./rows.ts";
import type { Answer, RunningApi, Shop } from "./running-api.ts";
import { runningApi } from "./running-api.ts";
import { cases, isLong } from "../long.ts";

let api: Disposable<RunningApi>;
before(async () => {
  api = await runningApi({ hasRenders: false });
});
after(() => api[Symbol.asyncDispose]());

type Preview = {
  readonly format: string | null;
  readonly items: readonly { readonly id: string; readonly title: string }[];
  readonly rejections: readonly Rejection[];
  readonly warnings: readonly { readonly code: string }[];
  readonly effect: object;
  readonly is_whole: boolean;
};
type Body = {
  readonly type: string;
  readonly bytes: string | Uint8Array;
  readonly settings?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
};

const send = (shop: Shop, method: "POST" | "PUT", { type, bytes, settings = {}, headers = {} }: Body) =>
  shop.call(
    `/api/v1/catalog${method === "POST" ? "/preview" : ""}?${new URLSearchParams(settings).toString()}`,
    { method, headers: { "content-type": type, ...headers }, body: bytes },
  );

async function preview(shop: Shop, body: Body): Promise<Preview> {
  const answer = await send(shop, "POST", body);
  assert.equal(answer.status, 200, answer.text);
  return dataOf<Preview>(answer);
}

async function put(shop: Shop, body: Body): Promise<SyncStats> {
  const answer = await send(shop, "PUT", body);
  assert.equal(answer.status, 200, answer.text);
  return dataOf<{ stats: SyncStats }>(answer).stats;
}

const storedItem = async (shop: Shop, id: string) =>
  dataOf<ItemAnswer["data"]>(await shop.call(`/api/v1/items/${encodeURIComponent(id)}`)).item;

/** The items of a preview are stored as shown, and its rejections are those of the first rows. */
async function assertForetold(shop: Shop, body: Body): Promise<Preview> {
  const shown = await preview(shop, body);
  const stats = await put(shop, body);
  for (const item of shown.items) assert.deepEqual(await storedItem(shop, item.id), item);
  const rows = shown.items.length + shown.rejections.length;
  if (shown.is_whole) assert.equal(rows, stats.seen);
  const rejected = stats.rejections.toSorted((one, other) => one.position - other.position);
  assert.deepEqual(shown.rejections, rejected.slice(0, shown.rejections.length));
  return shown;
}

const product = (id: string) => ({
  id,
  title: `Mug ${id}`,
  link: `https://shop.example/${id}`,
  price: "9.50 USD",
});
const products = (count: number) => Array.from({ length: count }, (_, i) => product(`p-${i}`));
const HEADER = "id,title,link,price\n";
const rowsOf = (count: number, width = 0) =>
  Array.from(
    { length: count },
    (_, i) => `p-${i},Mug ${i}${" blue".repeat(width)},https://shop.example/${i},9.50 USD\n`,
  ).join("");

describe("the preview of a file shows the first items as a push stores them", () => {
  // catalog-push-files.test.ts reads all of them in both suites.
  for (const { name, type, bytes, settings = {} } of SAMPLE_FILES.filter((_, at) => isLong || at % 3 === 0)) {
    test(`${name}, sent as ${type}`, async () => {
      const shown = await assertForetold(await api.openShop(), { type, bytes, settings });

      assert.ok(shown.items.length > 0);
      assert.notEqual(shown.format, null);
    });
  }
});

test("JSON and JSON Lines, plain and with a Content-Encoding, are previewed like files", async () => {
  const text = JSON.stringify({ products: [...products(3), { id: "p-1", delete: true }] });
  const lines = `${products(3)
    .map((one) => JSON.stringify(one))
    .join("\n")}\n{"id": \n${JSON.stringify(product("z"))}\n`;
  const bodies: readonly (Body & { format: string })[] = [
    { type: "application/json", bytes: text, format: "JSON" },
    { type: "application/x-ndjson", bytes: lines, format: "JSON Lines" },
    {
      type: "application/json",
      bytes: gzipSync(text),
      headers: { "content-encoding": "gzip" },
      format: "JSON",
    },
    {
      type: "text/csv",
      bytes: zstdCompressSync(HEADER + rowsOf(2)),
      headers: { "content-encoding": "zstd" },
      format: "text separated by commas",
    },
  ];
  const shop = await api.openShop();
  for (const body of bodies) {
    const shown = await assertForetold(shop, body);

    assert.equal(shown.format, body.format);
    assert.equal(shown.is_whole, true);
  }
});

test("law: for any rows, the preview foretells the push", async () => {
  const shop = await api.openShop();
  const cell = fc.constantFrom("", "1", "p-1", "p-2", "9.50 USD", "12", "n/a", "Crème “mug”", "/p/1");
  const row = fc.tuple(
    fc.constantFrom("", "p-1", "p-2", "p-3", "p-4"),
    cell,
    fc.constantFrom("https://shop.example/1", "/p/1", ""),
    cell,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 24 }), async (rows) => {
      // One good row, so that the push is not refused as a whole.
      const good = "good,Mug,https://shop.example/good,5.00 USD\n";
      const bytes = HEADER + good + rows.map((cells) => `${cells.join(",")}\n`).join("");
      const body: Body = { type: "text/csv", bytes, settings: { max_removed_ratio: "1" } };
      const answer = await send(shop, "POST", body);
      if (answer.status === 200) await assertForetold(shop, body);
      else {
        const refused = await send(shop, "PUT", body);
        assert.equal((refused.json as ProblemBody).detail, (answer.json as ProblemBody).detail);
      }
    }),
    { numRuns: cases(20), seed: 20_261_116 },
  );
});

test("of a long file the first 20 items are shown; a file of any size is previewed by its first 8 MB", async () => {
  const shop = await api.openShop();
  const count = isLong ? 30_000 : 100;
  const large = rowsOf(count, 60);
  assert.equal(large.length > 10_000_000, isLong);
  const json = `[${Array.from({ length: count }, (_, i) => JSON.stringify({ ...product(`é-${i}`), description: "x".repeat(260) })).join(",")}]`;
  const bodies: readonly Body[] = [
    { type: "text/csv", bytes: HEADER + rowsOf(30) },
    { type: "text/csv", bytes: HEADER + large },
    { type: "application/gzip", bytes: gzipSync(HEADER + large) },
    { type: "application/json", bytes: json },
    { type: "application/octet-stream", bytes: json },
  ];
  for (const body of bodies) {
    const { items, rejections, is_whole } = await preview(shop, body);

    assert.deepEqual([items.length, rejections.length, is_whole], [20, 0, false]);
  }
});

test("a zip archive of more than 8 MB is refused with what to do", async () => {
  const shop = await api.openShop();
  const noise = Buffer.alloc(8_100_000);
  for (let i = 0; i < noise.length; i += 4) noise.writeUInt32LE(Math.imul(i, 2_654_435_761) >>> 0, i);
  const archive = Buffer.concat([zipOf({ "feed.csv": csvFile.bytes }), noise]);

  const { detail } = assertProblem(
    await send(shop, "POST", { type: "application/zip", bytes: archive }),
    413,
    "body_too_large",
  );

  assert.match(detail, /push it, or preview the file that is in it/);
});

describe("a body that a push refuses is refused with the same code and sentence", () => {
  const gzipped = gzipSync(HEADER + rowsOf(9));
  const bodies: Readonly<Record<string, Body>> = {
    "a web page": { type: "text/csv", bytes: "<!doctype html><title>Log in</title><form></form>" },
    "an empty body": { type: "text/csv", bytes: "" },
    "white space": { type: "text/csv", bytes: " \n\n" },
    "a header without rows": { type: "text/csv", bytes: HEADER },
    "a truncated gzip file": { type: "application/gzip", bytes: gzipped.subarray(0, gzipped.length - 30) },
    "truncated JSON": { type: "application/json", bytes: `{"products": [${JSON.stringify(product("a"))},` },
    "two lists": { type: "application/json", bytes: `{"items": [], "products": []}` },
    "a list of people": { type: "text/csv", bytes: "name,phone\nAnn,1\nBob,2\n" },
    "a PDF": { type: "application/octet-stream", bytes: "%PDF-1.7 …" },
    "not packed as it says": {
      type: "text/csv",
      bytes: HEADER,
      headers: { "content-encoding": "gzip" },
    },
    "a bomb": { type: "application/gzip", bytes: gzipSync(Buffer.alloc(60_000_000, 32)) },
  };
  for (const [what, body] of Object.entries(bodies)) {
    test(what, async () => {
      const shop = await api.openShop();

      const shown = await send(shop, "POST", body);
      const pushed = await send(shop, "PUT", body);

      const problem = (answer: Answer) => {
        const { code, detail } = answer.json as ProblemBody;
        return { code, detail };
      };
      assert.ok([400, 413].includes(shown.status), shown.text);
      assert.deepEqual(problem(shown), problem(pushed));
    });
  }
});

test("an empty list is previewed as one", async () => {
  const { items, is_whole } = await preview(await api.openShop(), { type: "application/json", bytes: "[]" });

  assert.deepEqual([items, is_whole], [[], true]);
});

test("ids that a source owns are rejected as by the push", async () => {
  const shop = await api.openShop(mugs(2));
  assert.equal((await shop.sync()).status, 200);
  const taken = dataOf<{ items: readonly { id: string }[] }>(await shop.call("/api/v1/items")).items[0]?.id;
  const bytes = JSON.stringify([product(taken ?? ""), product("own")]);

  const { rejections, items } = await assertForetold(shop, { type: "application/json", bytes });

  assert.deepEqual(
    [rejections.map(({ code }) => code), items.map(({ id }) => id)],
    [["duplicate_item_id"], ["own"]],
  );
});

test("the preview of an update shows what PATCH does: added, changed, unchanged and deleted items", async () => {
  const shop = await api.openShop(mugs(1));
  assert.equal((await shop.sync()).status, 200);
  const put = await shop.call("/api/v1/catalog", { method: "PUT", body: products(3) });
  assert.equal(put.status, 200, put.text);
  const body = [
    { id: "p-0", price: "7.00 USD" },
    product("p-1"),
    product("new"),
    { id: "p-2", delete: true },
    { id: "gone", delete: true },
    { id: "nowhere", price: "1.00 USD" },
    { id: "mug-001", delete: true },
    { id: "p-0", title: "Again" },
    { id: "p-1", delete: true },
  ];

  const shown = dataOf<Preview>(
    await shop.call("/api/v1/catalog/preview?mode=update", { method: "POST", body }),
  );
  const answer = await shop.call("/api/v1/catalog", { method: "PATCH", body });

  assert.equal(answer.status, 200, answer.text);
  const { stats } = dataOf<{ stats: SyncStats }>(answer);
  assert.deepEqual(shown.effect, { added: ["new"], changed: ["p-0"], unchanged: ["p-1"], deleted: ["p-2"] });
  assert.deepEqual([stats.upserted, stats.unchanged, stats.removed], [2, 1, 1]);
  assert.deepEqual(shown.rejections, stats.rejections);
  assert.deepEqual(shown.warnings, stats.warning_examples);
  for (const item of shown.items) assert.deepEqual(await storedItem(shop, item.id), item);
  assert.deepEqual(
    shown.items.map(({ id }) => id),
    ["p-0", "p-1", "new"],
  );
});

test("a preview rejects the deletion of an item whose source is being removed, as PATCH does", async () => {
  const shop = await api.openShop(mugs(2));
  assert.equal((await shop.sync()).status, 200);
  const source = await findSource(api.db, shop.sourceId);
  assert.ok(source);
  // Without a run of it, the removal does not go on.
  await api.db.tx(async (tx) => beginSourceRemoval(tx, source, "keep"));
  const body = [{ id: "mug-001", delete: true }, product("mug-002")];

  const shown = dataOf<Preview>(
    await shop.call("/api/v1/catalog/preview?mode=update", { method: "POST", body }),
  );
  const answer = await shop.call("/api/v1/catalog", { method: "PATCH", body });

  const { stats } = dataOf<{ stats: SyncStats }>(answer);
  assert.deepEqual(shown.effect, { added: [], changed: ["mug-002"], unchanged: [], deleted: [] });
  assert.deepEqual([stats.upserted, stats.removed, stats.rejected], [1, 0, 1]);
  assert.deepEqual(shown.rejections, stats.rejections);
});

test("the preview of a file with only prices shows changed items as an update, and is refused as a replacement", async () => {
  const shop = await api.openShop();
  assert.equal((await shop.call("/api/v1/catalog", { method: "PUT", body: products(2) })).status, 200);
  const file = { type: "text/csv", bytes: "id,price\np-0,5.00 USD\np-1,9.50 USD\n" };

  assertProblem(await send(shop, "POST", file), 400, "body_malformed");
  const updating = await preview(shop, { ...file, settings: { mode: "update" } });

  assert.deepEqual(updating.effect, { added: [], changed: ["p-0"], unchanged: ["p-1"], deleted: [] });
});

test("a guessed encoding is a warning, also when reading stops early", async () => {
  const bytes = Buffer.from(HEADER + rowsOf(40).replaceAll("Mug", "Théière"), "latin1");

  const { warnings } = await preview(await api.openShop(), { type: "text/csv", bytes });

  assert.equal(warnings.filter(({ code }) => code === "encoding_guessed").length, 1);
});

test("a preview needs the scope write, and leaves no run, body or item", async () => {
  const shop = await api.openShop();
  const body: Body = { type: "text/csv", bytes: HEADER + rowsOf(3) };
  const readOnly = { ...body, headers: { authorization: `Bearer ${shop.readKey}` } };

  assertProblem(await send(shop, "POST", readOnly), 403, "insufficient_scope");
  await preview(shop, body);

  const tables = await api.db.query({
    text: `select (select count(*) from items where catalog_id = $1) as items,
                  (select count(*) from runs where catalog_id = $1) as runs,
                  (select count(*) from push_chunks c join runs r on r.id = c.run_id where r.catalog_id = $1) as chunks,
                  (select count(*) from source_tests) as tests`,
    values: [shop.id],
  });
  assert.deepEqual(tables, [{ items: 0, runs: 0, chunks: 0, tests: 0 }]);
});

test("the preview lists the fields that stored items would lose", async () => {
  const shop = await api.openShop();
  const full = { ...product("a"), brand: "Kiln", sale_price: "8 USD", availability: "in_stock" };
  await put(shop, { type: "application/json", bytes: JSON.stringify([full, { ...full, id: "b" }]) });
  const bytes = JSON.stringify([
    { id: "a", title: "Cup", brand: null, price: "7 USD" },
    { ...product("b"), mode: "replace" },
  ]);
  const cleared = async (mode: string) =>
    dataOf<{ readonly cleared: readonly object[] }>(
      await send(shop, "POST", { type: "application/json", bytes, settings: { mode } }),
    ).cleared;

  const b = { item_id: "b", fields: ["availability", "brand", "sale_price"] };
  assert.deepEqual(await cleared("update"), [{ item_id: "a", fields: ["brand", "sale_price"] }, b]);
  assert.deepEqual(await cleared("replace"), [
    { item_id: "a", fields: ["link", "availability", "brand", "sale_price"] },
    b,
  ]);
});

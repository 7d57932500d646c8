/** A push of a file, in every format that a feed URL may have: it is read like a feed and answered like any push. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { FILE_TYPES, PushQuery } from "../../src/contract/catalog.ts";
import type { ErrorCode } from "../../src/errors.ts";
import type { SyncStats } from "../../src/contract/syncs.ts";
import { FORMATS } from "../../src/sources/feed-url/settings.ts";
import type { Db } from "../../src/store/db.ts";
import { itemIds, sync } from "../actions.ts";
import { type FeedHost, feedHost } from "../fakes/feed-host.ts";
import { zipOf } from "../fakes/zip.ts";
import { csvFile, SAMPLE_FILES, type SampleFile } from "../feed-files.ts";
import type { Disposable } from "../fresh.ts";
import { assertProblem } from "./problem.ts";
import type { Answer, RunningApi, Shop } from "./running-api.ts";
import { runningApi } from "./running-api.ts";

let api: Disposable<RunningApi>;
let host: Disposable<FeedHost>;
before(async () => {
  [api, host] = await Promise.all([runningApi({ hasRenders: false }), feedHost()]);
});
after(async () => {
  await api[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
});

type Sent = {
  readonly method?: "PUT" | "PATCH";
  readonly headers?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
};

const push = (
  shop: Shop,
  type: string,
  body: string | Uint8Array,
  { method = "PUT", headers = {}, settings = {} }: Sent = {},
): Promise<Answer> =>
  shop.call(`/api/v1/catalog?${new URLSearchParams(settings).toString()}`, {
    method,
    headers: { "content-type": type, ...headers },
    body,
  });

const statsOf = (answer: Answer): SyncStats => {
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as { data: { stats: SyncStats } }).data.stats;
};

const stored = (db: Db, catalogId: string): Promise<readonly { id: string; body: string }[]> =>
  db.query({ text: "select id, body from items where catalog_id = $1 order by id", values: [catalogId] });

/** The same file behind a feed URL, in a catalog of its own. */
async function readAsFeed({ name, type, bytes, settings = {} }: SampleFile) {
  const catalog = await api.createCatalog();
  const url = host.serve(`/${name}`, { kind: "file", body: bytes, headers: { "content-type": type } });
  const sourceId = await api.addFeed(catalog.id, url, settings);
  const { status, data } = await sync(api, catalog, sourceId);
  assert.equal(status, 200);
  return { stats: data.stats, items: await stored(api.db, catalog.id) };
}

/** JSON in a push has the field names of docs/push.md, so there is less to warn of. */
const numbers = (stats: SyncStats, isJson: boolean) => {
  const { seen, upserted, rejected, rejection_codes, warnings, warning_codes } = stats;
  return { seen, upserted, rejected, rejection_codes, ...(!isJson && { warnings, warning_codes }) };
};

describe("a file gives the same items and the same numbers as behind a feed URL", () => {
  for (const sample of SAMPLE_FILES) {
    test(`${sample.name}, sent as ${sample.type}`, async () => {
      const feed = await readAsFeed(sample);
      const shop = await api.openShop();

      const answer = await push(shop, sample.type, sample.bytes, { settings: sample.settings ?? {} });

      const isJson = /json|list/.test(sample.name) && sample.settings === undefined;
      assert.deepEqual(numbers(statsOf(answer), isJson), numbers(feed.stats, isJson));
      assert.deepEqual(await stored(api.db, shop.id), feed.items);
      assert.ok(feed.items.length > 0);
    });
  }
});

test("the language of the catalog decides between titles in several languages", async () => {
  const shop = await api.openShop();
  await api.db.query({
    text: `update catalogs set settings = settings || '{"language": "uk"}' where id = $1`,
    values: [shop.id],
  });
  const file = "id,name_ru,name_ua,link,price\n1,Кружка,Кухоль,https://shop.example/1,5 USD\n";

  assert.equal(statsOf(await push(shop, "text/csv", file)).upserted, 1);
  const [item] = await stored(api.db, shop.id);
  assert.equal((JSON.parse(item?.body ?? "") as { title: string }).title, "Кухоль");
});

describe("what a file means for the items that are not in it", () => {
  const rows = (...ids: readonly string[]): string =>
    `id,title,link,price\n${ids.map((id) => `${id},Mug ${id},https://shop.example/${id},5 USD\n`).join("")}`;

  test("PUT removes them, PATCH keeps them", async () => {
    const shop = await api.openShop();
    await push(shop, "text/csv", rows("a", "b"));

    const patched = statsOf(await push(shop, "text/csv", rows("b", "c"), { method: "PATCH" }));
    assert.deepEqual([patched.upserted, patched.unchanged, patched.removed], [1, 1, 0]);
    assert.deepEqual(await itemIds(api.db, shop.id), ["a", "b", "c"]);

    const replaced = statsOf(await push(shop, "text/csv", rows("c")));
    assert.deepEqual([replaced.upserted, replaced.unchanged, replaced.removed], [0, 1, 2]);
    assert.deepEqual(await itemIds(api.db, shop.id), ["c"]);
  });

  test("a PUT that would remove most of them fails, and max_removed_ratio allows it", async () => {
    const shop = await api.openShop();
    await push(shop, "text/csv", rows(..."abcdefghijklmnopqrstuvwxy".split("")));

    assertProblem(await push(shop, "text/csv", rows("a")), 422, "catalog_collapsed");
    assert.equal((await itemIds(api.db, shop.id)).length, 25);

    const settings = { max_removed_ratio: "1" };
    assert.equal(statsOf(await push(shop, "text/csv", rows("a"), { settings })).removed, 24);
  });

  test("a PUT of a file with a header and no rows is refused, also where few items are pushed", async () => {
    const shop = await api.openShop();
    await push(shop, "text/csv", rows("a", "b"));

    const { detail } = assertProblem(await push(shop, "text/csv", rows()), 400, "body_malformed");
    assert.match(detail, /no products in it. Nothing was changed; .*max_removed_ratio of 1/);
    assert.deepEqual(await itemIds(api.db, shop.id), ["a", "b"]);

    const settings = { max_removed_ratio: "1" };
    assert.equal(statsOf(await push(shop, "text/csv", rows(), { settings })).removed, 2);
  });

  test("in a PATCH, a file of ids and prices changes the prices and nothing else", async () => {
    const shop = await api.openShop();
    await push(shop, "text/csv", csvFile.bytes);
    const before = await stored(api.db, shop.id);

    const prices = "id;price;availability\nm-1;8,75 USD;\nm-2;;in stock\nm-9;3,00 USD;\n";
    const stats = statsOf(await push(shop, "text/csv", prices, { method: "PATCH" }));

    assert.deepEqual([stats.seen, stats.upserted, stats.rejected, stats.removed], [3, 2, 1, 0]);
    assert.match(stats.rejections[0]?.message ?? "", /There is no item "m-9"/);
    assert.deepEqual(stats.warning_codes, {});
    const changed = (await stored(api.db, shop.id)).map(({ body }) => JSON.parse(body) as object);
    assert.deepEqual(changed, [
      { ...(JSON.parse(before[0]?.body ?? "") as object), price: { amount: "8.75", currency: "USD" } },
      { ...(JSON.parse(before[1]?.body ?? "") as object), availability: "in_stock" },
    ]);
    assertProblem(await push(shop, "text/csv", prices), 400, "body_malformed");
  });

  test("JSON with deletions and changes also works compressed or as application/octet-stream", async () => {
    const shop = await api.openShop();
    await push(shop, "text/csv", rows("a", "b", "c"));
    const changes = '{"id": "a", "delete": true}\n{"id": "b", "price": "6 USD"}\n';

    const zipped = zipOf({ "changes.jsonl": changes });
    const { upserted, removed } = statsOf(await push(shop, "application/zip", zipped, { method: "PATCH" }));
    assert.deepEqual([upserted, removed], [1, 1]);
    const one = '{"id": "c", "delete": true}';
    const last = statsOf(await push(shop, "application/octet-stream", one, { method: "PATCH" }));
    assert.equal(last.removed, 1);
    assert.deepEqual(await itemIds(api.db, shop.id), ["b"]);
  });
});

describe("a file that cannot be read fails with a code and a sentence, and leaves the items unchanged", () => {
  const packed = gzipSync(Buffer.from("id,title,price,link\n".repeat(500)));
  // The ratio counts from 10 MB on.
  const large = Buffer.from(`id,title,link,price\n${`1,${"x".repeat(600_000)},,\n`.repeat(20)}`);
  const cases: readonly (readonly [string, string, string | Uint8Array, number, ErrorCode, RegExp])[] = [
    ["empty", "text/csv", "", 400, "body_malformed", /empty/],
    ["white space", "text/csv", "  \n\n", 400, "body_malformed", /nothing but white space/],
    [
      "a gzip file cut short",
      "application/gzip",
      packed.subarray(0, 40),
      400,
      "body_malformed",
      /ends early/,
    ],
    ["a gzip header alone", "application/gzip", packed.subarray(0, 3), 400, "body_malformed", /ends early/],
    ["a damaged zip file", "application/zip", Buffer.from("PK\x03\x04 no more"), 400, "body_malformed", /./],
    ["binary", "application/octet-stream", Buffer.alloc(5_000), 400, "body_malformed", /binary/],
    [
      "a picture as CSV",
      "text/csv",
      Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
      400,
      "body_malformed",
      /./,
    ],
    ["a PDF document", "application/octet-stream", "%PDF-1.7 …", 400, "body_malformed", /PDF/],
    ["a gzip bomb", "application/gzip", gzipSync(large), 413, "body_too_large", /more than 200 times/],
    [
      "a zip bomb",
      "application/zip",
      zipOf({ "a.csv": large }),
      413,
      "body_too_large",
      /more than 200 times/,
    ],
    [
      "a web page",
      "text/csv",
      "<!doctype html><title>Log in</title>",
      400,
      "body_malformed",
      /^The body is a web page \(“Log in”\)/,
    ],
    ["XML cut short", "application/xml", "<rss><channel><item><id>1</id>", 400, "body_malformed", /./],
    [
      "a table of something else",
      "text/csv",
      "day,visits\n1,5\n2,6\n",
      400,
      "body_malformed",
      /Columns found: /,
    ],
    ["half of a JSON document", "application/octet-stream", '[{"id": "1"', 400, "body_malformed", /./],
  ];
  for (const [what, type, body, status, code, says] of cases) {
    test(what, async () => {
      const shop = await api.openShop();
      await push(shop, "text/csv", csvFile.bytes);
      const before = await stored(api.db, shop.id);

      for (const method of ["PUT", "PATCH"] as const) {
        const { detail } = assertProblem(await push(shop, type, body, { method }), status, code);
        assert.match(detail, says);
        if (body.length > 0) assert.match(detail, /Nothing was changed; .*send/);
      }
      assert.deepEqual(await stored(api.db, shop.id), before);
    });
  }

  test("settings that cannot be used are refused by name", async () => {
    const shop = await api.openShop();
    for (const [settings, says] of [
      [{ columns: "Nr id" }, /columns: /],
      [{ store_url: "shop.example" }, /store_url: /],
      [{ format: "yaml" }, /format: .*csv/],
      [{ colums: "Nr = id" }, /colums/],
    ] as const) {
      const refused = await push(shop, "text/csv", csvFile.bytes, { settings: { ...settings } });
      assert.match(assertProblem(refused, 400, "invalid_request").detail, says);
    }
  });
});

describe("docs/push.md", () => {
  test("lists every type of file, and its example of columns works", async () => {
    const page = await readFile(new URL("../../docs/push.md", import.meta.url), "utf8");
    for (const type of FILE_TYPES) assert.ok(page.includes(`\`${type}\``), type);
    const [, query = ""] = /"\$URL\?(columns=[^"]+)"/.exec(page) ?? [];
    const shop = await api.openShop();

    const answer = await shop.call(`/api/v1/catalog?${query}`, {
      method: "PUT",
      headers: { "content-type": "text/csv" },
      body: "Artikelnummer;Bezeichnung;link;price\n1;Tasse;https://shop.example/1;9,50\n",
    });

    assert.equal(statsOf(answer).upserted, 1);
    assert.deepEqual(await itemIds(api.db, shop.id), ["1"]);
  });

  test("the formats of the API are those of a feed URL", async () => {
    const schema = PushQuery.properties.format as { readonly enum?: readonly string[] };
    assert.deepEqual(schema.enum, [...FORMATS]);
  });
});

describe("a file is pushed like anything else", () => {
  test("the same Idempotency-Key and the same file answer as the first time; another file conflicts", async () => {
    const shop = await api.openShop();
    const headers = { "idempotency-key": "nightly" };
    const first = await push(shop, "text/csv", csvFile.bytes, { headers });
    const again = await push(shop, "text/csv", csvFile.bytes, { headers });

    statsOf(first);
    assert.deepEqual(again.json, first.json);
    for (const other of [
      () => push(shop, "text/csv", "id,title\n", { headers }),
      () => push(shop, "text/csv", csvFile.bytes, { headers, method: "PATCH" }),
      () => push(shop, "text/csv; charset=latin1", csvFile.bytes, { headers }),
      () => push(shop, "text/csv", csvFile.bytes, { headers, settings: { columns: "Shelf = color" } }),
    ])
      assertProblem(await other(), 422, "idempotency_conflict");
  });

  test("Prefer: respond-async answers 202, and the run has the result", async () => {
    const shop = await api.openShop();
    const answer = await push(shop, "application/gzip", gzipSync(csvFile.bytes), {
      headers: { prefer: "respond-async" },
    });

    assert.equal(answer.status, 202);
    const { run_id: runId } = (answer.json as { data: { run_id: string } }).data;
    assert.equal((await api.ended(runId)).state, "succeeded");
    assert.deepEqual(await itemIds(api.db, shop.id), ["m-1", "m-2"]);
  });

  test("a Content-Encoding is decoded first", async () => {
    const shop = await api.openShop();
    const headers = { "content-encoding": "gzip" };
    assert.equal(statsOf(await push(shop, "text/csv", gzipSync(csvFile.bytes), { headers })).upserted, 2);
  });

  test("the body is gone from the database when the push is done", async () => {
    const shop = await api.openShop();
    const answer = await push(shop, "text/csv", csvFile.bytes);
    const { run_id: runId } = (answer.json as { data: { run_id: string } }).data;
    const chunks = { text: "select 1 from push_chunks where run_id = $1", values: [runId] };
    assert.deepEqual(await api.db.query(chunks), []);
  });
});

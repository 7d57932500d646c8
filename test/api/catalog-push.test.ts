/** Catalog push over real HTTP, with a worker running: the body is applied completely or not at all. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as openRequest } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { createGzip, gzipSync, zstdCompressSync } from "node:zlib";
import { request } from "undici";
import type { SyncRun } from "../../src/contract/syncs.ts";
import type { ErrorCode } from "../../src/errors.ts";
import type { SyncStats } from "../../src/contract/syncs.ts";
import { findRun } from "../../src/store/runs.ts";
import { itemIds, itemRows, runsOf, startWorker, until } from "../actions.ts";
import type { Disposable } from "../fresh.ts";
import { describedBy } from "./described.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, RunningApi, Shop } from "./running-api.ts";
import { isLong } from "../long.ts";

let api: Disposable<RunningApi>;
before(async () => {
  api = await runningApi({ hasRenders: false });
});
after(() => api[Symbol.asyncDispose]());

type Product = Readonly<Record<string, unknown>>;

const product = (id: string, more: Product = {}): Product => ({
  id,
  title: `Mug ${id}`,
  link: `https://shop.example/p/${id}`,
  image: `https://shop.example/i/${id}.jpg`,
  price: "9.50 USD",
  availability: "in_stock",
  description: `A mug, number ${id}.`,
  brand: "Kiln",
  condition: "new",
  ...more,
});
const products = (count: number, from = 1): Product[] =>
  Array.from({ length: count }, (_, i) => product(`p-${String(from + i).padStart(3, "0")}`));

type Sent = {
  readonly method?: "PUT" | "PATCH";
  readonly body: string | Buffer | Readable | object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly at?: RunningApi;
};

async function push(shop: Pick<Shop, "key">, sent: Sent): Promise<Answer> {
  const { method = "PUT", body, headers = {}, query = "", at = api } = sent;
  const isRaw = typeof body === "string" || body instanceof Buffer || body instanceof Readable;
  const answer = await request(`${at.url}/api/v1/catalog${query}`, {
    method,
    headers: { authorization: `Bearer ${shop.key}`, "content-type": "application/json", ...headers },
    body: isRaw ? body : JSON.stringify(body),
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return {
    status: answer.statusCode,
    headers: answer.headers,
    bytes,
    text: bytes.toString(),
    get json(): unknown {
      return JSON.parse(bytes.toString());
    },
  };
}

type Done = { readonly data: { readonly run_id: string; readonly stats: SyncStats } };

function done(answer: Answer): Done["data"] {
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as Done).data;
}

function numbers({ seen, upserted, unchanged, rejected, removed }: SyncStats) {
  return { seen, upserted, unchanged, rejected, removed };
}

const jsonl = (rows: readonly Product[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const JSONL = { "content-type": "application/x-ndjson" };

const listed = async (shop: Shop): Promise<readonly SyncRun[]> =>
  ((await shop.call("/api/v1/syncs")).json as { data: { syncs: SyncRun[] } }).data.syncs;

test("a pushed list becomes the catalog, and the feeds are rendered when the call answers", async () => {
  await using at = await runningApi();
  const shop = await at.openShop();

  const { run_id, stats } = done(await push(shop, { at, body: { products: products(3) } }));

  assert.deepEqual(numbers(stats), { seen: 3, upserted: 3, unchanged: 0, rejected: 0, removed: 0 });
  assert.deepEqual(await itemIds(at.db, shop.id), ["p-001", "p-002", "p-003"]);
  assert.equal((await shop.feeds()).last_render?.stats.items, 3);
  assert.match((await shop.fetch("acp.csv")).text, /Mug p-002/);
  const [newest] = await listed(shop);
  assert.deepEqual(
    [newest?.run_id, newest?.source_id, newest?.status, newest?.stats.upserted],
    [run_id, null, "succeeded", 3],
  );
});

test("attributes for Google alone are in the item and in gmc.tsv, and can be pushed back as the API shows them", async () => {
  await using at = await runningApi();
  const shop = await at.openShop();
  const check = await describedBy(at);
  const google = {
    pause: "ads",
    excluded_destination: ["Shopping_ads", "Free_listings"],
    installment: [{ months: "6", amount: "30.00 USD" }],
    question_and_answer: [{ question: "Dishwasher?", answer: "Yes, on any program." }],
  };
  const pushed = {
    pause: "ads",
    excludedDestination: "Shopping ads,Free listings",
    question_and_answer: google.question_and_answer,
  };
  done(
    await push(shop, {
      at,
      body: [product("p-001", { ...pushed, installment: { months: 6, amount: "30" } })],
    }),
  );

  const answer = await shop.call("/api/v1/items/p-001");
  check("GET /api/v1/items/{id}", answer);
  const { item } = (answer.json as { data: { item: Product } }).data;
  assert.deepEqual(item["google"], google);
  assert.match((await shop.fetch("gmc.tsv")).text, /\tads\tShopping_ads,Free_listings\t/);
  const again = done(await push(shop, { at, body: [product("p-001", { google: item["google"] })] }));
  assert.deepEqual([again.stats.unchanged, again.stats.warnings], [1, 0]);
});

test("an attribute for Google that is an object without a text is a warning of its item", async () => {
  const shop = await api.openShop();
  const odd = { until: "2026-12-01" };

  const { stats } = done(
    await push(shop, {
      body: [product("p-001", { pause: odd, excluded_destination: [odd], document_link: [odd] })],
    }),
  );

  assert.deepEqual(stats.warning_codes, { invalid_attribute: 3 });
});

test("an attribute for Google in an unsupported form is a warning of its item", async () => {
  const shop = await api.openShop();

  const { stats } = done(
    await push(shop, { body: [product("p-001", { installment: "six months", ads_redirect: "ads" })] }),
  );

  assert.deepEqual(numbers(stats), { seen: 1, upserted: 1, unchanged: 0, rejected: 0, removed: 0 });
  assert.deepEqual(stats.warning_codes, { incomplete_value: 1, invalid_number: 1, invalid_url: 1 });
});

test("of several values for a field that has one, the first is used with a warning; several prices are rejected", async () => {
  const shop = await api.openShop();
  const images = { image: ["https://shop.example/1.jpg", "https://shop.example/2.jpg"] };

  const { stats } = done(
    await push(shop, {
      body: [
        product("p-001", { title: ["Mug", "Tasse"], brand: ["Fjord"], ...images }),
        product("p-002", { price: ["1 USD", "2 EUR"] }),
        product("p-003", { variants: [{ id: ["p-004", "p-005"] }] }),
      ],
    }),
  );

  assert.deepEqual(numbers(stats), { seen: 3, upserted: 2, unchanged: 0, rejected: 1, removed: 0 });
  assert.deepEqual(stats.rejection_codes, { invalid_price: 1 });
  assert.match(stats.rejections[0]?.message ?? "", /"1 USD \/ 2 EUR"/);
  assert.deepEqual(
    stats.warning_examples.map(({ item_id, position, field, code }) => [item_id, position, field, code]),
    [
      ["p-001", 1, "title", "too_many_values"],
      ["p-004", 3, "id", "too_many_values"],
    ],
  );
});

const FORMS: readonly { readonly form: string; readonly sent: Omit<Sent, "method"> }[] = [
  { form: "the bare list", sent: { body: products(3) } },
  { form: "a list under another usual name", sent: { body: { items: products(3) } } },
  { form: "JSON Lines as x-ndjson", sent: { body: jsonl(products(3)), headers: JSONL } },
  {
    form: "JSON Lines as jsonl",
    sent: { body: jsonl(products(3)), headers: { "content-type": "application/jsonl; charset=utf-8" } },
  },
  {
    form: "JSON Lines as x-jsonlines",
    sent: { body: jsonl(products(3)), headers: { "content-type": "application/x-jsonlines" } },
  },
  {
    form: "gzip",
    sent: { body: gzipSync(JSON.stringify(products(3))), headers: { "content-encoding": "gzip" } },
  },
  {
    form: "zstd",
    sent: { body: zstdCompressSync(JSON.stringify(products(3))), headers: { "content-encoding": "zstd" } },
  },
];

test("every form of a body gives the same items", async () => {
  const shop = await api.openShop();
  done(await push(shop, { body: { products: products(3) } }));
  const rows = await itemRows(api.db, shop.id);

  for (const { form, sent } of FORMS) {
    const { stats } = done(await push(shop, sent));

    assert.deepEqual(numbers(stats), { seen: 3, upserted: 0, unchanged: 3, rejected: 0, removed: 0 }, form);
  }
  assert.deepEqual(await itemRows(api.db, shop.id), rows);
});

test("PUT removes items that are not in the body; PATCH adds, changes and deletes items, and keeps the rest", async () => {
  await using at = await runningApi();
  const shop = await at.openShop();
  done(await push(shop, { at, body: products(4) }));

  const replaced = done(await push(shop, { at, body: products(3, 2) }));
  const updated = done(
    await push(shop, {
      at,
      method: "PATCH",
      body: [
        product("p-009"),
        product("p-002", { price: "8.00 USD" }),
        product("p-003"),
        { id: "p-004", delete: true },
      ],
    }),
  );

  assert.deepEqual(numbers(replaced.stats), { seen: 3, upserted: 0, unchanged: 3, rejected: 0, removed: 1 });
  assert.deepEqual(numbers(updated.stats), { seen: 3, upserted: 2, unchanged: 1, rejected: 0, removed: 1 });
  assert.deepEqual(await itemIds(at.db, shop.id), ["p-002", "p-003", "p-009"]);
  assert.match((await shop.fetch("acp.csv")).text, /8\.00/);
});

test("deleting an item that does not exist is only a warning", async () => {
  const shop = await api.openShop();

  const { stats } = done(await push(shop, { method: "PATCH", body: [{ id: "ghost", delete: true }] }));

  assert.deepEqual(numbers(stats), { seen: 0, upserted: 0, unchanged: 0, rejected: 0, removed: 0 });
  assert.deepEqual(stats.warning_codes, { nothing_to_remove: 1 });
  assert.deepEqual(
    stats.warning_examples.map(({ item_id, position }) => [item_id, position]),
    [["ghost", 1]],
  );
});

test("every invalid product is rejected with its position and reason, and the rest is stored", async () => {
  const shop = await api.openShop(mugs(2));
  assert.equal((await shop.sync()).status, 200);

  const { stats } = done(
    await push(shop, {
      method: "PATCH",
      body: [
        product("a"),
        product("b", { price: "free" }),
        product("a", { title: "Another a" }),
        product("mug-001"),
        { id: "mug-002", delete: true },
        { delete: true },
        "no product",
        { id: "a", delete: true },
      ],
    }),
  );

  assert.deepEqual(numbers(stats), { seen: 8, upserted: 1, unchanged: 0, rejected: 7, removed: 0 });
  assert.deepEqual(
    stats.rejections.map(({ position, item_id, code }) => [position, item_id, code]),
    [
      [2, "b", "invalid_price"],
      [3, "a", "duplicate_item_id"],
      [4, "mug-001", "duplicate_item_id"],
      [5, "mug-002", "duplicate_item_id"],
      [6, null, "missing_id"],
      [7, null, "unreadable_row"],
      [8, "a", "duplicate_item_id"],
    ],
  );
  assert.deepEqual(await itemIds(api.db, shop.id), ["a", "mug-001", "mug-002"]);
});

test("a push with any text works: characters that cannot be stored are removed or rejected", async () => {
  const shop = await api.openShop();
  const odd = "a\u0000b\ud800c";
  const names = ["title", "group_id", "sku", "brand", "description", "mpn", "color", "categories"];

  const { stats } = done(
    await push(shop, {
      method: "PATCH",
      body: [
        ...names.map((name, i) => product(`odd-${i}`, { [name]: odd })),
        product("x", { [odd]: odd }),
        product(odd),
        { id: odd, delete: true },
        { id: "x".repeat(300), delete: true },
      ],
    }),
  );

  assert.equal(stats.upserted + stats.rejected, stats.seen);
  assert.deepEqual(
    stats.rejections.map(({ position, code }) => [position, code]),
    [
      [10, "invalid_id"],
      [11, "invalid_id"],
      [12, "invalid_id"],
    ],
  );
});

test("a replacement accepts no deletions, and does not change items of sources", async () => {
  const shop = await api.openShop(mugs(2));
  assert.equal((await shop.sync()).status, 200);

  const { stats } = done(await push(shop, { body: [product("a"), { id: "b", delete: true }] }));

  assert.deepEqual(numbers(stats), { seen: 2, upserted: 1, unchanged: 0, rejected: 1, removed: 0 });
  assert.deepEqual(
    stats.rejections.map(({ position, field, code }) => [position, field, code]),
    [[2, "delete", "unreadable_row"]],
  );
  assert.deepEqual(await itemIds(api.db, shop.id), ["a", "mug-001", "mug-002"]);
  assert.equal((await shop.sync()).status, 200);
  assert.deepEqual(await itemIds(api.db, shop.id), ["a", "mug-001", "mug-002"]);
});

if (isLong)
  test("4,000 products of 5 KB streamed in chunks are all stored, with backpressure on the sender", async () => {
    const shop = await api.openShop();
    const padding = " ".repeat(5_000);
    let sentBytes = 0;
    let ahead = 0;
    async function* lines(): AsyncGenerator<string> {
      for (let page = 0; page < 200; page += 1) {
        const rows = Array.from({ length: 20 }, (_, i) => product(`p-${page}-${i}`));
        const text = rows.map((row) => `${JSON.stringify(row)}${padding}\n`).join("");
        sentBytes += text.length;
        ahead = Math.max(ahead, sentBytes - (await storedBytes()));
        yield text;
      }
    }

    const body = Readable.from(lines(), { objectMode: false, highWaterMark: 64 * 1024 });
    const { stats } = done(await push(shop, { body, headers: JSONL }));

    const all = { seen: 4_000, upserted: 4_000, unchanged: 0, rejected: 0, removed: 0 };
    assert.deepEqual(numbers(stats), all);
    assert.ok(sentBytes > 20_000_000);
    // Two sockets' buffers and a chunk; a body that gathers anywhere would be ahead by all of it.
    assert.ok(ahead < 15_000_000, `${Math.round(ahead / 1e6)} MB ahead`);
    assert.equal(await storedBytes(), 0, "the body is gone once the run has succeeded");
  });

/** What has been stored of bodies so far: chunks of a megabyte each. */
async function storedBytes(): Promise<number> {
  const [row] = await api.db.query<{ chunks: number }>({
    text: "select count(*) as chunks from push_chunks",
    values: [],
  });
  return (row?.chunks ?? 0) * (1 << 20);
}

test("a compressed stream is decompressed as it arrives", async () => {
  const shop = await api.openShop();
  const body = Readable.from(products(1_200).map((row) => `${JSON.stringify(row)}\n`)).pipe(createGzip());

  const { stats } = done(await push(shop, { body, headers: { ...JSONL, "content-encoding": "gzip" } }));

  assert.equal(stats.upserted, 1_200);
});

/** Fails unless the push is refused with this code, its run failed with it, and the catalog is unchanged. */
async function assertFailsInPlace(
  shop: Shop,
  sent: Sent,
  { status, code }: { status: number; code: ErrorCode },
): Promise<void> {
  const rows = await itemRows(api.db, shop.id);

  const problem = assertProblem(await push(shop, sent), status, code);

  const run = await findRun(api.db, problem.run_id ?? "");
  assert.deepEqual([run?.state, run?.error?.code, run?.sourceId], ["failed", code, null]);
  assert.deepEqual(await itemRows(api.db, shop.id), rows);
  const [newest] = await listed(shop);
  assert.deepEqual(
    [newest?.run_id, newest?.status, newest?.stats.error?.code],
    [problem.run_id, "failed", code],
  );
}

const whole = JSON.stringify({ products: products(30) });
const BROKEN: readonly { readonly what: string; readonly sent: Sent; readonly fails: [number, ErrorCode] }[] =
  [
    {
      what: "is invalid in the middle",
      sent: { body: whole.replace('"p-015"', '"p-015') },
      fails: [400, "body_malformed"],
    },
    { what: "ends early", sent: { body: whole.slice(0, -100) }, fails: [400, "body_malformed"] },
    { what: "continues after its end", sent: { body: `${whole}]` }, fails: [400, "body_malformed"] },
    {
      what: "has no list",
      sent: { body: { id: "a", title: "A mug" } },
      fails: [400, "body_malformed"],
    },
    {
      what: "is no text",
      sent: { body: Buffer.from([0x5b, 0xff, 0xfe, 0x5d]) },
      fails: [400, "body_malformed"],
    },
    { what: "is empty", sent: { body: "" }, fails: [400, "body_malformed"] },
    {
      what: "ends within a line",
      sent: { body: '{"id":"a"}\n{"id":', headers: JSONL },
      fails: [400, "body_malformed"],
    },
    {
      what: "is compressed and truncated",
      sent: { body: gzipSync(whole).subarray(0, 200), headers: { "content-encoding": "gzip" } },
      fails: [400, "body_malformed"],
    },
    {
      what: "is not compressed as declared",
      sent: { body: whole, headers: { "content-encoding": "gzip" } },
      fails: [400, "body_malformed"],
    },
    {
      what: "is a decompression bomb",
      sent: { body: gzipSync(Buffer.alloc(40_000_000, " ")), headers: { "content-encoding": "gzip" } },
      fails: [413, "body_too_large"],
    },
    {
      what: "has an endless line",
      sent: { body: `{"id":"${"x".repeat(5_000_000)}`, headers: JSONL },
      fails: [413, "body_too_large"],
    },
    {
      what: "is nested too deeply",
      sent: { body: `[{"id":${"[".repeat(100)}${"]".repeat(100)}}]` },
      fails: [413, "body_too_large"],
    },
    { what: "would remove more than half", sent: { body: products(5) }, fails: [422, "catalog_collapsed"] },
    { what: "would remove everything", sent: { body: [] }, fails: [422, "catalog_collapsed"] },
  ];

test("an incomplete or invalid body fails its run with the reason and changes nothing", async (t) => {
  const shop = await api.openShop();
  done(await push(shop, { body: products(30) }));

  for (const { what, sent, fails } of BROKEN) {
    await t.test(`a body that ${what}`, async () =>
      assertFailsInPlace(shop, sent, { status: fails[0], code: fails[1] }),
    );
  }
});

test("a push may raise max_removed_ratio to remove many items", async () => {
  const shop = await api.openShop();
  done(await push(shop, { body: products(30) }));

  assertProblem(await push(shop, { body: [], query: "?max_removed_ratio=0.99" }), 422, "catalog_collapsed");
  const { stats } = done(await push(shop, { body: [], query: "?max_removed_ratio=1" }));

  assert.deepEqual(numbers(stats), { seen: 0, upserted: 0, unchanged: 0, rejected: 0, removed: 30 });
  assert.deepEqual(await itemIds(api.db, shop.id), []);
});

type Upload = { readonly call: ClientRequest; readonly answer: Promise<IncomingMessage> };

/** A call whose body the test sends piece by piece. */
function upload(key: string, headers: Readonly<Record<string, string>> = {}, at: RunningApi = api): Upload {
  const call = openRequest(`${at.url}/api/v1/catalog`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
  });
  const answer = once(call, "response").then(([response]) => response as IncomingMessage);
  answer.catch(() => undefined);
  call.on("error", () => undefined);
  call.flushHeaders();
  return { call, answer };
}

const openPushOf = (shop: Shop, at: RunningApi = api): Promise<string> =>
  until(async () => {
    const runs = await runsOf(at.db, shop.id);
    return runs.find(({ cause, state }) => cause === "push" && state === "running")?.id;
  }, "a push that is being received");

test("a client that disconnects in the middle leaves a failed run and nothing else", async () => {
  const shop = await api.openShop();
  done(await push(shop, { body: products(2) }));
  const { call } = upload(shop.key);
  call.write(whole.slice(0, 500));
  const runId = await openPushOf(shop);

  call.destroy();

  const run = await api.ended(runId);
  assert.deepEqual([run.state, run.error?.code], ["failed", "body_incomplete"]);
  assert.deepEqual(await itemIds(api.db, shop.id), ["p-001", "p-002"]);
  done(await push(shop, { body: products(3) }));
});

test("a catalog has one push at a time: others wait for it, and other catalogs are not affected", async () => {
  const [shop, other] = [await api.openShop(), await api.openShop()];
  const { call, answer } = upload(shop.key);
  call.write("[");
  await openPushOf(shop);

  const [two, three] = [
    push(shop, { method: "PATCH", body: products(2) }),
    push(shop, { body: products(3) }),
  ];
  done(await push(other, { body: products(1) }));

  call.end("]");
  assert.equal((await answer).statusCode, 200);
  const stats = [done(await two).stats, done(await three).stats];
  assert.deepEqual([stats[0]?.seen, stats[1]?.seen], [2, 3]);
  assert.equal(
    stats.reduce((sum, { upserted }) => sum + upserted, 0),
    3,
  );
  assert.deepEqual(await itemIds(api.db, shop.id), ["p-001", "p-002", "p-003"]);
  assert.deepEqual(await itemIds(api.db, other.id), ["p-001"]);
});

test("with Prefer: respond-async the answer comes when the body has arrived, and the run continues", async () => {
  await using idle = await runningApi({ hasWorker: false });
  const shop = await idle.openShop();

  const accepted = await push(shop, { body: products(3), headers: { prefer: "respond-async" }, at: idle });

  assert.equal(accepted.status, 202, accepted.text);
  assert.equal(accepted.headers["preference-applied"], "respond-async");
  const { run_id } = (accepted.json as { data: { run_id: string } }).data;
  assert.equal((await findRun(idle.db, run_id))?.state, "queued");
  await using worker = startWorker(idle);
  assert.equal((await idle.ended(run_id)).state, "succeeded");
  await worker.stop();
  assert.deepEqual(await itemIds(idle.db, shop.id), ["p-001", "p-002", "p-003"]);
});

test("a push whose server died while receiving is failed by a worker, and the next one may begin", async () => {
  await using idle = await runningApi({ hasWorker: false });
  const shop = await idle.openShop();
  const { call } = upload(shop.key, {}, idle);
  call.write("[");
  const runId = await openPushOf(shop, idle);
  // As a dead server leaves it: an expired lease that no process extends.
  await idle.db.execute({
    text: "update runs set owner = gen_random_uuid(), lease_until = now() - interval '1 second' where id = $1",
    values: [runId],
  });

  await using worker = startWorker(idle);

  const run = await idle.ended(runId);
  assert.deepEqual([run.state, run.error?.code], ["failed", "body_incomplete"]);
  call.destroy();
  done(await push(shop, { body: products(1), at: idle }));
  await worker.stop();
});

test("a repeated Idempotency-Key and body get the first answer, without a second run", async () => {
  const shop = await api.openShop();
  const headers = { "idempotency-key": "nightly-7" };
  const first = await push(shop, { body: products(3), headers });
  done(await push(shop, { body: products(2), query: "?max_removed_ratio=1" }));
  const runs = (await runsOf(api.db, shop.id)).length;

  const again = await push(shop, { body: products(3), headers });
  const packed = await push(shop, {
    body: gzipSync(JSON.stringify(products(3))),
    headers: { ...headers, "content-encoding": "gzip", prefer: "respond-async" },
  });

  assert.deepEqual([again.status, again.json], [200, first.json]);
  assert.deepEqual([packed.status, packed.json], [200, first.json]);
  assert.equal((await runsOf(api.db, shop.id)).length, runs);
  assert.deepEqual(await itemIds(api.db, shop.id), ["p-001", "p-002"]);
});

test("an Idempotency-Key is kept longer than its run in the history, and deleted after a day", async () => {
  const shop = await api.openShop();
  const headers = { "idempotency-key": "k" };
  const first = await push(shop, { body: products(3), headers });
  await api.db.execute({ text: "delete from runs where catalog_id = $1", values: [shop.id] });

  const again = await push(shop, { body: products(3), headers });
  await api.db.execute({
    text: "update push_keys set created_at = now() - interval '25 hours' where catalog_id = $1",
    values: [shop.id],
  });
  const nextDay = await push(shop, { body: products(3), headers });

  assert.deepEqual(again.json, first.json);
  assert.notEqual(done(nextDay).run_id, done(first).run_id);
  assert.equal(done(nextDay).stats.unchanged, 3);
});

test("the same Idempotency-Key for another request is a conflict; keys of other catalogs are independent", async () => {
  const [shop, other] = [await api.openShop(), await api.openShop()];
  const headers = { "idempotency-key": "k" };
  const { run_id } = done(await push(shop, { body: products(3), headers }));

  const conflicts: readonly Sent[] = [
    { body: products(4), headers },
    { method: "PATCH", body: products(3), headers },
    { body: products(3), headers, query: "?max_removed_ratio=1" },
    { body: jsonl(products(3)), headers: { ...headers, ...JSONL } },
  ];
  for (const sent of conflicts) {
    const problem = assertProblem(await push(shop, sent), 422, "idempotency_conflict");
    assert.equal(problem.run_id, run_id);
  }
  done(await push(other, { body: products(4), headers }));
});

test("a repeated push that failed gets the same answer; one that never arrived leaves its key free", async () => {
  const shop = await api.openShop();
  const broken = { body: "[{", headers: { "idempotency-key": "broken" } };
  const first = assertProblem(await push(shop, broken), 400, "body_malformed");
  const cut = upload(shop.key, { "idempotency-key": "cut" });
  cut.call.write("[");
  const runId = await openPushOf(shop);
  cut.call.destroy();
  await api.ended(runId);

  const again = assertProblem(await push(shop, broken), 400, "body_malformed");
  assert.equal(again.run_id, first.run_id);
  done(await push(shop, { body: products(1), headers: { "idempotency-key": "cut" } }));
});

test("while a push is running, a second call with its key waits, and is then answered as a repetition", async () => {
  const shop = await api.openShop();
  const { call, answer } = upload(shop.key, { "idempotency-key": "k" });
  call.write("[");
  const runId = await openPushOf(shop);

  const same = push(shop, { body: [], headers: { "idempotency-key": "k" } });
  const other = push(shop, { body: products(1), headers: { "idempotency-key": "k" } });
  call.end("]");

  assert.equal((await answer).statusCode, 200);
  assert.equal(done(await same).run_id, runId);
  assertProblem(await other, 422, "idempotency_conflict");
});

test("a caller over the limit is refused before any of the body is sent", async () => {
  await using limited = await runningApi({ rateLimitPerMinute: 1, hasWorker: false });
  const shop = await limited.openShop();
  // The one call.
  await shop.feeds();

  const { call, answer } = upload(shop.key, {}, limited);

  assert.equal((await answer).statusCode, 429);
  call.destroy();
});

test("a caller without permission to push is refused before the body is sent", async () => {
  const shop = await api.openShop();

  for (const [key, status] of [
    [shop.readKey, 403],
    ["sw_nobody", 401],
  ] as const) {
    const { call, answer } = upload(key);
    assert.equal((await answer).statusCode, status);
    call.destroy();
  }
  assert.deepEqual(await listed(shop), []);
});

const REFUSED: readonly { readonly what: string; readonly sent: Sent; readonly as: [number, ErrorCode] }[] = [
  {
    what: "a PDF document",
    sent: { body: "%PDF-1.7", headers: { "content-type": "application/pdf" } },
    as: [415, "unsupported_media_type"],
  },
  {
    what: "an unknown content coding",
    sent: { body: "x", headers: { "content-encoding": "br" } },
    as: [415, "unsupported_media_type"],
  },
  { what: "a ratio of 2", sent: { body: [], query: "?max_removed_ratio=2" }, as: [400, "invalid_request"] },
  {
    what: "an empty ratio",
    sent: { body: [], query: "?max_removed_ratio=" },
    as: [400, "invalid_request"],
  },
  { what: "an unknown parameter", sent: { body: [], query: "?max_removed=1" }, as: [400, "invalid_request"] },
  {
    what: "a ratio for an update",
    sent: { method: "PATCH", body: [], query: "?max_removed_ratio=1" },
    as: [400, "invalid_request"],
  },
  {
    what: "a very long key",
    sent: { body: [], headers: { "idempotency-key": "k".repeat(256) } },
    as: [400, "invalid_request"],
  },
];

for (const { what, sent, as } of REFUSED) {
  test(`${what} is refused before there is a run`, async () => {
    const shop = await api.openShop();

    assertProblem(await push(shop, sent), ...as);

    assert.deepEqual(await listed(shop), []);
  });
}

test("a call without a body is refused, and other methods get the list of allowed ones", async () => {
  const shop = await api.openShop();

  assertProblem(await shop.call("/api/v1/catalog", { method: "PUT" }), 400, "invalid_request");
  const wrong = await shop.call("/api/v1/catalog", { method: "POST" });

  assertProblem(wrong, 405, "method_not_allowed");
  assert.deepEqual(String(wrong.headers["allow"]).split(", ").toSorted(), ["DELETE", "PATCH", "PUT"]);
});

test("the answers of a push match the OpenAPI document", async () => {
  const shop = await api.openShop();
  const assertDescribed = await describedBy(api);
  const key = { "idempotency-key": "described" };
  const answers: readonly (readonly [number, Sent])[] = [
    [200, { body: [product("a"), product("b", { price: "free" })], headers: key }],
    [200, { method: "PATCH", body: [{ id: "ghost", delete: true }] }],
    [422, { body: [product("a")], headers: key }],
    [400, { body: "[" }],
    [400, { body: [], query: "?max_removed_ratio=x" }],
    [413, { body: `["${"x".repeat(5_000_000)}"]` }],
    [415, { body: "", headers: { "content-type": "application/pdf" } }],
  ];

  for (const [status, sent] of answers) {
    const answer = await push(shop, sent);
    assert.equal(answer.status, status, answer.text);
    assertDescribed(`${sent.method ?? "PUT"} /api/v1/catalog`, answer);
  }
  const accepted = await push(shop, { body: [product("a")], headers: { prefer: "respond-async" } });
  assert.equal(accepted.status, 202);
  assertDescribed("PUT /api/v1/catalog", accepted);
});

/** The state of a catalog: each entry arises from a real situation, the order of entries, calm, and who may see it. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import type { CatalogsAnswer } from "../../src/contract/catalogs.ts";
import type { AttentionCode, CatalogStatus } from "../../src/contract/status.ts";
import { createKey } from "../../src/setup/keys.ts";
import { createOperatorKey } from "../../src/setup/sessions.ts";
import { changeCatalogSettings } from "../../src/store/catalogs.ts";
import { until } from "../actions.ts";
import { heldFeed } from "../fakes/held-feed.ts";
import { answer as reply, openReceiver } from "../fakes/receiver.ts";
import type { Disposable } from "../fresh.ts";
import { dataOf } from "./answer-data.ts";
import { describedBy } from "./described.ts";
import { assertProblem } from "./problem.ts";
import { allowRenders, failRenders } from "./renders.ts";
import { csv, mugs } from "./rows.ts";
import { article } from "../fakes/shop.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, RunningApi, Shop } from "./running-api.ts";

let api: Disposable<RunningApi>;
let assertDescribed: (call: string, answer: Answer) => void;
before(async () => {
  api = await runningApi();
  assertDescribed = await describedBy(api);
});
after(() => api[Symbol.asyncDispose]());

async function statusOf(shop: Pick<Shop, "key">): Promise<CatalogStatus> {
  const answer = await api.ask("/api/v1/catalog/status", {
    headers: { authorization: `Bearer ${shop.key}` },
  });
  assert.equal(answer.status, 200, answer.text);
  assertDescribed("GET /api/v1/catalog/status", answer);
  const status = dataOf<CatalogStatus>(answer);
  const [first] = status.attention;
  assert.equal(status.state, first?.severity ?? "ok");
  assert.equal(status.attention_count, status.attention.length);
  assert.match(status.reason, /^[^.]*(\.\w[^.]*)*\.$/, "the reason is one sentence");
  if (first) assert.ok(first.message.startsWith(status.reason), first.message);
  assert.deepEqual(status.action, first?.action ?? null);
  const { state, reason } = status;
  assert.deepEqual(await listed(shop), { state, reason, score: status.score?.score ?? null });
  return status;
}

/** The same catalog in the list of catalogs. */
async function listed({ key }: Pick<Shop, "key">) {
  const answer = await api.ask("/api/v1/catalogs", { headers: { authorization: `Bearer ${key}` } });
  assertDescribed("GET /api/v1/catalogs", answer);
  const [catalog] = dataOf<CatalogsAnswer["data"]>(answer).catalogs;
  assert.ok(catalog);
  const { state, reason, score } = catalog;
  return { state, reason, score };
}

const codes = ({ attention }: CatalogStatus): readonly AttentionCode[] => attention.map(({ code }) => code);

async function only(shop: Pick<Shop, "key">, code: AttentionCode) {
  const status = await statusOf(shop);
  assert.deepEqual(codes(status), [code], JSON.stringify(status.attention));
  const [first] = status.attention;
  assert.ok(first);
  return first;
}

async function synced(rows = mugs(20)): Promise<Shop> {
  const shop = await api.openShop(rows);
  assert.equal((await shop.sync()).status, 200);
  return shop;
}

/** Time passes for one catalog: `text` moves one of its stored times. */
const change = async (shop: Pick<Shop, "id">, text: string): Promise<void> => {
  assert.notEqual(await api.db.execute({ text, values: [shop.id] }), 0);
};
const lastSuccess = (shop: Shop, age: string) =>
  change(shop, `update sync_health set last_success_at = now() - interval '${age}' where catalog_id = $1`);

const NOT_FOUND = { kind: "file", status: 404, body: "" } as const;

test("a catalog in order is calm: its items, when it was synced, its score, its feeds, and the next sync", async () => {
  const shop = await synced();
  await lastSuccess(shop, "130 minutes");

  const status = await statusOf(shop);

  assert.deepEqual([status.state, status.action, status.attention], ["ok", null, []]);
  assert.equal(status.reason, "All right: 20 items, last synced 2 hours ago.");
  assert.deepEqual([status.items, status.sources], [20, 1]);
  const { feeds } = await shop.feeds();
  assert.deepEqual(
    status.feeds.map(({ file, url, items, excluded, refused }) => ({ file, url, items, excluded, refused })),
    feeds.map(({ file, url }) => ({ file, url, items: 20, excluded: 0, refused: 0 })),
  );
  for (const { bytes, rendered_at, changed_at } of status.feeds)
    assert.ok(bytes > 0 && rendered_at !== null && changed_at !== null);
  assert.deepEqual(status.score?.history.at(-1)?.score, status.score?.score);
  assert.deepEqual([status.sync.last?.status, status.sync.last?.source_id], ["succeeded", shop.sourceId]);
  assert.equal(status.sync.next?.source_id, shop.sourceId);
  assert.equal(status.sync.running, 0);
});

test("a catalog without source and items says to add a source", async () => {
  const catalog = await api.createCatalog();

  const { severity, action } = await only(catalog, "no_items");

  assert.deepEqual([severity, action], ["attention", { kind: "add_source", target: null }]);
});

test("while the first sync runs there is nothing to do", async () => {
  await using held = await heldFeed(csv(mugs(2)));
  const shop = await api.openShop([], held.url);
  const syncing = shop.sync();
  await held.asked;

  const { state, reason, sync } = await statusOf(shop);

  assert.deepEqual([state, reason, sync.running], ["ok", "The first sync is running.", 1]);
  held.release();
  await syncing;
});

test("a source that fails counts its failures; it is failing once its items are older than two intervals", async () => {
  const shop = await synced();
  shop.answers(NOT_FOUND);
  await shop.sync();
  await shop.sync();

  const fresh = await only(shop, "source_failing");
  await lastSuccess(shop, "11 hours");
  const still = await only(shop, "source_failing");
  await lastSuccess(shop, "13 hours");
  const old = await only(shop, "source_failing");

  assert.deepEqual([fresh.severity, still.severity, old.severity], ["attention", "attention", "failing"]);
  assert.equal(fresh.count, 2);
  assert.match(
    fresh.message,
    /^The last sync of "feed_url" failed \(source_not_found\); 2 syncs in a row have failed, the first less than a minute ago\. .*404/,
  );
  assert.deepEqual(fresh.action, { kind: "open_source", target: shop.sourceId });
  assert.ok(fresh.since !== null);

  shop.sells(mugs(20));
  await shop.sync();
  assert.equal((await statusOf(shop)).state, "ok");
});

test("a source that has never been synced successfully is failing; its run says more", async () => {
  const shop = await api.openShop();
  shop.answers({ kind: "file", body: "<html><title>Shop</title></html>" });
  await shop.sync();

  const { severity, action, count } = await only(shop, "source_failing");

  const { sync } = await statusOf(shop);
  assert.deepEqual([severity, count], ["failing", 1]);
  assert.deepEqual(action, { kind: "open_run", target: sync.last?.run_id });
});

test("a canceled sync is no failure", async () => {
  await using held = await heldFeed(csv(mugs(2)));
  const shop = await api.openShop([], held.url);
  const { run_id: runId } = dataOf<{ run_id: string }>(await shop.sync({ prefer: "respond-async" }));
  await held.asked;
  await shop.call(`/api/v1/syncs/${runId}/cancel`, { method: "POST" });
  held.release();

  assert.deepEqual(codes(await statusOf(shop)), []);
});

test("a sync that would remove most items is refused, and the refusal is shown", async () => {
  const shop = await synced(mugs(30));
  shop.sells(mugs(2));
  await shop.sync();

  const { severity, message, action } = await only(shop, "sync_refused");

  assert.equal(severity, "attention");
  assert.match(message, /^The last sync of "feed_url" was refused because too many items would be removed\./);
  assert.equal(action?.kind, "open_run");
});

test("a sync that is refused after another failure says what is true of the last", async () => {
  const shop = await synced(mugs(30));
  shop.answers(NOT_FOUND);
  await shop.sync();
  shop.sells(mugs(2));
  await shop.sync();

  const { message } = await only(shop, "sync_refused");

  assert.match(
    message,
    /^The last sync of "feed_url" was refused because too many items would be removed; 2 syncs in a row have failed, the first /,
  );
});

test("a sync that removed many items is shown for three days, until they are back, unless it was accepted", async () => {
  const shop = await api.openShop(mugs(40));
  await shop.sync();
  shop.sells(mugs(25));
  await shop.sync();
  shop.sells(mugs(26));
  await shop.sync();

  const { severity, message, count, action } = await only(shop, "items_removed");
  const age = (days: number) =>
    api.db.execute({
      text: `update sync_health set large_removal = large_removal || jsonb_build_object('at', now() - make_interval(days => $2))
              where origin_id = $1`,
      values: [shop.sourceId, days],
    });
  await age(4);
  const old = await statusOf(shop);
  await age(2);
  const [removed] = (await sourcesOf(shop)) as readonly { readonly state: string; readonly reason: string }[];
  shop.sells(mugs(40));
  await shop.sync();
  const back = await statusOf(shop);
  const accepted = await api.openShop(mugs(40));
  await accepted.sync();
  accepted.sells(mugs(4));
  const refused = await accepted.sync();
  const once = await syncOnce(accepted, { max_removed_ratio: 1 });
  const shrunk = await statusOf(accepted);

  assert.deepEqual([severity, count, action?.kind], ["attention", 15, "open_run"]);
  assert.match(message, /^A sync of "feed_url" removed 15 items less than a minute ago; 25 were left\./);
  assert.deepEqual(codes(old), []);
  assert.equal(removed?.state, "attention");
  assert.match(removed.reason, /removed 15 items 2 days ago/);
  assert.deepEqual(codes(back), []);
  assert.deepEqual([refused.status, once.status], [422, 200]);
  assert.deepEqual([codes(shrunk), shrunk.items], [[], 4]);
});

const asShop = ({ key }: Pick<Shop, "key">) => ({
  authorization: `Bearer ${key}`,
  "content-type": "application/json",
});
const sourcesOf = async (shop: Shop) =>
  (
    (await api.ask("/api/v1/sources", { headers: asShop(shop) })).json as {
      data: { sources: readonly unknown[] };
    }
  ).data.sources;
const syncOnce = (shop: Shop, body: object) =>
  api.ask("/api/v1/syncs", {
    method: "POST",
    headers: asShop(shop),
    body: JSON.stringify({ source_id: shop.sourceId, ...body }),
  });

test("a source without success for more than two intervals is stale", async () => {
  const shop = await synced();
  await lastSuccess(shop, "3 days");

  const { severity, message, action } = await only(shop, "source_stale");

  assert.equal(severity, "failing");
  assert.equal(message, '"feed_url" was last synced 3 days ago although its interval is 6 hours.');
  assert.deepEqual(action, { kind: "sync_source", target: shop.sourceId });
});

test("a source with a short interval is not stale after one slow sync", async () => {
  const shop = await synced();
  await shop.call("/api/v1/sources", { method: "PATCH", body: { id: shop.sourceId, interval_s: 300 } });
  await lastSuccess(shop, "50 minutes");

  assert.deepEqual(codes(await statusOf(shop)), []);
});

test("a source that is switched off is shown if it has items", async () => {
  const shop = await synced();
  const pause = { id: shop.sourceId, enabled: false };
  await shop.call("/api/v1/sources", { method: "PATCH", body: pause });
  const empty = await api.openShop();
  await empty.call("/api/v1/sources", { method: "PATCH", body: { ...pause, id: empty.sourceId } });

  const { severity, message, count } = await only(shop, "source_disabled");

  assert.deepEqual([severity, count], ["attention", 20]);
  assert.equal(message, '"feed_url" is switched off: its 20 items are not updated.');
  assert.equal((await statusOf(shop)).sync.next, null);
  assert.match((await only(empty, "no_items")).message, /its sources are switched off/);
});

test("rejected rows are shown from one in a hundred; unpublished products are not counted", async () => {
  const bad = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `bad-${i}`, price: "free" }));
  const few = await synced([...mugs(150), ...bad(1)]);
  const many = await synced([...mugs(150), ...bad(3)]);
  const drafts = await api.openShop();
  const [header = "", ...lines] = csv(mugs(20)).trim().split("\n");
  const body = [`${header},published`, ...lines.map((line, i) => `${line},${i < 10}`)].join("\n");
  drafts.answers({ kind: "file", body });
  await drafts.sync();

  const { message, count, action } = await only(many, "rows_rejected");

  assert.equal(message, '3 of 153 rows of the last sync of "feed_url" were rejected.');
  assert.deepEqual([count, action?.kind], [3, "open_run"]);
  assert.deepEqual(codes(await statusOf(few)), []);
  const { attention, items } = await statusOf(drafts);
  assert.deepEqual([attention, items], [[], 10]);
});

const withoutBrand = (rows: string, count: number): string =>
  rows
    .split("\n")
    .map((line, i) => (i > 0 && i <= count ? line.replace('"Kiln"', '""') : line))
    .join("\n");

test("items that will be refused are shown from one in twenty, once for both files of a channel", async () => {
  const few = await api.openShop();
  few.answers({ kind: "file", body: withoutBrand(csv(mugs(100)), 4) });
  await few.sync();
  const many = await api.openShop();
  many.answers({ kind: "file", body: withoutBrand(csv(mugs(100)), 5) });
  await many.sync();

  const { severity, message, count, action } = await only(many, "items_refused");

  assert.deepEqual([severity, count], ["attention", 5]);
  assert.equal(message, "5 of 100 items will be refused by OpenAI.");
  assert.deepEqual(action, { kind: "open_feed", target: "acp.csv" });
  assert.deepEqual(codes(await statusOf(few)), []);
});

/**
 * OpenAI refuses every item, by choice also left out of its files; the status before and after OpenAI fetches a file.
 */
/** A shop whose items all lack a brand. */
async function withoutAnyBrand(incompleteItems: "write" | "leave_out") {
  const shop = await api.openShop();
  await changeCatalogSettings(api.db, shop.id, {
    currency: "USD",
    incompleteItems: { openai: incompleteItems },
  });
  shop.answers({ kind: "file", body: withoutBrand(csv(mugs(20)), 20) });
  await shop.sync();
  return shop;
}

test("an empty file is failing; a file of which every item will be refused is failing if a destination fetches it", async () => {
  const empty = await withoutAnyBrand("leave_out");
  const refused = await withoutAnyBrand("write");
  const first = async (shop: Shop, code: AttentionCode) => {
    const status = await statusOf(shop);
    assert.deepEqual(codes(status), [code, "score_limited"]);
    return status.attention[0] ?? assert.fail();
  };
  const unused = [await first(empty, "feed_empty"), await first(refused, "items_refused")];
  // Fetches are recorded together, at most once in a minute.
  for (const shop of [empty, refused]) await shop.fetch("acp.csv");
  const fetches = async () =>
    api.db.query({
      text: "select 1 from feed_fetches f join catalogs c on c.id = f.catalog_id where c.slug = any ($1)",
      values: [[empty.slug, refused.slug]],
    });
  await until(async () => (await fetches()).length === 2, "the fetches to be recorded");
  const used = [await first(empty, "feed_empty"), await first(refused, "items_refused")];

  assert.deepEqual(
    unused.map(({ message }) => message),
    ["acp.csv and acp.json have no items: all 20 are left out.", "20 of 20 items will be refused by OpenAI."],
  );
  assert.deepEqual(
    [unused, used].map((two) => two.map(({ severity }) => severity)),
    [
      ["failing", "attention"],
      ["failing", "failing"],
    ],
  );
});

test("a file whose letters suit two encodings needs attention with both readings, until the encoding is set", async () => {
  const shop = await api.openShop();
  const body = csv(mugs(3)).replace("Mug mug-001", "Mu\u00f1eca");
  shop.answers({ kind: "file", body: Buffer.from(body, "latin1") });
  await shop.sync();

  const { message, action } = await only(shop, "encoding_uncertain");
  await shop.call("/api/v1/sources", {
    method: "PATCH",
    body: { id: shop.sourceId, settings: { encoding: "windows-1252" } },
  });
  await shop.sync();

  assert.match(message, /^The encoding of the file of ".*" is uncertain/);
  assert.match(message, /"Muñeca" \(windows-1252\) and "Muńeca" \(windows-1250\)/);
  assert.equal(action?.kind, "open_source");
  assert.deepEqual((await statusOf(shop)).attention, []);
  assert.match((await shop.fetch("gmc.tsv")).text, /Muñeca/);
});

test("items that a setting leaves out of a file are shown as missing there", async () => {
  const shop = await api.openShop();
  await changeCatalogSettings(api.db, shop.id, { currency: "USD", incompleteItems: { openai: "leave_out" } });
  shop.answers({ kind: "file", body: withoutBrand(csv(mugs(20)), 1) });
  await shop.sync();

  const { message, count } = await only(shop, "items_refused");

  assert.deepEqual([message, count], ["1 of 20 items is not in acp.csv and acp.json.", 1]);
});

test("a catalog whose last sync found nothing is shown as empty", async () => {
  const shop = await synced([]);

  const { message, action } = await only(shop, "no_items");

  assert.equal(message, "The catalog has no items: the last sync found none.");
  assert.equal(action?.kind, "open_run");
});

test("a failed render is failing, with the age of the files that are served", async (t) => {
  const shop = await synced();
  await failRenders(api.db, "status_render");
  t.after(() => allowRenders(api.db, "status_render"));
  shop.sells(mugs(21));
  await shop.sync();

  const { severity, message, action } = await only(shop, "render_failed");

  assert.equal(severity, "failing");
  assert.match(
    message,
    /^The feeds could not be rendered \(render_failed\): their URLs serve files from .* ago\./,
  );
  const run = await shop.call(`/api/v1/runs/${action?.target}`);
  assert.equal(dataOf<{ kind: string }>(run).kind, "render");
});

test("a change of the items that no render has seen is shown after a while", async () => {
  const shop = await synced();
  await change(shop, "update runs set started_at = now() - interval '2 hours' where catalog_id = $1");
  await change(shop, "update catalogs set snapshot_at = now() - interval '10 minutes' where id = $1");
  const early = codes(await statusOf(shop));
  await change(shop, "update catalogs set snapshot_at = now() - interval '20 minutes' where id = $1");

  const { severity, action } = await only(shop, "feeds_outdated");

  assert.deepEqual(early, []);
  assert.deepEqual([severity, action], ["attention", { kind: "render_feeds", target: null }]);
});

test("a sync that was due and has not begun points at the worker", async () => {
  await using still = await runningApi({ hasWorker: false });
  const shop = await still.openShop(mugs(1));
  const ask = async () => dataOf<CatalogStatus>(await shop.call("/api/v1/catalog/status"));
  const before = await ask();
  const text = "update sources set next_sync_at = now() - interval '20 minutes' where catalog_id = $1";
  await still.db.execute({ text, values: [shop.id] });
  const notQueued = await ask();
  await still.db.execute({ text: text.replace(/now.*minutes'/, "now()"), values: [shop.id] });
  await shop.sync({ prefer: "respond-async" });
  await still.db.execute({
    text: "update runs set created_at = now() - interval '30 minutes' where catalog_id = $1",
    values: [shop.id],
  });
  const queued = await ask();

  assert.deepEqual(codes(before), []);
  assert.equal(notQueued.reason, "A sync that was due 20 minutes ago has not begun.");
  assert.equal(queued.reason, "A sync that was due 30 minutes ago has not begun.");
  assert.match(queued.attention[0]?.message ?? "", /worker/);
});

const pricedArticles = (count: number) =>
  mugs(count).map(({ id }, at) => article(id, { price: `${10 + at}.00 USD` }));

test("a push that failed is shown until one succeeds", async () => {
  const catalog = await api.createCatalog();
  const headers = { authorization: `Bearer ${catalog.key}`, "content-type": "application/json" };
  const push = async (body: string) => api.ask("/api/v1/catalog", { method: "PUT", headers, body });
  await push(JSON.stringify({ products: pricedArticles(30) }));
  await push(JSON.stringify({ products: mugs(1).map(({ id }) => article(id)) }));

  const { severity, message, action } = await only(catalog, "push_failed");
  await push(JSON.stringify({ products: pricedArticles(30) }));
  const { state, reason } = await statusOf(catalog);

  assert.equal(severity, "attention");
  assert.match(message, /^The last push or upload failed \(catalog_collapsed\)\./);
  assert.equal(action?.kind, "open_run");
  assert.deepEqual([state, reason], ["ok", "All right: 30 items, last synced less than a minute ago."]);
  const { items, pushed_items: pushed } = await statusOf(catalog);
  assert.deepEqual([items, pushed], [30, 30]);
});

test("a push that failed and was not repeated is history after three days", async () => {
  const catalog = await api.createCatalog();
  const headers = { authorization: `Bearer ${catalog.key}`, "content-type": "application/json" };
  const push = async (body: string) => api.ask("/api/v1/catalog", { method: "PUT", headers, body });
  await push(JSON.stringify({ products: pricedArticles(30) }));
  await push(JSON.stringify({ products: mugs(1).map(({ id }) => article(id)) }));
  await api.db.execute({
    text: "update sync_health set finished_at = now() - interval '4 days' where origin_id = $1",
    values: [catalog.id],
  });

  assert.equal((await statusOf(catalog)).state, "ok");
});

test("a push that cannot be read changes nothing in the status, unless pushes have failed for a day", async () => {
  const catalog = await api.createCatalog();
  const headers = { authorization: `Bearer ${catalog.key}`, "content-type": "application/json" };
  const push = async (body: string) => api.ask("/api/v1/catalog", { method: "PUT", headers, body });
  const age = async (interval: string) =>
    api.db.execute({
      text: "update sync_health set failing_since = now() - $2::interval where origin_id = $1",
      values: [catalog.id, interval],
    });

  assertProblem(await push("{"), 400, "body_malformed");
  await age("3 days");
  assert.deepEqual(codes(await statusOf(catalog)), ["no_items"], "no push has ever succeeded");
  await push(JSON.stringify({ products: pricedArticles(30) }));
  const before = await statusOf(catalog);
  assertProblem(await push("{"), 400, "body_malformed");
  assertProblem(await push("no JSON"), 400, "body_malformed");
  const after = await statusOf(catalog);
  await age("2 days");
  const { severity, message } = await only(catalog, "push_failed");

  assert.deepEqual([before.state, after.state], ["ok", "ok"]);
  assert.equal(after.reason, before.reason);
  assert.equal(severity, "attention");
  assert.match(
    message,
    /^The last push or upload failed \(body_malformed\); 2 pushes in a row have failed, the first 2 days ago\./,
  );
});

test("a webhook endpoint that fails is shown without the path of its address", async () => {
  await using receiver = await openReceiver();
  const shop = await synced();
  const url = receiver.on("/secret-path", reply(500));
  const body = { url, events: ["sync.completed"] };
  const answer = await shop.call("/api/v1/webhooks", { method: "POST", body });
  const { id } = dataOf<{ id: string }>(answer);
  await shop.sync();
  // One call: between the two of `statusOf` the state may change.
  await until(async () => (await listed(shop)).state !== "ok", "the failed delivery");

  const { severity, message, action } = await only(shop, "webhook_failing");

  assert.equal(severity, "attention");
  assert.ok(message.includes(new URL(url).host) && !message.includes("secret-path"), message);
  assert.deepEqual(action, { kind: "open_webhook", target: id });
});

test("a score that fell is shown with the rule that lowered it most", async () => {
  const shop = await synced(mugs(30));
  const { score } = await statusOf(shop);
  const poor = csv(mugs(30))
    .replaceAll(/"A mug, number [^"]*"/g, '""')
    .replaceAll("in_stock", "");
  shop.answers({ kind: "file", body: poor });
  await shop.sync({}, { guard: "hold" });
  // While the render is held, destinations have the items of the higher score.
  const held = await statusOf(shop);
  assert.equal(
    held.attention.some(({ code }) => code === "score_dropped"),
    false,
  );
  const body = { run_id: (await shop.feeds()).held?.run_id, reason: "These are the texts that we have." };
  assert.equal((await shop.call("/api/v1/renders/promote", { method: "POST", body })).status, 200);

  const status = await statusOf(shop);

  const dropped = status.attention.find(({ code }) => code === "score_dropped");
  assert.equal(
    dropped?.message,
    `The score fell from ${score?.score} to ${status.score?.score} within 7 days.`,
  );
  assert.deepEqual(status.score?.previous_score, score?.score);
  assert.deepEqual(
    status.score?.history.map(({ score: one }) => one),
    [score?.score, status.score?.score],
  );
  assert.equal(dropped?.action?.kind, "open_audit_rule");
  const findings = await shop.call(`/api/v1/audit/findings?rule=${dropped?.action?.target}`);
  assert.equal(dataOf<{ findings: object[] }>(findings).findings.length, 30);
});

/** A valid GTIN of 13 digits. */
function gtin(number: number): string {
  const digits = `40063813${String(number).padStart(4, "0")}`;
  const sum = Array.from(digits).reduce(
    (total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3),
    0,
  );
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/** Items that lose few points; the first `refused` of them have no brand. */
const goodItems = (count: number, refused: number): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, i) => ({
      ...article(`mug-${i}`, { price: `${10 + i}.00 USD` }),
      title: `Kiln stoneware mug with a wide handle, number ${i}`,
      description: `Mug ${i} is thrown by hand from stoneware, glazed twice and fired at 1,260 degrees. It holds 350 ml, keeps coffee warm, and may be washed in a dishwasher. Each piece differs a little from the next in color and weight.`,
      additional_image_link: [2, 3, 4].map((view) => `https://shop.example/img/mug-${i}-${view}.jpg`),
      brand: i < refused ? "" : "Kiln",
      gtin: gtin(i),
      mpn: `K-${i}`,
      google_product_category: "2169",
      product_type: "Kitchen > Mugs",
      color: "blue",
      material: "stoneware",
      product_highlight: ["Thrown by hand", "Dishwasher safe"],
    })),
  );

test("a score that is limited because items are refused names the rule that refuses most", async () => {
  const shop = await api.openShop();
  shop.answers({ kind: "file", body: goodItems(40, 10) });
  await shop.sync();

  const status = await statusOf(shop);

  const { attention, score } = status;
  assert.deepEqual(codes(status), ["items_refused", "score_limited"], JSON.stringify({ attention, score }));
  const limited = attention.find(({ code }) => code === "score_limited");
  assert.equal(score?.ceiling, 88);
  assert.match(limited?.message ?? "", /^The score can reach at most 88 because channels refuse items\./);
  assert.deepEqual([limited?.count, limited?.action?.kind], [10, "open_audit_rule"]);
});

test("an audit that failed is shown, and the score stays", async (t) => {
  const shop = await synced();
  const { score } = await statusOf(shop);
  const constraint = "alter table audits add constraint no_audit check (false) not valid";
  await api.db.execute({ text: constraint, values: [] });
  t.after(async () => api.db.execute({ text: "alter table audits drop constraint no_audit", values: [] }));
  shop.sells(mugs(21));
  await shop.sync();

  const { severity, message } = await only(shop, "audit_failed");

  assert.equal(severity, "attention");
  assert.match(message, /^The audit of the last render failed \(internal\): the score is from .* ago\./);
  assert.deepEqual((await statusOf(shop)).score, score);
});

test("a token that cannot be decrypted is failing, and the other figures are shown", async () => {
  const shop = await synced();
  const values = [shop.id, randomBytes(60)];
  await api.db.execute({ text: "update catalogs set feed_token_sealed = $2 where id = $1", values });

  const { severity } = await only(shop, "secret_unreadable");

  const { feeds } = await statusOf(shop);
  assert.equal(severity, "failing");
  assert.deepEqual(
    feeds.map(({ url, items }) => [url, items]),
    feeds.map(() => [null, 20]),
  );
});

test("entries are ordered by consequence: failing ones first", async () => {
  const shop = await api.openShop();
  const [header = "", ...lines] = withoutBrand(csv(mugs(20)), 10)
    .trim()
    .split("\n");
  const bad =
    csv([{ id: "bad", price: "free" }])
      .trim()
      .split("\n")[1] ?? "";
  shop.answers({ kind: "file", body: [header, ...lines, bad].join("\n") });
  await shop.sync();
  shop.answers(NOT_FOUND);
  await shop.sync();
  await lastSuccess(shop, "2 days");
  await using receiver = await openReceiver();
  const body = { url: receiver.on("/hook", reply(500)), events: ["sync.completed"] };
  const webhook = await shop.call("/api/v1/webhooks", { method: "POST", body });
  const { id } = dataOf<{ id: string }>(webhook);
  await shop.call("/api/v1/webhooks/test", { method: "POST", body: { id } });

  const status = await statusOf(shop);

  assert.deepEqual(codes(status), [
    "source_failing",
    "rows_rejected",
    "items_refused",
    "score_limited",
    "webhook_failing",
  ]);
  assert.deepEqual(
    status.attention.map(({ severity }) => severity),
    ["failing", "attention", "attention", "attention", "attention"],
  );
});

test("a key sees its own catalog only, needs the scope read, and no other", async () => {
  const [shop, other] = [await synced(), await synced(mugs(3))];
  const writer = await createKey(api.db, {
    catalogId: shop.id,
    name: "writer",
    scopes: ["write"],
    expiresAt: null,
  });
  const ask = async (key: string, headers = {}) =>
    api.ask("/api/v1/catalog/status", { headers: { authorization: `Bearer ${key}`, ...headers } });

  assert.equal(dataOf<CatalogStatus>(await ask(shop.readKey)).items, 20);
  assert.equal(dataOf<CatalogStatus>(await ask(other.readKey)).items, 3);
  assertProblem(await ask(shop.readKey, { "shelfwire-catalog": other.slug }), 404, "not_found");
  assertProblem(await ask(writer.key, {}), 403, "insufficient_scope");
  assertProblem(await ask("sw_nonsense"), 401, "unauthorized");
  assertProblem(await api.ask("/api/v1/catalog/status"), 401, "unauthorized");
});

test("an operator key lists every catalog with its state", async () => {
  const failing = await api.openShop();
  failing.answers(NOT_FOUND);
  await failing.sync();
  const calm = await synced();
  const { key } = await createOperatorKey(api.db, "operator");
  const answer = await api.ask("/api/v1/catalogs", { headers: { authorization: `Bearer ${key}` } });

  const { catalogs } = dataOf<CatalogsAnswer["data"]>(answer);

  const stateOf = ({ slug }: Shop) => catalogs.find((one) => one.slug === slug)?.state;
  assert.deepEqual([stateOf(failing), stateOf(calm)], ["failing", "ok"]);
  assert.ok(catalogs.length > 10);
});

test("what is recorded of a source goes with it", async () => {
  const shop = await synced();
  const rows = async () =>
    api.db.query({ text: "select 1 from sync_health where catalog_id = $1", values: [shop.id] });
  assert.equal((await rows()).length, 1);

  await shop.call("/api/v1/sources", { method: "DELETE", body: { id: shop.sourceId, items: "keep" } });

  assert.deepEqual(await rows(), []);
});

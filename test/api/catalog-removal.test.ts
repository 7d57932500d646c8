/** DELETE /catalog: everything of the catalog is deleted and nothing of others, after a confirmation. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createKey } from "../../src/setup/keys.ts";
import { addVanished } from "../../src/destinations/vanished.sql.ts";
import { newId } from "../../src/lib/id.ts";
import { type FetchTally, recordFetches } from "../../src/store/fetch-receipts.ts";
import { listTables } from "../../src/store/backup/schema.ts";
import { enqueueMail } from "../../src/store/alert-mails.ts";
import { saveAlertSettings } from "../../src/store/alert-settings.ts";
import { listChanges } from "../../src/store/changes.ts";
import { answer, openReceiver } from "../fakes/receiver.ts";
import { until, untilRun } from "../actions.ts";
import { tablesWith } from "../dump.ts";
import { describedBy } from "./described.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

const api = closeAfterTests(await runningApi());
const receiver = closeAfterTests(await openReceiver());

const adminKey = async (shop: Shop): Promise<string> =>
  (await createKey(api.db, { catalogId: shop.id, name: "owner", scopes: ["admin"], expiresAt: null })).key;

const remove = async (shop: Shop, key: string, body: object): Promise<Answer> =>
  shop.call("/api/v1/catalog", { method: "DELETE", headers: { authorization: `Bearer ${key}` }, body });

async function rowCounts(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { table } of await listTables(api.db)) {
    const [row] = await api.db.query<{ n: number }>({
      text: `select count(*) as n from ${table}`,
      values: [],
    });
    counts[table] = row?.n ?? 0;
  }
  return counts;
}

/** Their rows go as soon as they are used, or expire. */
const SHORT_LIVED: ReadonlySet<string> = new Set([
  "item_changes",
  "pushes",
  "push_chunks",
  "source_tests",
  "removed_sources",
  "removed_catalogs",
  "sessions",
  "session_keys",
  "sign_in_codes",
  // This table belongs to the whole installation.
  "restores",
  "changed_products",
  "shop_webhooks",
]);

/** Rules, a dry run, a decision about a category, and proposals. */
async function enrich(shop: Shop): Promise<void> {
  const rules = [{ name: "Condition", action: { type: "default", field: "condition", value: "new" } }];
  for (const body of [{ rules, dry_run: true }, { rules }])
    assert.equal((await shop.call("/api/v1/rules", { method: "PUT", body })).status, 200);
  const mappings = [{ path: "Home > Mugs", category: "2169" }];
  assert.equal((await shop.call("/api/v1/categories", { method: "PUT", body: { mappings } })).status, 200);
  const described = {
    id: "p1",
    categories: ["Home > Mugs"],
    description: "A mug. Material: cotton. Color: blue.",
  };
  await shop.call("/api/v1/catalog", { method: "PATCH", body: [described] });
  const asked = await shop.call("/api/v1/proposals/refresh", { method: "POST" });
  await untilRun(api.db, (asked.json as { data: { run_id: string } }).data.run_id, "succeeded");
  // Only with a model.
  await api.db.execute({ text: "insert into model_questions values ($1, 'p1', '')", values: [shop.id] });
}

const fetchOf = (catalogId: string): FetchTally => ({
  catalogId,
  file: "gmc.tsv",
  runId: newId(),
  etag: "ab",
  consumer: "Google",
  isKnown: true,
  status: 200,
  fetches: 1,
  bytes: 1,
  firstAt: new Date(),
  lastAt: new Date(),
});
/** An alert, and a mail about it. */
async function alert(shop: Shop): Promise<void> {
  await saveAlertSettings(api.db, shop.id, { recipients: ["feeds@shop.example"] });
  await api.db.execute({
    text: `insert into alerts (id, catalog_id, code, subject, severity, message, since, opened_at, last_seen_at)
           values ($1, $2, 'no_items', '', 'failing', 'It is empty.', now(), now(), now())`,
    values: [newId(), shop.id],
  });
  const mail = { subject: "", text: "", html: "", refersTo: [] };
  await enqueueMail(api.db, {
    catalogId: shop.id,
    mailId: newId(),
    recipients: ["feeds@shop.example"],
    ...mail,
  });
}

/** A shop with something in every other table. */
async function openLivelyShop(status: number): Promise<Shop> {
  // More rejected rows than the statistics of a run list.
  const rejected = Array.from({ length: 120 }, (_, i) => ({ id: `bad-${i}`, price: "free" }));
  const shop = await api.openShop([...mugs(3), ...rejected]);
  const url = receiver.on(`/${shop.slug}`, answer(status));
  const body = { url, events: ["sync.completed", "feeds.rendered", "audit.completed"] };
  assert.equal((await shop.call("/api/v1/webhooks", { method: "POST", body })).status, 201);
  const files = { kind: "https", settings: { url: receiver.on(`/${shop.slug}/files`, answer(status)) } };
  const added = await shop.call("/api/v1/destinations", { method: "POST", body: files });
  assert.equal(added.status, 201, added.text);
  const { id: destinationId } = (added.json as { data: { id: string } }).data;
  await addVanished(api.db, destinationId, [{ id: "gone", row: '{"item_id":"gone"}' }]);
  assert.equal((await shop.sync()).status, 200);
  const product = { id: "p1", title: "A pushed mug", link: "https://shop.example/p1", price: "1.00 EUR" };
  const headers = { "idempotency-key": "once" };
  const pushed = await shop.call("/api/v1/catalog", { method: "PATCH", headers, body: [product] });
  assert.equal(pushed.status, 200, pushed.text);
  await enrich(shop);
  await alert(shop);
  await recordFetches(api.db, [fetchOf(shop.id)]);
  return shop;
}

test("no row, file or key of a removed catalog is left, and another catalog is unchanged", async () => {
  const other = await openLivelyShop(200);
  await until(async () => (await rowCounts())["webhook_queue"] === 0, "its deliveries to end");
  const counts = await rowCounts();
  const shop = await openLivelyShop(500);
  await until(async () => receiver.requests.some(({ path }) => path === `/${shop.slug}`), "an attempt");
  const filled = await rowCounts();
  const empty = Object.keys(counts).filter((table) => filled[table] === counts[table]);
  assert.deepEqual(
    empty.filter((table) => !SHORT_LIVED.has(table)),
    [],
  );
  const key = await adminKey(shop);
  const feed = new URL((await shop.feeds()).feeds[0]?.url ?? "").pathname;

  const answered = await remove(shop, key, { slug: shop.slug });

  assert.equal(answered.status, 202, answered.text);
  (await describedBy(api))("DELETE /api/v1/catalog", answered);
  assert.deepEqual(answered.json, { data: { id: shop.id, slug: shop.slug, deleted: true, items: 4 } });
  await until(async () => (await tablesWith(api.db, shop.id)).length === 0, "the rows to be deleted");
  assert.deepEqual(await rowCounts(), { ...counts, changes: (counts["changes"] ?? 0) + 1 });
  assert.deepEqual(await tablesWith(api.db, shop.id), []);
  assert.deepEqual(await tablesWith(api.db, shop.slug), ["changes"]);
  assert.deepEqual(await readdir(join(api.dataDir, "feeds")), [other.id]);
  assert.equal((await api.ask(feed)).status, 404);
  for (const used of [shop.key, shop.readKey, key]) {
    const headers = { authorization: `Bearer ${used}` };
    assertProblem(await shop.call("/api/v1/feeds", { headers }), 401, "unauthorized");
  }
  assert.equal((await other.fetch("acp.csv")).status, 200);
  const [change] = await listChanges(api.db, { limit: 1 });
  const { call, actorName, targetType, targetId } = change ?? {};
  assert.deepEqual(
    [call, actorName, targetType, targetId],
    ["DELETE /api/v1/catalog", "owner", "catalog", shop.slug],
  );
});

test("a catalog is removed only with the scope admin and its own slug", async () => {
  const shop = await api.openShop(mugs(1));
  const other = await api.openShop(mugs(1));
  const key = await adminKey(shop);

  assertProblem(await remove(shop, shop.key, { slug: shop.slug }), 403, "insufficient_scope");
  assertProblem(await remove(shop, key, {}), 400, "invalid_request");
  for (const slug of [other.slug, shop.slug.toUpperCase(), `${shop.slug} `])
    assertProblem(await remove(shop, key, { slug }), 400, "invalid_request");

  assert.equal((await shop.call("/api/v1/feeds")).status, 200);
  assert.equal((await other.call("/api/v1/feeds")).status, 200);
});

test("a key with the scope admin alone neither reads nor writes", async () => {
  const shop = await api.openShop(mugs(1));
  const headers = { authorization: `Bearer ${await adminKey(shop)}` };

  assertProblem(await shop.call("/api/v1/feeds", { headers }), 403, "insufficient_scope");
  assertProblem(await shop.call("/api/v1/feeds", { method: "POST", headers }), 403, "insufficient_scope");
});

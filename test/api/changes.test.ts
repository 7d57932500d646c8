/** The change log: it has every call that changes something, and no secret. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../src/setup/keys.ts";
import { sql } from "../../src/store/sql.ts";
import { answer, openReceiver } from "../fakes/receiver.ts";
import { dump } from "../dump.ts";
import { until } from "../actions.ts";
import { describedBy } from "./described.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

const api = closeAfterTests(await runningApi());
const receiver = closeAfterTests(await openReceiver());

type Change = {
  id: string;
  at: string;
  by: { kind: string; name: string; key_id: string | null; key: string | null };
  call: string;
  target: { type: string; id: string | null; fields: string[] };
  run_id: string | null;
  run_status: string | null;
  request_id: string | null;
};
type Page = { data: { changes: Change[]; next_cursor: string | null } };

const pageOf = async (shop: Shop, query = ""): Promise<Page["data"]> => {
  const page = await shop.call(`/api/v1/changes${query}`);
  assert.equal(page.status, 200, page.text);
  return (page.json as Page).data;
};

const PASSWORD = "correct-horse-battery-staple";
const TITLE = "A product title that belongs in no trail";

/**
 * Every call that changes something, with what the trail has to say about it. In this order: some need those before.
 */
type Trial = {
  readonly body: (made: Made) => unknown;
  readonly target: (made: Made) => Partial<Change["target"]>;
  readonly isRun?: boolean;
};
type Made = {
  shop: Shop;
  url: string;
  sourceId: string;
  webhookId: string;
  destinationId: string;
  deliveryId: string;
  keyId: string;
};

const product = { id: "p1", title: TITLE, link: "https://shop.example/p1", price: "1.00 EUR" };
const TRIALS: Readonly<Record<string, Trial>> = {
  "POST /api/v1/sources": {
    body: () => ({
      kind: "feed_url",
      name: "Second",
      enabled: false,
      settings: { url: "http://127.0.0.1:9/feed.csv", username: "me", password: PASSWORD },
    }),
    target: ({ sourceId }) => ({
      type: "source",
      id: sourceId,
      fields: ["kind", "name", "enabled", "settings.url", "settings.username", "settings.password"],
    }),
  },
  "PATCH /api/v1/sources": {
    body: ({ sourceId }) => ({ id: sourceId, name: "Third", settings: { password: `${PASSWORD}-2` } }),
    target: ({ sourceId }) => ({ type: "source", id: sourceId, fields: ["name", "settings.password"] }),
  },
  "DELETE /api/v1/sources": {
    body: ({ sourceId }) => ({ id: sourceId, items: "remove" }),
    target: ({ sourceId }) => ({ type: "source", id: sourceId, fields: ["items=remove"] }),
  },
  "POST /api/v1/syncs": {
    body: ({ shop }) => ({ source_id: shop.sourceId }),
    target: ({ shop }) => ({ type: "source", id: shop.sourceId }),
    isRun: true,
  },
  "POST /api/v1/feeds": { body: () => ({}), target: () => ({ type: "feeds" }), isRun: true },
  "POST /api/v1/feeds/rotate": {
    body: () => ({ overlap_s: 60 }),
    target: () => ({ type: "feeds", fields: ["url"] }),
  },
  "PATCH /api/v1/catalog": { body: () => [product], target: () => ({ type: "items" }), isRun: true },
  "PUT /api/v1/catalog": { body: () => [product], target: () => ({ type: "items" }), isRun: true },
  "POST /api/v1/webhooks": {
    body: ({ url }) => ({ url, events: ["sync.completed"] }),
    target: ({ webhookId }) => ({ type: "webhook", id: webhookId, fields: ["url", "events"] }),
  },
  "PATCH /api/v1/webhooks": {
    body: ({ webhookId }) => ({ id: webhookId, events: ["sync.completed", "audit.completed"] }),
    target: ({ webhookId }) => ({ type: "webhook", id: webhookId, fields: ["events"] }),
  },
  "POST /api/v1/webhooks/rotate": {
    body: ({ webhookId }) => ({ id: webhookId }),
    target: ({ webhookId }) => ({ type: "webhook", id: webhookId, fields: ["secret"] }),
  },
  "POST /api/v1/webhooks/test": {
    body: ({ webhookId }) => ({ id: webhookId }),
    target: ({ webhookId }) => ({ type: "webhook", id: webhookId }),
  },
  "POST /api/v1/webhooks/deliveries/resend": {
    body: ({ deliveryId }) => ({ delivery_id: deliveryId }),
    target: ({ deliveryId }) => ({ type: "delivery", id: deliveryId }),
  },
  "DELETE /api/v1/webhooks": {
    body: ({ webhookId }) => ({ id: webhookId }),
    target: ({ webhookId }) => ({ type: "webhook", id: webhookId }),
  },
  "PATCH /api/v1/alerts/settings": {
    body: () => ({ recipients: ["feeds@shop.example"], digest_at: null }),
    target: () => ({ type: "alerts", fields: ["recipients", "digest_at"] }),
  },
  "POST /api/v1/destinations": {
    body: ({ url }) => ({ kind: "https", settings: { url, headers: `x-token: ${PASSWORD}` } }),
    target: ({ destinationId }) => ({
      type: "destination",
      id: destinationId,
      fields: ["kind", "settings.url", "settings.headers"],
    }),
  },
  "PATCH /api/v1/destinations": {
    body: ({ destinationId }) => ({ id: destinationId, enabled: false }),
    target: ({ destinationId }) => ({ type: "destination", id: destinationId, fields: ["enabled"] }),
  },
  "POST /api/v1/destinations/send": {
    body: ({ destinationId }) => ({ id: destinationId }),
    target: ({ destinationId }) => ({ type: "destination", id: destinationId }),
  },
  "DELETE /api/v1/destinations": {
    body: ({ destinationId }) => ({ id: destinationId }),
    target: ({ destinationId }) => ({ type: "destination", id: destinationId }),
  },
  "PUT /api/v1/rules": {
    body: () => ({
      rules: [{ name: "Label", action: { type: "set", field: "custom_label0", value: TITLE } }],
    }),
    target: () => ({ type: "rules", fields: ["rules"] }),
  },
  "PUT /api/v1/categories": {
    body: () => ({ mappings: [{ path: "Home > Mugs", category: "2169" }] }),
    target: () => ({ type: "rules", fields: ["categories"] }),
  },
  "POST /api/v1/proposals/refresh": { body: () => ({}), target: () => ({ type: "proposals" }), isRun: true },
  "PATCH /api/v1/catalog/settings": {
    body: () => ({ name: "Renamed", settings: { default_brand: "Kiln" } }),
    target: ({ shop }) => ({ type: "catalog", id: shop.slug, fields: ["name", "settings.default_brand"] }),
  },
  "PATCH /api/v1/publish-guard": {
    body: () => ({ enabled: true, limits: { items_removed: 0.6, image_host: "off" } }),
    target: () => ({
      type: "publish-guard",
      fields: ["enabled", "limits.items_removed", "limits.image_host"],
    }),
  },
  "POST /api/v1/keys": {
    body: () => ({ name: "export", scopes: ["read"] }),
    target: ({ keyId }) => ({ type: "key", id: keyId, fields: ["scope read"] }),
  },
  "DELETE /api/v1/keys": {
    body: ({ keyId }) => ({ id: keyId }),
    target: ({ keyId }) => ({ type: "key", id: keyId, fields: ["revoked"] }),
  },
};
const ELSEWHERE = [
  // Change nothing in a catalog.
  "POST /api/v1/sources/test",
  "POST /api/v1/destinations/test",
  "POST /api/v1/alerts/test",
  "POST /api/v1/catalog/preview",
  "POST /api/v1/session",
  // Needs an operator key: sessions.test.ts.
  "POST /api/v1/catalogs",
  "DELETE /api/v1/session",
  // proposals.test.ts: they need a proposal.
  "POST /api/v1/proposals/approve",
  "POST /api/v1/proposals/reject",
  "POST /api/v1/proposals/withdraw",
  // held-renders.test.ts: they need a held render.
  "POST /api/v1/renders/promote",
  "POST /api/v1/renders/discard",
  // rollback.test.ts
  "POST /api/v1/renders/rollback",
  "POST /api/v1/renders/release",
  // Have tests of their own: the first deletes the log too, the second needs a run that does not end.
  "DELETE /api/v1/catalog",
  "POST /api/v1/syncs/{id}/cancel",
  // remove-items.test.ts
  "DELETE /api/v1/items",
  // Is for a restored copy only: restored.test.ts.
  "POST /api/v1/installation/resume",
];

test("every API call that can change something is tested here", async () => {
  const { paths } = (await api.ask("/api/v1/openapi.json")).json as { paths: Record<string, object> };
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== "get")
      .map((method) => `${method.toUpperCase()} ${path}`),
  );

  assert.deepEqual(calls.toSorted(), [...Object.keys(TRIALS), ...ELSEWHERE].toSorted());
});

test("every call that changes something writes one row with the actor, the change and the request", async () => {
  const shop = await api.openShop(mugs(2));
  const described = await describedBy(api);
  const url = receiver.on("/changes", answer(200));
  const made: Made = { shop, url, sourceId: "", webhookId: "", destinationId: "", deliveryId: "", keyId: "" };
  const { key: owner } = await createKey(api.db, {
    catalogId: shop.id,
    name: "owner",
    scopes: ["read", "write", "admin"],
    expiresAt: null,
  });
  const secrets = [PASSWORD, TITLE, owner, shop.key, shop.readKey, url];

  for (const [call, { body, target, isRun = false }] of Object.entries(TRIALS)) {
    const [method = "", path = ""] = call.split(" ");
    if (call.endsWith("/resend")) made.deliveryId = await deliveryOf(shop);
    const before = (await pageOf(shop)).changes.length;
    const requestId = `request-${before}`;
    const done = await shop.call(path, {
      method: method as "POST",
      headers: { "x-request-id": requestId, authorization: `Bearer ${owner}` },
      body: body(made),
    });
    assert.ok(done.status < 300, `${call}: ${done.text}`);
    const data = (done.json as { data: Record<string, string> }).data;
    if (call === "POST /api/v1/sources") made.sourceId = data["id"] ?? "";
    if (call === "POST /api/v1/webhooks") made.webhookId = data["id"] ?? "";
    if (call === "POST /api/v1/destinations") made.destinationId = data["id"] ?? "";
    if (call === "POST /api/v1/keys") made.keyId = data["id"] ?? "";
    if (data["secret"] !== undefined) secrets.push(data["secret"]);

    const { changes } = await pageOf(shop);
    const [change] = changes;
    assert.equal(changes.length, before + 1, call);
    assert.ok(change);
    assert.equal(change.call, call);
    assert.deepEqual(change.target, { id: null, fields: [], ...target(made) }, call);
    assert.equal(change.request_id, requestId);
    assert.equal(change.run_id !== null, isRun, call);
    assert.equal(change.by.kind, "key");
    assert.ok(change.by.key_id !== null && owner.startsWith(change.by.key?.slice(0, -1) ?? "?"), call);
    assert.ok(Math.abs(Date.parse(change.at) - Date.now()) < 60_000);
  }

  described("GET /api/v1/changes", await shop.call("/api/v1/changes"));
  const { feeds } = await shop.feeds();
  secrets.push(/\/f\/[^/]+\/([^/]+)\//.exec(feeds[0]?.url ?? "")?.[1] ?? "");
  const rows = (await dump(api.db))["changes"] ?? "";
  assert.ok(rows.includes(made.sourceId));
  for (const secret of secrets) assert.ok(secret.length > 5 && !rows.includes(secret), secret);
});

async function deliveryOf(shop: Shop): Promise<string> {
  const event = { source_id: shop.sourceId };
  await shop.call("/api/v1/syncs", { method: "POST", body: event });
  type Log = { data: { deliveries: { id: string; state: string }[] } };
  const log = "/api/v1/webhooks/deliveries?event=sync.completed&state=delivered";
  return until(
    async () => ((await shop.call(log)).json as Log).data.deliveries[0]?.id,
    "a delivery to send again",
  );
}

test("a call that is refused, and one that changes nothing, leave no row", async () => {
  const shop = await api.openShop(mugs(1));
  const post = async (path: string, body: object, headers = {}): Promise<Answer> =>
    shop.call(path, { method: "POST", body, headers });
  const nowhere = "01a1ddb2-a7e6-7180-883b-d068360d753f";

  const refused = [
    await post("/api/v1/sources", { kind: "nothing", settings: {} }),
    await post("/api/v1/syncs", { source_id: nowhere }),
    await post("/api/v1/webhooks/rotate", { id: nowhere }),
    await post("/api/v1/webhooks", { url: "https://10.0.0.1/", events: ["sync.completed"] }),
    await post("/api/v1/feeds/rotate", {}, { authorization: `Bearer ${shop.readKey}` }),
    await shop.call("/api/v1/webhooks", { method: "DELETE", body: { id: nowhere } }),
    await shop.call("/api/v1/sources", { method: "DELETE", body: { id: nowhere, items: "keep" } }),
  ];
  const tried = await post("/api/v1/sources/test", { id: shop.sourceId });

  for (const { status, text } of refused) assert.ok(status >= 400, text);
  assert.equal(tried.status, 200);
  assert.deepEqual((await pageOf(shop)).changes, []);
});

test("a push that fails has a row that says so", async () => {
  const shop = await api.openShop();
  const push = async (body: unknown) => shop.call("/api/v1/catalog", { method: "PATCH", body });

  assert.equal((await push({ products: [] })).status, 200);
  assert.equal((await push({ products: 7 })).status, 400);

  const { changes } = await pageOf(shop);
  assert.deepEqual(
    changes.filter(({ call }) => call.startsWith("PATCH")).map(({ run_status: status }) => status),
    ["failed", "succeeded"],
  );
});

test("the list has pages, is of one catalog only, and needs the scope read", async () => {
  const shop = await api.openShop();
  const other = await api.openShop();
  for (const { call, sourceId } of [shop, shop, shop, other, shop])
    await call("/api/v1/sources", { method: "PATCH", body: { id: sourceId, name: "New" } });

  const all = (await pageOf(shop)).changes;
  const first = await pageOf(shop, "?limit=3");
  const rest = await pageOf(shop, `?limit=3&cursor=${first.next_cursor}`);

  assert.equal(all.length, 4);
  assert.deepEqual([...first.changes, ...rest.changes], all);
  assert.deepEqual([first.changes.length, rest.next_cursor], [3, null]);
  assert.deepEqual(
    all.map(({ id }) => id),
    all.map(({ id }) => id).toSorted((a, b) => (a < b ? 1 : -1)),
  );
  for (const cursor of ["nonsense", Buffer.from('["x"]').toString("base64url")])
    assertProblem(await shop.call(`/api/v1/changes?cursor=${cursor}`), 400, "invalid_request");
  const { key } = await createKey(api.db, {
    catalogId: shop.id,
    name: "writer",
    scopes: ["write"],
    expiresAt: null,
  });
  const writer = { authorization: `Bearer ${key}` };
  assertProblem(await shop.call("/api/v1/changes", { headers: writer }), 403, "insufficient_scope");
});

test("a row of the change log cannot be updated, and one of a run is deleted with its run", async () => {
  const shop = await api.openShop(mugs(1));
  assert.equal((await shop.sync()).status, 200);
  await shop.call("/api/v1/sources", { method: "PATCH", body: { id: shop.sourceId, name: "New" } });

  await assert.rejects(
    api.db.execute(sql`update changes set call = 'nothing' where catalog_id = ${shop.id}`),
    /never updated/,
  );
  await api.db.execute(sql`delete from runs where catalog_id = ${shop.id}`);

  assert.deepEqual(
    (await pageOf(shop)).changes.map(({ call }) => call),
    ["PATCH /api/v1/sources"],
  );
});

/** A shop whose export breaks: what the API answers while a render is held, and the decisions about it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ItemExplanation } from "../../src/contract/explain.ts";
import type { FeedsAnswer } from "../../src/contract/feeds.ts";
import type { ItemAnswer } from "../../src/contract/items.ts";
import type { PublishGuardAnswer } from "../../src/contract/publish-guard.ts";
import type { RenderDetail } from "../../src/contract/renders.ts";
import type { SyncedAnswer } from "../../src/contract/syncs.ts";
import { createKey } from "../../src/setup/keys.ts";
import { until } from "../actions.ts";
import { closeAfterTests } from "../close-after.ts";
import { dataOf } from "./answer-data.ts";
import { describedBy } from "./described.ts";
import { assertProblem } from "./problem.ts";
import { renderIsStuck, whileNoRenderCanFinish } from "./renders.ts";
import { csv, mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());
const assertDescribed = await describedBy(api);

const FREE = mugs(30).map((row) => ({ ...row, price: "0.00 USD" }));

/** All prices of a published shop turn to zero. */
async function brokenShop() {
  const shop = await api.openShop(mugs(30));
  await shop.sync();
  const before = await shop.fetch("gmc.tsv");
  shop.sells(FREE);
  // The items are stored: the sync itself succeeds.
  const synced = await shop.sync({}, { guard: "hold" });
  assert.equal(synced.status, 200);
  assertDescribed("POST /api/v1/syncs", synced);
  const { held } = dataOf<FeedsAnswer["data"]>(await shop.call("/api/v1/feeds"));
  return { shop, before, synced, runId: held?.run_id ?? "" };
}

const decide = async (shop: Shop, what: string, body: object): Promise<Answer> => {
  const answer = await shop.call(`/api/v1/renders/${what}`, { method: "POST", body });
  if (answer.status < 300) assertDescribed(`POST /api/v1/renders/${what}`, answer);
  return answer;
};

async function statusOf(
  shop: Shop,
): Promise<{ state: string; action: object | null; attention: { code: string; message: string }[] }> {
  return dataOf(await shop.call("/api/v1/catalog/status"));
}

type RunList = { runs: { run_id: string; render_state: string | null }[] };
type Changes = { changes: { call: string; target: { type: string; id: string; fields: string[] } }[] };

test("while a render is held, the sync, the URLs, the status, the renders and a new render say so", async () => {
  const { shop, before, synced, runId } = await brokenShop();

  const { render_error: renderError } = dataOf<SyncedAnswer["data"]>(synced).stats;
  assert.equal(renderError?.code, "render_held");
  assert.match(renderError.message, /30 of 30 items cost nothing/);

  assert.equal((await shop.fetch("gmc.tsv")).headers.etag, before.headers.etag);
  const feeds = await shop.call("/api/v1/feeds");
  assertDescribed("GET /api/v1/feeds", feeds);
  const { last_render, held } = dataOf<FeedsAnswer["data"]>(feeds);
  assert.notEqual(last_render?.run_id, runId);
  assert.equal(held?.exceeded[0]?.signal, "price_zero");

  const render = await shop.call(`/api/v1/renders/${runId}`);
  assertDescribed("GET /api/v1/renders/{id}", render);
  const { state, status, error, files, decision } = dataOf<RenderDetail>(render);
  assert.deepEqual(
    [state, status, error?.code, files.length, decision],
    ["held", "succeeded", undefined, 4, null],
  );

  const { state: health, action, attention } = await statusOf(shop);
  assert.equal(health, "failing");
  assert.deepEqual(action, { kind: "open_render", target: runId });
  assert.deepEqual(
    attention.map(({ code }) => code).filter((code) => code.startsWith("render_")),
    ["render_held"],
  );
  assert.match(attention[0]?.message ?? "", /30 of 30 items cost nothing.* Promote or discard the render\./);

  const again = await shop.call("/api/v1/feeds", { method: "POST", body: { guard: "hold" } });
  assertProblem(again, 422, "render_held");
  type Problem = {
    exceeded: { signal: string; before: number; after: number }[];
    run_id: string;
    detail: string;
  };
  const { exceeded, run_id, detail } = again.json as Problem;
  const [first] = exceeded;
  assert.deepEqual([first?.signal, first?.before, first?.after], ["price_zero", 0, 30]);
  assert.notEqual(run_id, runId);
  assert.match(
    detail,
    /^The new files were not published, and the published ones stay: 30 of 30 items cost nothing/,
  );
});

test("a push of a program is held; an upload that a person has previewed is published, with the limits in its answer", async () => {
  const shop = await api.openShop();
  const headers = { "content-type": "text/csv" };
  const push = async (rows: typeof FREE, query: string) =>
    dataOf<SyncedAnswer["data"]>(
      await shop.call(`/api/v1/catalog${query}`, { method: "PUT", headers, body: csv(rows) }),
    ).stats;
  await push(
    mugs(30).map((row) => ({ price: "9.50 USD", ...row })),
    "",
  );

  const held = await push(FREE, "");
  const published = await push(FREE, "?guard=publish");

  assert.equal(held.render_error?.code, "render_held");
  assert.equal(published.render_error, undefined);
  assert.equal(published.guard?.exceeded[0]?.signal, "price_zero");
  assert.match((await shop.fetch("gmc.tsv")).text, /0\.00 USD/);
});

test("a decision needs a reason and a held render of this catalog, and is in the change log", async () => {
  const { shop, runId } = await brokenShop();
  const other = await api.openShop();
  assertProblem(await decide(shop, "promote", { run_id: runId, reason: "  " }), 400, "invalid_request");
  assertProblem(await decide(other, "promote", { run_id: runId, reason: "Mine." }), 404, "not_found");
  const published = (await shop.feeds()).last_render?.run_id;
  assertProblem(await decide(shop, "discard", { run_id: published, reason: "No." }), 409, "conflict");

  const reason = "All of it is a gift.";
  const { decision, state } = dataOf<RenderDetail>(await decide(shop, "promote", { run_id: runId, reason }));

  assert.deepEqual([state, decision?.reason], ["published", reason]);
  const { last_render, held } = await shop.feeds();
  assert.deepEqual([last_render?.run_id, held], [runId, undefined]);
  assert.equal(
    (await statusOf(shop)).attention.some(({ code }) => code === "render_held"),
    false,
  );
  const { changes } = dataOf<Changes>(await shop.call("/api/v1/changes"));
  assert.deepEqual(changes[0]?.target, { type: "render", id: runId, fields: ["published"] });
});

test("a discarded render leaves the files, and the next good sync publishes", async () => {
  const { shop, before, runId } = await brokenShop();
  const body = { run_id: runId, reason: "The export is broken." };
  const listed = async () => {
    const { runs } = dataOf<RunList>(await shop.call("/api/v1/runs?kind=render"));
    return runs.find(({ run_id: id }) => id === runId)?.render_state;
  };
  assert.equal(await listed(), "held");
  assert.equal(dataOf<RenderDetail>(await decide(shop, "discard", body)).state, "discarded");
  // The list of runs knows of the decision, although the run itself ended as a held one.
  assert.equal(await listed(), "discarded");
  assertProblem(await decide(shop, "discard", body), 409, "conflict");
  assert.equal((await shop.fetch("gmc.tsv")).headers.etag, before.headers.etag);
  shop.sells(mugs(31));
  await shop.sync();
  const { text } = await shop.fetch("gmc.tsv");
  assert.match(text, /mug-031/);
  const { changes } = dataOf<Changes>(await shop.call("/api/v1/changes"));
  assert.deepEqual(
    changes.map(({ target }) => target.fields.join(" ")).filter((fields) => fields !== ""),
    ["discarded"],
  );
  assertProblem(await decide(shop, "promote", body), 409, "conflict");
});

test("while files are held and after they were discarded, feeds, status and items say what the served files lack", async () => {
  const { shop, runId } = await brokenShop();
  const itemOf = async (id: string) => {
    const answer = await shop.call(`/api/v1/items/${id}`);
    assertDescribed("GET /api/v1/items/{id}", answer);
    return dataOf<ItemAnswer["data"]>(answer).published;
  };
  const priceOf = async () => {
    const { is_current: isCurrent, differences } = (await itemOf("mug-001")) ?? assert.fail("not published");
    const price = differences?.find(({ file, field }) => file === "gmc.tsv" && field === "price");
    return [isCurrent, price?.served, price?.catalog];
  };
  assert.equal((await shop.feeds()).behind?.reason, "held");
  assert.deepEqual(await priceOf(), [false, "9.50 USD", "0.00 USD"]);

  dataOf(await decide(shop, "discard", { run_id: runId, reason: "The export is broken." }));

  const feeds = await shop.call("/api/v1/feeds");
  assertDescribed("GET /api/v1/feeds", feeds);
  const { behind } = dataOf<FeedsAnswer["data"]>(feeds);
  assert.deepEqual([behind?.reason, behind?.run_id], ["discarded", runId]);
  assert.deepEqual(await priceOf(), [false, "9.50 USD", "0.00 USD"]);
  const { state, action, attention } = await statusOf(shop);
  assert.deepEqual([state, action], ["attention", { kind: "open_render", target: runId }]);
  assert.equal(attention[0]?.code, "feeds_outdated");
  assert.match(
    attention[0].message,
    /New files were discarded .* The feeds still serve the files from .*The export is broken/,
  );
  const explained = await shop.call("/api/v1/items/mug-001/explain");
  assertDescribed("GET /api/v1/items/{id}/explain", explained);
  const { published } = dataOf<ItemExplanation>(explained);
  assert.deepEqual(published, await itemOf("mug-001"));

  // A new item is not in the served files, whatever became of the others.
  shop.sells([...FREE, ...mugs(31).slice(30)]);
  await shop.sync({}, { guard: "hold" });
  assert.deepEqual(
    (await itemOf("mug-031"))?.differences?.map(({ field, is_served: isServed }) => [field, isServed]),
    [null, null, null, null].map((field) => [field, false]),
  );

  shop.sells(mugs(31));
  await shop.sync();
  assert.deepEqual([await priceOf(), (await shop.feeds()).behind], [[true, undefined, undefined], undefined]);
  assert.equal((await statusOf(shop)).state, "ok");
});

test("the newest render can be promoted even if it was discarded by mistake", async () => {
  const { shop, before, runId } = await brokenShop();
  await decide(shop, "discard", { run_id: runId, reason: "Looks wrong." });
  const promoted = await decide(shop, "promote", { run_id: runId, reason: "The items are free of charge." });
  assert.equal(dataOf<RenderDetail>(promoted).state, "published");
  assert.equal(dataOf<RenderDetail>(promoted).decision?.reason, "The items are free of charge.");
  assert.notEqual((await shop.fetch("gmc.tsv")).headers.etag, before.headers.etag);
});

test("the limits can be read, changed, switched off and set back", async () => {
  const shop = await api.openShop();
  const { key } = await createKey(api.db, {
    catalogId: shop.id,
    name: "owner",
    scopes: ["admin"],
    expiresAt: null,
  });
  const change = async (body: object): Promise<Answer> =>
    shop.call("/api/v1/publish-guard", {
      method: "PATCH",
      headers: { authorization: `Bearer ${key}` },
      body,
    });
  const limitOf = (answer: Answer, name: string) =>
    dataOf<PublishGuardAnswer["data"]>(answer).limits.find(({ signal }) => signal === name);
  const first = await shop.call("/api/v1/publish-guard");
  assertDescribed("GET /api/v1/publish-guard", first);
  const byDefault = limitOf(first, "items_removed")?.default;

  const changed = await change({ limits: { items_removed: 0.6, price_median: "off" } });
  assertDescribed("PATCH /api/v1/publish-guard", changed);
  assert.deepEqual(
    [limitOf(changed, "items_removed")?.limit, limitOf(changed, "price_median")?.limit],
    [0.6, null],
  );
  const back = await change({ enabled: false, limits: { items_removed: null } });
  assert.deepEqual(
    [limitOf(back, "items_removed")?.limit, limitOf(back, "price_median")?.limit],
    [byDefault, null],
  );
  assert.equal(dataOf<PublishGuardAnswer["data"]>(back).enabled, false);
  assertProblem(await change({ limits: { nothing: 1 } }), 400, "invalid_request");
  const below = assertProblem(await change({ limits: { price_median: 0.5 } }), 400, "invalid_request");
  assert.match(below.detail, /price_median is a factor: 1 or more/);
  const above = assertProblem(await change({ limits: { back_in_stock: 1.5 } }), 400, "invalid_request");
  assert.match(above.detail, /back_in_stock is a share of items: from 0 % to less than 100 %/);
  assert.deepEqual(
    (above as unknown as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer),
    ["/limits/back_in_stock"],
  );
  assert.equal(
    (await change({ limits: { items_added: 5 } })).status,
    200,
    "a shop can become six times as large",
  );
  assertProblem(
    await shop.call("/api/v1/publish-guard", { method: "PATCH", body: { enabled: true } }),
    403,
    "insufficient_scope",
  );
});

test("a render during which another one is promoted is compared with that one", async () => {
  const { shop, runId } = await brokenShop();
  const { promoting, rendering } = await whileNoRenderCanFinish(api.db, async () => {
    const first = decide(shop, "promote", { run_id: runId, reason: "All of it is a gift." });
    // From here on it has the lock of the catalog, without which no render can end.
    await renderIsStuck(api.db);
    const work = {
      promoting: first,
      rendering: shop.call("/api/v1/feeds", { method: "POST", body: { guard: "hold" } }),
    };
    await until(isCatalogAwaited, "the render to be compared with the files that are still published");
    return work;
  });
  assert.equal((await promoting).status, 200);
  assert.equal((await rendering).status, 200);
  assert.equal((await shop.feeds()).held, undefined);
});

/** A session waits for the row of a catalog, which another one has locked. */
async function isCatalogAwaited(): Promise<boolean> {
  const waiting = await api.db.query<{ query: string }>({
    text: "select query from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    values: [],
  });
  return waiting.some(({ query }) => query.includes("update catalogs"));
}

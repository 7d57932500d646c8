/** Calls in the contract's own form publish whatever the caller's shop has; the publish guard holds unattended work. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FeedsAnswer } from "../../src/contract/feeds.ts";
import type { RenderDetail } from "../../src/contract/renders.ts";
import type { SyncedAnswer } from "../../src/contract/syncs.ts";
import { enqueueRun } from "../../src/store/runs.ts";
import { newId } from "../../src/lib/id.ts";
import { createKey } from "../../src/setup/keys.ts";
import { closeAfterTests } from "../close-after.ts";
import { dataOf } from "./answer-data.ts";
import { describedBy } from "./described.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { ask, runningApi } from "./running-api.ts";
import type { Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());
const assertDescribed = await describedBy(api);

const free = (count: number) => mugs(count).map((row) => ({ ...row, price: "0.00 USD" }));

type Status = { state: string; attention: { code: string; message: string; action: { target: string } }[] };
const statusOf = async (shop: Shop) => dataOf<Status>(await shop.call("/api/v1/catalog/status"));
const isFree = async (shop: Shop) => (await shop.fetch("gmc.tsv")).text.includes("\t0.00 USD");

/** A published shop of so many items, whose prices then turn to zero. */
async function freeShop(count: number): Promise<Shop> {
  const shop = await api.openShop(mugs(count));
  await shop.sync();
  shop.sells(free(count));
  return shop;
}

test("a plain sync publishes files that exceed limits, and answer, feeds, status and render name the limits", async () => {
  const shop = await freeShop(30);

  const synced = await shop.sync();

  assertDescribed("POST /api/v1/syncs", synced);
  const { data } = synced.json as SyncedAnswer;
  assert.deepEqual(Object.keys(data), ["run_id", "stats"]);
  assert.match(data.stats.guard?.exceeded[0]?.message ?? "", /30 of 30 items cost nothing/);
  assert.equal(data.stats.render_error, undefined);
  assert.equal(await isFree(shop), true);
  const feeds = await shop.call("/api/v1/feeds");
  assertDescribed("GET /api/v1/feeds", feeds);
  const { last_render: render, held } = dataOf<FeedsAnswer["data"]>(feeds);
  assert.equal(held, undefined);
  assert.equal(render?.stats.guard?.exceeded[0]?.signal, "price_zero");
  const { state, status, exceeded } = dataOf<RenderDetail>(
    await shop.call(`/api/v1/renders/${render.run_id}`),
  );
  assert.deepEqual([state, status, exceeded[0]?.signal], ["published", "succeeded", "price_zero"]);
  const { state: health, attention } = await statusOf(shop);
  const entry = attention.find(({ code }) => code === "limits_exceeded");
  assert.equal(health, "attention");
  assert.match(entry?.message ?? "", /30 of 30 items cost nothing.*roll back/);
  assert.equal(entry?.action.target, render.run_id);
});

test("the note stays while the same files are served, and ends with the next files inside the limits", async () => {
  const shop = await freeShop(30);
  await shop.sync();

  const again = (await shop.sync()).json as SyncedAnswer;
  assert.equal(again.data.stats.guard, undefined);
  assert.ok((await statusOf(shop)).attention.some(({ code }) => code === "limits_exceeded"));

  shop.sells([...free(30), ...mugs(31).slice(30)]);
  await shop.sync();
  assert.ok(!(await statusOf(shop)).attention.some(({ code }) => code === "limits_exceeded"));
});

test("one call rolls a published accident back", async () => {
  const shop = await api.openShop(mugs(30));
  await shop.sync();
  const { last_render: good } = await shop.feeds();
  shop.sells(free(30));
  await shop.sync();

  const body = { run_id: good?.run_id, reason: "The prices are wrong." };
  const back = await shop.call("/api/v1/renders/rollback", { method: "POST", body });

  assert.equal(back.status, 200, back.text);
  assert.equal(await isFree(shop), false);
});

test("a plain render publishes, and one with guard: hold is held", async () => {
  const shop = await freeShop(30);
  await shop.sync({}, { guard: "hold" });
  assert.equal(await isFree(shop), false);

  const held = await shop.call("/api/v1/feeds", { method: "POST", body: { guard: "hold" } });
  assertProblem(held, 422, "render_held");
  const plain = await shop.call("/api/v1/feeds", { method: "POST" });

  assert.equal(plain.status, 200, plain.text);
  assertDescribed("POST /api/v1/feeds", plain);
  assert.equal(
    dataOf<FeedsAnswer["data"]>(plain).last_render?.stats.guard?.exceeded[0]?.signal,
    "price_zero",
  );
  assert.equal(await isFree(shop), true);
});

test("with plain_calls: hold, plain calls are held too, and guard: publish publishes", async () => {
  const shop = await freeShop(30);
  const owner = { catalogId: shop.id, name: "owner", scopes: ["admin"], expiresAt: null } as const;
  const { key } = await createKey(api.db, owner);
  const set = await shop.call("/api/v1/publish-guard", {
    method: "PATCH",
    headers: { authorization: `Bearer ${key}` },
    body: { plain_calls: "hold" },
  });
  assertDescribed("PATCH /api/v1/publish-guard", set);
  assert.equal(dataOf<{ plain_calls: string }>(set).plain_calls, "hold");

  const { data } = (await shop.sync()).json as SyncedAnswer;
  assert.equal(data.stats.render_error?.code, "render_held");
  assert.equal(await isFree(shop), false);

  await shop.sync({}, { guard: "publish" });
  assert.equal(await isFree(shop), true);
});

for (const { count, isHeld } of [
  { count: 24, isHeld: false },
  { count: 25, isHeld: true },
]) {
  test(`a scheduled sync of a catalog of ${count} items is ${isHeld ? "held" : "published"} outside a limit`, async () => {
    const shop = await freeShop(count);
    const run = { id: newId(), catalogId: shop.id, sourceId: shop.sourceId } as const;
    await enqueueRun(api.db, { ...run, kind: "sync", cause: "schedule" });
    await api.ended(run.id);

    assert.equal(await isFree(shop), !isHeld);
    const codes = (await statusOf(shop)).attention.map(({ code }) => code);
    assert.ok(codes.includes(isHeld ? "render_held" : "limits_exceeded"), codes.join());
  });
}

test("a plain sync publishes what a scheduled one has left held", async () => {
  const shop = await freeShop(30);
  const run = { id: newId(), catalogId: shop.id, sourceId: shop.sourceId } as const;
  await enqueueRun(api.db, { ...run, kind: "sync", cause: "schedule" });
  await api.ended(run.id);
  assert.equal(await isFree(shop), false);

  assert.equal((await shop.sync()).status, 200);

  assert.equal(await isFree(shop), true);
  assert.equal(dataOf<FeedsAnswer["data"]>(await shop.call("/api/v1/feeds")).held, undefined);
});

test("an empty body of any content type is no body, and one that is not empty must be JSON", async () => {
  const shop = await api.openShop(mugs(1));
  await shop.sync();
  for (const type of [
    "application/x-www-form-urlencoded",
    "text/plain",
    "application/json",
    "a/b",
    "application/xml",
    "bogus",
  ]) {
    const headers = { authorization: `Bearer ${shop.key}`, "content-type": type };
    const answer = await ask(`${api.url}/api/v1/feeds`, { method: "POST", headers, body: "" });
    assert.equal(answer.status, 200, `${type}: ${answer.text}`);
  }
  const headers = { authorization: `Bearer ${shop.key}`, "content-type": "text/plain" };
  assertProblem(
    await ask(`${api.url}/api/v1/feeds`, { method: "POST", headers, body: "{}" }),
    415,
    "unsupported_media_type",
  );
});

test("the calls of the contract ignore fields and parameters that they do not know", async () => {
  const shop = await api.openShop(mugs(1));

  assert.equal((await shop.sync({}, { force: true, mode: "full" })).status, 200);
  for (const body of [{ force: true }, "null"])
    assert.equal(
      (
        await shop.call("/api/v1/feeds?force=1", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
        })
      ).status,
      200,
    );
  const hook = {
    url: "https://hooks.example.com/x",
    events: ["sync.completed"],
    description: "mine",
    active: true,
  };
  const registered = await shop.call("/api/v1/webhooks", { method: "POST", body: hook });
  assert.equal(registered.status, 201, registered.text);
  const { id } = dataOf<{ id: string }>(registered);
  assert.equal(
    (await shop.call("/api/v1/webhooks", { method: "DELETE", body: { id, why: "x" } })).status,
    200,
  );
});

test("an address with a slash at its end is the same address", async () => {
  const shop = await api.openShop(mugs(1));
  assert.equal(
    (await shop.call("/api/v1/syncs/", { method: "POST", body: { source_id: shop.sourceId } })).status,
    200,
  );
  assert.equal((await shop.call("/api/v1/feeds/", { method: "POST" })).status, 200);
  for (const path of ["/api/v1/feeds/", "/api/v1/syncs/", "/api/v1/webhooks/"])
    assert.equal((await shop.call(path)).status, 200, path);
});

test("a failed run of the history has the contract's six fields, and its reason in the statistics", async () => {
  const shop = await api.openShop([]);
  shop.answers({ kind: "file", status: 500, body: "" });
  assert.equal((await shop.sync()).status, 422);

  const [run] = dataOf<{ syncs: Record<string, unknown>[] }>(await shop.call("/api/v1/syncs")).syncs;
  const fields = ["run_id", "source_id", "status", "stats", "started_at", "finished_at"];
  assert.ok(run);
  assert.deepEqual(Object.keys(run).sort(), fields.sort());
  const { error } = run["stats"] as { error: { code: string; message: string } };
  assert.ok(error.code && error.message);
  const detail = dataOf<{ error: object }>(await shop.call(`/api/v1/syncs/${String(run["run_id"])}`));
  assert.deepEqual(detail.error, error);
});

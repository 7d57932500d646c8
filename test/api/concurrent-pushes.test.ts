/** Pushes of single items by many callers at once, over real HTTP. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SyncStats } from "../../src/contract/syncs.ts";
import { itemIds, runsOf, startWorker, until } from "../actions.ts";
import { assertProblem } from "./problem.ts";
import { type Answer, runningApi, type Shop } from "./running-api.ts";

const product = (id: string): object => ({
  id,
  title: `Mug ${id}`,
  link: `https://shop.example/p/${id}`,
  price: "9.50 USD",
});

const patch = (shop: Shop, rows: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  shop.call("/api/v1/catalog", { method: "PATCH", body: rows, headers });

function done({ status, text, json }: Answer): { readonly run_id: string; readonly stats: SyncStats } {
  assert.equal(status, 200, text);
  return (json as { data: { run_id: string; stats: SyncStats } }).data;
}

test("200 PATCHes of one item at the same time are all stored, each with its own run and counts", async () => {
  await using api = await runningApi();
  const shop = await api.openShop();
  const ids = Array.from({ length: 200 }, (_, i) => `p-${String(i).padStart(3, "0")}`);

  const answers = (await Promise.all(ids.map((id) => patch(shop, [product(id)])))).map(done);

  for (const { stats } of answers) {
    const { seen, upserted, unchanged, rejected } = stats;
    assert.deepEqual(
      { seen, upserted, unchanged, rejected },
      { seen: 1, upserted: 1, unchanged: 0, rejected: 0 },
    );
  }
  assert.equal(new Set(answers.map(({ run_id }) => run_id)).size, 200);
  assert.deepEqual(await itemIds(api.db, shop.id), ids);
  const runs = await runsOf(api.db, shop.id);
  assert.equal(runs.filter(({ cause, state }) => cause === "push" && state === "succeeded").length, 200);
  assert.ok(runs.filter(({ kind }) => kind === "render").length < 100, "renders are shared");
  assert.equal((await shop.fetch("acp.csv")).text.match(/Mug p-/g)?.length, 200);
  const sync = (await shop.call(`/api/v1/syncs/${answers.at(-1)?.run_id}`)).json as {
    data: { render_run_id: string };
  };
  assert.ok(runs.some(({ id, kind }) => kind === "render" && id === sync.data.render_run_id));
});

test("the comparison of two renders names the push that changed an item, although others share the render", async () => {
  await using api = await runningApi({ hasWorker: false });
  const shop = await api.openShop();
  const send = async (rows: unknown): Promise<string> => {
    const answer = await patch(shop, rows, { prefer: "respond-async" });
    assert.equal(answer.status, 202, answer.text);
    return (answer.json as { data: { run_id: string } }).data.run_id;
  };
  await using worker = startWorker(api);
  const first = await send([product("a"), product("b")]);
  await api.ended(first);
  await worker.stop();
  const [a, b] = [await send([{ id: "a", price: "8.00 USD" }]), await send([{ id: "b", price: "7.00 USD" }])];
  await using again = startWorker(api);
  await Promise.all([a, b].map(api.ended));
  await again.stop();

  const renders = (await runsOf(api.db, shop.id)).filter(({ kind }) => kind === "render").map(({ id }) => id);
  assert.equal(renders.length, 2);
  const compared = await shop.call(`/api/v1/renders/${renders[0]}/compare/${renders[1]}`);
  assert.equal(compared.status, 200, compared.text);
  const { data } = compared.json as {
    data: { items: { item_id: string; differences: { cause: { run_id?: string } }[] }[] };
  };
  assert.deepEqual(
    data.items.map(({ item_id, differences }) => [item_id, differences[0]?.cause.run_id]),
    [
      ["a", a],
      ["b", b],
    ],
  );
});

test("calls with the same Idempotency-Key that wait at the same time run once", async () => {
  await using api = await runningApi({ hasWorker: false });
  const shop = await api.openShop();
  const key = { "idempotency-key": "k" };
  const calls = [
    patch(shop, [product("a")], key),
    patch(shop, [product("a")], key),
    patch(shop, [product("b")]),
  ] as const;
  await until(async () => (await runsOf(api.db, shop.id)).length === 2, "both pushes to wait");

  await using worker = startWorker(api);
  const [first, second, other] = [done(await calls[0]), done(await calls[1]), done(await calls[2])];
  const conflict = await patch(shop, [product("c")], key);
  await worker.stop();

  assert.equal(first.run_id, second.run_id);
  assert.notEqual(other.run_id, first.run_id);
  assertProblem(conflict, 422, "idempotency_conflict");
  assert.deepEqual(await itemIds(api.db, shop.id), ["a", "b"]);
});

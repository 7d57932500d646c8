/** One run by its id: the ledger, what was rejected, the same as a table, and canceling it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import type { IssuesAnswer, Run, RunsAnswer, SyncDetail } from "../../src/contract/runs.ts";
import type { Wire } from "../../src/contract/shapes.ts";
import { heldFeed } from "../fakes/held-feed.ts";
import { allPages, dataOf } from "./answer-data.ts";
import { describedBy } from "./described.ts";
import { assertProblem } from "./problem.ts";
import { csv, mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";
import { isLong } from "../long.ts";

type Issues = Wire<typeof IssuesAnswer>["data"];

const api = closeAfterTests(await runningApi());
const assertDescribed = await describedBy(api);

async function syncNow(shop: Shop): Promise<string> {
  return dataOf<{ run_id: string }>(await shop.sync()).run_id;
}

const badRows = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `bad-${i + 1}`, price: "free" }));

test("a run has its ledger, its cause and the render after it", async () => {
  const shop = await api.openShop([...mugs(3), ...badRows(2)]);
  const runId = await syncNow(shop);

  const answer = await shop.call(`/api/v1/syncs/${runId}`);

  assertDescribed("GET /api/v1/syncs/{id}", answer);
  const sync = dataOf<SyncDetail>(answer);
  const { seen, upserted, unchanged, rejected } = sync.stats;
  assert.deepEqual([sync.run_id, sync.status, sync.cause, sync.phase], [runId, "succeeded", "request", null]);
  assert.deepEqual([seen, upserted, unchanged, rejected], [5, 3, 0, 2]);
  const render = await shop.call(`/api/v1/runs/${sync.render_run_id}`);
  assertDescribed("GET /api/v1/runs/{id}", render);
  const { kind, status, done, cause_run_id } = dataOf<Run>(render);
  assert.deepEqual(
    { kind, status, done, cause_run_id },
    { kind: "render", status: "succeeded", done: 3, cause_run_id: runId },
  );
});

test("the history has every run with its cause and counts, by kind, status and source, in pages", async () => {
  const shop = await api.openShop([...mugs(3), ...badRows(2)]);
  const runId = await syncNow(shop);
  shop.answers({ kind: "file", status: 404, body: "" });
  await shop.sync();
  const body = { products: [{ id: "p", title: "P", link: "https://shop.example/p", price: "1.00 USD" }] };
  const pushed = await shop.call("/api/v1/catalog", { method: "PUT", body });
  const ask = async (query: string) => {
    const answer = await shop.call(`/api/v1/runs?${query}`);
    assertDescribed("GET /api/v1/runs", answer);
    return dataOf<Wire<typeof RunsAnswer>["data"]>(answer);
  };

  const { runs: all } = await ask("");
  assert.deepEqual(
    all.filter(({ kind }) => kind !== "audit").map(({ kind, cause, status }) => [kind, cause, status]),
    [
      ["render", "push", "succeeded"],
      ["sync", "push", "succeeded"],
      ["sync", "request", "failed"],
      ["render", "sync", "succeeded"],
      ["sync", "request", "succeeded"],
    ],
  );
  const counts = { seen: 5, upserted: 3, unchanged: 0, rejected: 2, removed: 0 };
  const { warnings, ...first } = all.find(({ run_id }) => run_id === runId)?.counts ?? { warnings: -1 };
  assert.deepEqual(first, counts);
  assert.ok(warnings >= 0);
  assert.ok(all.every(({ kind, counts: own }) => (kind === "sync") === (own !== null)));
  assert.deepEqual(
    (await ask(`source_id=${shop.sourceId}&status=succeeded`)).runs.map(({ run_id }) => run_id),
    [runId],
  );
  assert.deepEqual(
    (await ask("source_id=pushed")).runs.map(({ run_id }) => run_id),
    [dataOf<{ run_id: string }>(pushed).run_id],
  );
  assert.deepEqual((await ask("status=running")).runs, []);
  assert.equal((await ask("kind=render")).runs.length, 2);
  type Renders = { readonly renders: readonly { readonly cause: string }[] };
  const { renders } = dataOf<Renders>(await shop.call("/api/v1/renders"));
  assert.deepEqual(
    renders.map(({ cause }) => cause),
    ["push", "sync"],
  );
  const pages = await allPages(ask, "limit=2");
  assert.deepEqual(
    pages.flatMap(({ runs }) => runs.map(({ run_id }) => run_id)),
    all.map(({ run_id }) => run_id),
  );
  const other = await api.openShop();
  assert.deepEqual(dataOf<{ runs: unknown[] }>(await other.call("/api/v1/runs")).runs, []);
  assertProblem(await shop.call("/api/v1/runs?cursor=none"), 400, "invalid_request");
});

test("runs of other catalogs, runs of other kinds and unknown runs are not found", async () => {
  const [shop, other] = [await api.openShop(mugs(1)), await api.openShop(mugs(1))];
  const runId = await syncNow(other);
  const { render_run_id: renderId } = dataOf<SyncDetail>(await other.call(`/api/v1/syncs/${runId}`));

  assertProblem(await shop.call(`/api/v1/syncs/${runId}`), 404, "not_found");
  assertProblem(await shop.call(`/api/v1/runs/${runId}`), 404, "not_found");
  assertProblem(await shop.call(`/api/v1/syncs/${runId}/issues`), 404, "not_found");
  assertProblem(await shop.call(`/api/v1/syncs/${runId}/issues.csv`), 404, "not_found");
  assertProblem(await shop.call(`/api/v1/syncs/${runId}/cancel`, { method: "POST" }), 404, "not_found");
  assertProblem(await other.call(`/api/v1/syncs/${renderId}`), 404, "not_found");
  assertProblem(await shop.call("/api/v1/syncs/none"), 400, "invalid_request");
});

test("rejections and warnings are listed in pages, with filters by kind, code and text", async () => {
  const shop = await api.openShop([...mugs(1), ...badRows(5), { id: "no-link", link: "nowhere" }]);
  const runId = await syncNow(shop);
  const ask = async (query: string) => {
    const answer = await shop.call(`/api/v1/syncs/${runId}/issues?${query}`);
    assertDescribed("GET /api/v1/syncs/{id}/issues", answer);
    return dataOf<Issues>(answer);
  };

  const all = await ask("limit=500");
  assert.equal(all.stored, all.issues.length);
  assert.equal(all.raised, all.stored);
  assert.ok(all.issues.length >= 6);
  const pages = await allPages(ask, "limit=2");
  assert.deepEqual(
    pages.flatMap(({ issues }) => issues),
    all.issues,
  );
  const { issues: found } = await ask("q=BAD-4");
  assert.deepEqual(
    found.map(({ item_id }) => item_id),
    ["bad-4"],
  );
  const code = found[0]?.code ?? "";
  assert.equal((await ask(`code=${code}&kind=rejection`)).issues.length, 5);
  assert.equal((await ask(`code=${code}&kind=warning`)).issues.length, 0);
  const foreign = Buffer.from("[-1]").toString("base64url");
  assertProblem(await shop.call(`/api/v1/syncs/${runId}/issues?cursor=${foreign}`), 400, "invalid_request");
});

test("the same list as CSV has no formulas", async () => {
  const shop = await api.openShop([...mugs(1), { id: '=cmd|" /C calc"!A1', price: "free" }]);
  const runId = await syncNow(shop);

  const answer = await shop.call(`/api/v1/syncs/${runId}/issues.csv?kind=rejection`);

  assert.equal(answer.status, 200);
  assert.equal(answer.headers["content-type"], "text/csv; charset=utf-8");
  assert.match(String(answer.headers["content-disposition"]), /^attachment; filename="sync-.*\.csv"$/);
  const [row, ...more] = parse<Record<string, string>>(answer.text, { columns: true });
  assert.equal(more.length, 0);
  assert.equal(row?.["kind"], "rejection");
  assert.match(row?.["item_id"] ?? "", /^'=cmd\|/);
});

test("a running sync shows its phase, at the Location of the 202 answer", async () => {
  await using feed = await heldFeed(csv(mugs(1)));
  const shop = await api.openShop([], feed.url);
  const accepted = await shop.sync({ prefer: "respond-async" });
  await feed.asked;

  const where = String(accepted.headers["location"]);
  const { status, phase, finished_at } = dataOf<SyncDetail>(await shop.call(where));

  assert.deepEqual(
    { status, phase, finished_at },
    { status: "running", phase: "reading", finished_at: null },
  );
  feed.release();
  await api.ended(dataOf<{ run_id: string }>(accepted).run_id);
});

test("a running sync can be canceled: it changes nothing, its client is notified, and the source can be synced again", async () => {
  await using feed = await heldFeed(csv(mugs(2)));
  const shop = await api.openShop([], feed.url);
  const waiting = shop.sync();
  await feed.asked;
  const [running] = dataOf<{ syncs: SyncDetail[] }>(await shop.call("/api/v1/syncs")).syncs;
  const path = `/api/v1/syncs/${running?.run_id}/cancel`;

  assertProblem(
    await shop.call(path, { method: "POST", headers: { authorization: `Bearer ${shop.readKey}` } }),
    403,
    "insufficient_scope",
  );
  const canceled = await shop.call(path, { method: "POST" });
  feed.release();

  assertDescribed("POST /api/v1/syncs/{id}/cancel", canceled);
  const { status, error } = dataOf<SyncDetail>(canceled);
  assert.deepEqual([status, error?.code], ["failed", "canceled"]);
  const problem = assertProblem(await waiting, 422, "canceled");
  assert.equal(problem.run_id, running?.run_id);
  assertProblem(await shop.call(path, { method: "POST" }), 409, "conflict");
  assert.deepEqual(dataOf<{ items: unknown[] }>(await shop.call("/api/v1/items")).items, []);
  assert.equal((await shop.sync()).status, 200);
  const [, entry] = dataOf<{ changes: { call: string; target: { fields: string[] }; run_id: string }[] }>(
    await shop.call("/api/v1/changes"),
  ).changes;
  assert.deepEqual(
    [entry?.call, entry?.target.fields, entry?.run_id],
    ["POST /api/v1/syncs/:id/cancel", ["cancel"], running?.run_id],
  );
});

test("a queued sync can be canceled before a worker claims it", async () => {
  await using idle = await runningApi({ hasWorker: false });
  const shop = await idle.openShop(mugs(1));
  const { run_id } = dataOf<{ run_id: string }>(await shop.sync({ prefer: "respond-async" }));

  const answer = await shop.call(`/api/v1/syncs/${run_id}/cancel`, { method: "POST" });

  assert.equal(dataOf<SyncDetail>(answer).status, "failed");
  assert.equal((await shop.sync({ prefer: "respond-async" })).status, 202);
});

const issueCount = async (shop: Shop, runId: string): Promise<readonly number[]> => {
  const answer = await shop.call(`/api/v1/syncs/${runId}/issues?kind=rejection&limit=1`);
  const { raised, stored } = dataOf<Issues>(answer);
  return [raised, stored];
};

test("every one of thousands of rejected rows is listed and in the table, also after a sync of the same file", async () => {
  const shop = await api.openShop([
    ...mugs(3),
    ...badRows(1_500),
    { id: "bad-1", title: "Repeated", price: "1 USD" },
  ]);
  const first = await syncNow(shop);
  const again = await syncNow(shop);

  for (const runId of [first, again]) {
    const { stats } = dataOf<SyncDetail>(await shop.call(`/api/v1/syncs/${runId}`));
    assert.deepEqual([stats.rejected, stats.rejections.length], [1_500, 100]);
    assert.deepEqual(await issueCount(shop, runId), [
      stats.rejected + stats.warnings,
      1_500 + stats.warnings,
    ]);
    const table = await shop.call(`/api/v1/syncs/${runId}/issues.csv?kind=rejection`);
    const rows = parse(table.text, { columns: true }) as readonly Record<string, string>[];
    assert.deepEqual(
      rows.map((row) => row["item_id"]),
      badRows(1_500).map(({ id }) => id),
    );
    const page = dataOf<Issues>(await shop.call(`/api/v1/syncs/${runId}/issues?q=bad-1499`));
    assert.deepEqual(
      page.issues.map(({ item_id, position }) => [item_id, position]),
      [["bad-1499", 1_502]],
    );
  }
});

test("all rejected rows are kept for the newest three runs of a source, and of each older run a hundred", async () => {
  const shop = await api.openShop();
  const runs: string[] = [];
  for (let i = 0; i < 5; i += 1) {
    shop.sells([...mugs(i + 1), ...badRows(150)]);
    runs.push(await syncNow(shop));
  }
  const body = badRows(120).map((row) => ({ ...row, title: "Mug", link: "https://shop.example/p" }));
  const pushed = await shop.call("/api/v1/catalog", { method: "PATCH", body });

  const stored = await Promise.all(runs.map(async (runId) => (await issueCount(shop, runId))[1]));
  assert.deepEqual(stored, [100, 100, 150, 150, 150]);
  const { run_id } = dataOf<{ run_id: string }>(pushed);
  assert.deepEqual(await issueCount(shop, run_id), [120, 120]);
});

test("a sync that fails because every row is rejected lists all of them", async () => {
  const shop = await api.openShop(badRows(300));
  const { run_id = "" } = assertProblem(await shop.sync(), 422, "source_all_rejected");

  assert.deepEqual((await issueCount(shop, run_id))[1], 300);
});

if (isLong)
  test("a run keeps 10,000 rejections and 10,000 warnings; more are counted", async () => {
    const shop = await api.openShop([...mugs(1), ...badRows(10_500)]);
    const runId = await syncNow(shop);

    const [raised, stored] = await issueCount(shop, runId);
    assert.deepEqual([raised, stored], [10_500, 10_000]);
  });

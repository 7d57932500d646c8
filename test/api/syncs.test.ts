/** GET and POST /api/v1/syncs, as sections 2.3, 2.4, 4.3 and 4.4 of the interface specify. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isUuid, newId } from "../../src/lib/id.ts";
import { listRuns } from "../../src/store/runs.ts";
import { heldFeed } from "../fakes/held-feed.ts";
import { seedRun } from "../seed.ts";
import { assertProblem } from "./problem.ts";
import { renderIsStuck, whileNoRenderCanFinish } from "./renders.ts";
import { csv, mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

type Stats = {
  readonly seen: number;
  readonly upserted: number;
  readonly rejected: number;
  readonly warnings: number;
  readonly rejections: readonly { readonly item_id: string; readonly position: number }[];
  readonly unchanged: number;
  readonly removed: number;
};
type Sync = {
  readonly run_id: string;
  readonly source_id: string | null;
  readonly status: string;
  readonly stats: Stats;
  readonly started_at: string;
  readonly finished_at: string | null;
};
type Triggered = { readonly run_id: string; readonly stats: Stats };

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const OF_THE_CONTRACT = ["seen", "upserted", "rejected", "warnings", "rejections"];

const api = closeAfterTests(await runningApi());

const triggered = (answer: Answer): Triggered => {
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as { data: Triggered }).data;
};
const listed = async (shop: Shop): Promise<readonly Sync[]> =>
  ((await shop.call("/api/v1/syncs")).json as { data: { syncs: Sync[] } }).data.syncs;
const addsUp = ({ seen, upserted, unchanged, rejected }: Stats) =>
  assert.equal(seen, upserted + unchanged + rejected);

test("a catalog that was never synced has an empty history", async () => {
  const shop = await api.openShop();

  const answer = await shop.call("/api/v1/syncs", { headers: { authorization: `Bearer ${shop.readKey}` } });

  assert.equal(answer.status, 200);
  assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
  assert.equal(answer.text, '{"data":{"syncs":[]}}');
});

test("a sync answers with its run and its numbers, and the history has the same", async () => {
  const shop = await api.openShop(mugs(4));

  const answer = await shop.sync();

  assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
  assert.deepEqual(Object.keys(answer.json as object), ["data"]);
  const { run_id: runId, stats, ...more } = triggered(answer);
  assert.deepEqual(more, {});
  assert.ok(isUuid(runId));
  assert.deepEqual(Object.keys(stats).slice(0, 5), OF_THE_CONTRACT);
  assert.deepEqual([stats.seen, stats.upserted, stats.rejected, stats.rejections], [4, 4, 0, []]);
  addsUp(stats);
  const [sync, ...others] = await listed(shop);
  assert.deepEqual(others, []);
  assert.deepEqual(Object.keys(sync ?? {}).slice(0, 6), [
    "run_id",
    "source_id",
    "status",
    "stats",
    "started_at",
    "finished_at",
  ]);
  assert.deepEqual(
    [sync?.run_id, sync?.source_id, sync?.status, sync?.stats],
    [runId, shop.sourceId, "succeeded", stats],
  );
  assert.match(sync?.started_at ?? "", TIME);
  assert.match(sync?.finished_at ?? "", TIME);
});

test("every item seen is stored, unchanged or rejected", async () => {
  const [first, second, third] = mugs(3);
  assert.ok(first && second && third);
  const shop = await api.openShop();
  const pulls = [
    { sold: [first, second, third], upserted: 3, unchanged: 0, rejected: 0, removed: 0 },
    { sold: [first, second, third], upserted: 0, unchanged: 3, rejected: 0, removed: 0 },
    // One with a higher price, one removed, one new, one without a price, one duplicate.
    {
      sold: [{ ...first, price: "11.00 USD" }, second, { id: "new" }, { id: "priceless", price: "" }, second],
      upserted: 2,
      unchanged: 1,
      rejected: 2,
      removed: 1,
    },
    { sold: [second], upserted: 0, unchanged: 1, rejected: 0, removed: 2 },
  ];

  for (const { sold, ...expected } of pulls) {
    shop.sells(sold);
    const { stats } = triggered(await shop.sync());

    const { upserted, unchanged, rejected, removed } = stats;
    assert.equal(stats.seen, sold.length);
    assert.deepEqual({ upserted, unchanged, rejected, removed }, expected);
    assert.equal(stats.rejections.length, rejected);
    addsUp(stats);
  }
});

test("the first hundred rejections are listed in the source's order, and all are counted", async () => {
  const bad = Array.from({ length: 130 }, (_, i) => ({ id: `bad-${i + 1}`, price: "a lot" }));
  const shop = await api.openShop([...bad, ...mugs(5)]);

  const { stats } = triggered(await shop.sync());

  assert.deepEqual([stats.seen, stats.upserted, stats.rejected], [135, 5, 130]);
  assert.deepEqual(
    stats.rejections.map((rejection) => rejection.position),
    Array.from({ length: 100 }, (_, i) => i + 1),
  );
  assert.deepEqual(Object.keys(stats.rejections[0] ?? {}), [
    "item_id",
    "position",
    "field",
    "code",
    "message",
  ]);
  assert.equal(stats.rejections[0]?.item_id, "bad-1");
  addsUp(stats);
  assert.deepEqual((await listed(shop))[0]?.stats, stats);
});

test("a sync of an unchanged file still has the rejections of the last read", async () => {
  const shop = await api.openShop([...mugs(2), { id: "bad", price: "" }]);
  const first = triggered(await shop.sync()).stats;

  const second = triggered(await shop.sync()).stats;

  assert.deepEqual([second.seen, second.upserted, second.unchanged, second.rejected], [3, 0, 2, 1]);
  assert.deepEqual(second.rejections, first.rejections);
  addsUp(second);
});

test("a first pull without any item succeeds, with a warning", async () => {
  const shop = await api.openShop([]);

  const { stats } = triggered(await shop.sync());

  assert.deepEqual([stats.seen, stats.upserted, stats.rejected, stats.warnings], [0, 0, 0, 1]);
});

test("the fifty newest runs are listed, newest first, and no other catalog's", async () => {
  await using idle = await runningApi({ hasWorker: false });
  const shop = await idle.openShop();
  const other = await idle.openShop();
  const ids: string[] = [];
  for (let i = 0; i < 53; i += 1) ids.push(await seedRun(idle.db, shop.id));
  await seedRun(idle.db, shop.id, { kind: "render" });
  await seedRun(idle.db, other.id);

  const runs = await listed(shop);

  assert.deepEqual(
    runs.map((run) => run.run_id),
    ids.toReversed().slice(0, 50),
  );
  // A push has no source; a run that still waits is under way and not finished, with its numbers at nought.
  const { source_id: sourceId, status, finished_at: finishedAt, stats } = runs[0] ?? {};
  assert.deepEqual([sourceId, status, finishedAt], [null, "running", null]);
  assert.deepEqual(Object.keys(stats ?? {}).slice(0, 5), OF_THE_CONTRACT);
  assert.deepEqual([stats?.seen, stats?.rejections], [0, []]);
});

test("the call answers only when the render after the sync is done", async () => {
  const shop = await api.openShop(mugs(2));
  await shop.sync();
  const before = await shop.feeds();
  shop.sells(mugs(3));
  let isAnswered = false;

  const answer = await whileNoRenderCanFinish(api.db, async () => {
    const call = shop.sync().finally(() => {
      isAnswered = true;
    });
    await renderIsStuck(api.db);
    assert.equal((await listed(shop))[0]?.status, "succeeded");
    assert.deepEqual(await shop.feeds(), before);
    assert.equal(isAnswered, false);
    return { call };
  });

  assert.equal(triggered(await answer.call).stats.upserted, 1);
  assert.equal((await shop.feeds()).last_render?.stats.items, 3);
  assert.match((await shop.fetch("gmc.tsv")).text, /mug-003/);
});

const ASYNC = ["respond-async", "Respond-Async", "return=minimal, respond-async", "respond-async, wait=10"];

for (const prefer of [...ASYNC, "wait=10", "respond-async-not"]) {
  const status = ASYNC.includes(prefer) ? 202 : 200;
  test(`Prefer: ${prefer} answers ${status}`, async () => {
    const shop = await api.openShop(mugs(1));

    const answer = await shop.sync({ prefer });

    assert.equal(answer.status, status, answer.text);
    const { run_id: runId } = (answer.json as { data: Triggered }).data;
    assert.equal((await api.ended(runId)).state, "succeeded");
    if (status !== 202) return;
    assert.equal(answer.headers["preference-applied"], "respond-async");
    assert.equal(answer.text, JSON.stringify({ data: { run_id: runId, status: "running" } }));
    assert.equal((await shop.feeds()).last_render?.stats.items, 1);
  });
}

test("calls during a sync wait for it, then share one more sync and its answer; none is refused", async () => {
  await using feed = await heldFeed(csv(mugs(2)));
  const shop = await api.openShop([], feed.url);
  const accepted = await shop.sync({ prefer: "respond-async" });
  const { run_id: runId } = (accepted.json as { data: Triggered }).data;
  await feed.asked;

  const joined = (await shop.sync({ prefer: "respond-async" })).json as { data: Triggered };
  const waiting = Array.from({ length: 10 }, async () => shop.sync());
  assert.notEqual(joined.data.run_id, runId);
  assert.deepEqual(
    (await listed(shop)).map(({ run_id, status, finished_at }) => [run_id, status, finished_at]),
    [
      [joined.data.run_id, "running", null],
      [runId, "running", null],
    ],
  );

  feed.release();
  for (const answer of await Promise.all(waiting)) {
    const { run_id, stats } = triggered(answer);
    assert.deepEqual([run_id, stats.unchanged], [joined.data.run_id, 2]);
  }
  assert.equal((await listed(shop)).length, 2);
});

test("a client that disconnects does not stop the run", async () => {
  await using feed = await heldFeed(csv(mugs(2)));
  const shop = await api.openShop([], feed.url);
  const caller = new AbortController();
  const call = shop.call("/api/v1/syncs", {
    method: "POST",
    body: { source_id: shop.sourceId },
    signal: caller.signal,
  });
  const hungUp = assert.rejects(call, { name: "AbortError" });
  await feed.asked;

  caller.abort();
  await hungUp;
  feed.release();

  const [run] = await listRuns(api.db, shop.id, { kind: "sync", limit: 1 });
  assert.equal((await api.ended(run?.id ?? "")).state, "succeeded");
  assert.equal((await shop.feeds()).last_render?.stats.items, 2);
});

test("two sources of a catalog may be synced at the same time", async () => {
  await using held = await heldFeed(csv(mugs(2)));
  const shop = await api.openShop([{ id: "another" }]);
  const second = await api.addFeed(shop.id, held.url);
  const accepted = await shop.call("/api/v1/syncs", {
    method: "POST",
    headers: { prefer: "respond-async" },
    body: { source_id: second },
  });
  await held.asked;

  assert.equal(triggered(await shop.sync()).stats.upserted, 1);

  held.release();
  await api.ended((accepted.json as { data: Triggered }).data.run_id);
  assert.equal((await shop.feeds()).last_render?.stats.items, 3);
});

test("another catalog's source is unknown", async () => {
  const shop = await api.openShop(mugs(1));
  const other = await api.openShop(mugs(1));
  const unknownId = newId();
  const asked = (sourceId: string) =>
    shop.call("/api/v1/syncs", { method: "POST", body: { source_id: sourceId } });

  const answers = [await asked(unknownId), await asked(other.sourceId)];

  const [unknown, foreign] = answers.map((answer) => assertProblem(answer, 422, "unknown_source"));
  assert.deepEqual(JSON.parse(JSON.stringify(foreign).replaceAll(other.sourceId, unknownId)) as object, {
    ...unknown,
    request_id: foreign?.request_id,
  });
  assert.deepEqual(await listed(shop), []);
  assert.deepEqual(await listed(other), []);
});

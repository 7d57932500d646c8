/** `GET /syncs` and `POST /syncs`. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { dataOf } from "../api.ts";
import type { Run, Synced } from "../api.ts";
import { FORMATS, plainRows } from "../catalogs.ts";
import type { Row } from "../catalogs.ts";
import type { Check } from "../check.ts";
import { assertFilesHave, fetchFiles } from "../feed-files.ts";
import type { FeedContent } from "../hub.ts";
import type { Catalog } from "../set-up.ts";
import { assertKeys, assertRun, assertStats, assertUuid } from "../shapes.ts";

const csv = FORMATS["full CSV"];

async function source({ hub, addSource }: Catalog, rows: readonly Row[]) {
  const feed = hub.feed(csv(rows));
  return { feed, sourceId: await addSource(feed.url) };
}

/** A connector error must be answered within this time, so that a client does not give up before. */
const ANSWER_LIMIT_MS = 20_000;

/** The sync fails with 422, and what was stored before stays. */
async function assertConnectorError(catalog: Catalog, sourceId: string, rows: readonly Row[]): Promise<void> {
  const { api } = catalog;
  const began = performance.now();
  const { status, text } = await api.sync(sourceId);
  assert.equal(status, 422, text);
  assert.ok(performance.now() - began < ANSWER_LIMIT_MS, "the failure is answered within 20 s");
  const [newest] = await api.getSyncs();
  assert.ok(newest);
  assertRun(newest);
  assert.equal(newest.status, "failed");
  if (rows.length > 0) assertFilesHave(await fetchFiles((await api.getFeeds()).feeds), rows);
}

const NOT_A_FEED: FeedContent = {
  type: "text/html",
  text: "<!doctype html><title>Sign in</title><p>Hello.</p>",
};

const connectorError = (id: string, what: string, content: FeedContent | number | "reset"): Check => ({
  id: `syncs-error-${id}`,
  title: `a source that ${what} fails the sync with 422 within 20 s, and the files stay`,
  run: async ({ withCatalog }) =>
    withCatalog(async (catalog) => {
      const { feed, sourceId } = await source(catalog, plainRows(3));
      dataOf(await catalog.api.sync(sourceId));
      feed.serve(content);
      await assertConnectorError(catalog, sourceId, plainRows(3));
    }),
});

export const SYNCS: readonly Check[] = [
  {
    id: "sources-kinds",
    title: "a source is a feed URL or one of three platforms",
    run: async ({ withCatalog }) =>
      withCatalog(async ({ sourceKinds }) => assert.equal(new Set(await sourceKinds()).size, 4)),
  },
  {
    id: "syncs-answer",
    title: "POST /syncs answers 200 with exactly run_id and stats, and the five counts are right",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api } = catalog;
        const rows = plainRows(10).map((row, index) => (index < 2 ? { ...row, price: "" } : row));
        const { feed, sourceId } = await source(catalog, rows);
        const answer = await api.sync(sourceId);
        assert.equal(answer.status, 200, answer.text);
        const synced = dataOf(answer) as Synced;
        assertKeys(synced, ["run_id", "stats"], "the answer of a sync");
        assertUuid(synced.run_id, "run_id");
        assertStats(synced.stats, "the answer");
        const { seen, rejected, rejections } = synced.stats;
        assert.deepEqual([seen, rejected, rejections.length], [10, 2, 2]);
        feed.serve(csv(plainRows(10)));
        const { stats } = dataOf(await api.sync(sourceId)) as Synced;
        assert.deepEqual([stats.seen, stats.upserted, stats.rejected], [10, 2, 0], "two items are new");
      }),
  },
  {
    id: "syncs-upserted",
    title: "upserted counts the items that were created or changed",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api } = catalog;
        const rows = plainRows(10);
        const { feed, sourceId } = await source(catalog, rows);
        dataOf(await api.sync(sourceId));
        const edited = rows.map((row, index) => (index < 3 ? { ...row, title: `${row.title}, new` } : row));
        feed.serve(csv([...edited, ...plainRows(11).slice(10)]));
        const { stats } = dataOf(await api.sync(sourceId)) as Synced;
        assert.deepEqual([stats.seen, stats.upserted, stats.rejected], [11, 4, 0]);
      }),
  },
  {
    id: "syncs-running",
    title: "a run is listed as running, without an end, until it succeeds; POST /syncs answers only then",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api } = catalog;
        const { feed, sourceId } = await source(catalog, plainRows(3));
        dataOf(await api.sync(sourceId));
        const known = feed.requests();
        const release = feed.hold();
        let isAnswered = false;
        const syncing = api.sync(sourceId).finally(() => (isAnswered = true));
        try {
          for (let tries = 0; feed.requests() === known && tries < 200; tries += 1) await sleep(50);
          const running = (await api.getSyncs()).find(({ status }) => status === "running");
          assert.ok(running, "the run is listed");
          assertRun(running);
          assert.equal(running.finished_at, null);
          assert.equal(isAnswered, false, "the call waits for the run");
          release();
          const { run_id: runId } = dataOf(await syncing) as Synced;
          const ended = (await api.getSyncs()).find((run) => run.run_id === runId);
          assert.equal(ended?.run_id, running.run_id);
          assert.equal(ended.status, "succeeded");
          assertRun(ended);
        } finally {
          release();
          await syncing.catch(() => undefined);
        }
      }),
  },
  {
    id: "syncs-rejections-capped",
    title: "stats counts every rejection and lists a limited number of them",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const rows = plainRows(600).map((row, index) => (index === 0 ? row : { ...row, price: "" }));
        const { sourceId } = await source(catalog, rows);
        const { stats } = dataOf(await catalog.api.sync(sourceId)) as Synced;
        assert.deepEqual([stats.seen, stats.rejected], [600, 599]);
        assert.ok(stats.rejections.length > 0 && stats.rejections.length < 599, "the list is capped");
      }),
  },
  {
    id: "syncs-newest",
    title: "GET /syncs lists the 50 newest runs, newest first, each with exactly its six fields",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api } = catalog;
        const { sourceId } = await source(catalog, plainRows(1));
        const runIds: string[] = [];
        for (let time = 0; time < 55; time += 1) {
          runIds.unshift((dataOf(await api.sync(sourceId)) as Synced).run_id);
        }
        const runs = await api.getSyncs();
        assert.deepEqual(
          runs.map((run) => run.run_id),
          runIds.slice(0, 50),
        );
        const starts = runs.map((run: Run) => run.started_at);
        assert.deepEqual(starts, [...starts].sort().toReversed(), "newest first");
        for (const run of runs) assertRun(run);
        assert.equal(new Set(runIds).size, 55, "every run has an id of its own");
      }),
  },
  {
    id: "syncs-unknown-source",
    title: "a sync of an unknown source answers 422",
    run: async ({ withCatalog }) =>
      withCatalog(async ({ api }) => assert.equal((await api.sync(randomUUID())).status, 422)),
  },
  {
    id: "syncs-invalid",
    title: "a sync without a source id, with one that is no uuid, or with a body that is no JSON answers 400",
    run: async ({ withCatalog }) =>
      withCatalog(async ({ api }) => {
        for (const body of [{}, { source_id: "shop" }, { source_id: 7 }, { source_id: null }, []]) {
          const { status } = await api.callJson("POST", "/syncs", body);
          assert.equal(status, 400, JSON.stringify(body));
        }
        const headers = { "content-type": "application/json" };
        for (const body of ["", "{", '{"source_id":']) {
          assert.equal((await api.call("POST", "/syncs", { headers, body })).status, 400, body);
        }
      }),
  },
  connectorError("500", "answers 500", 500),
  connectorError("503", "answers 503", 503),
  connectorError("404", "answers 404", 404),
  connectorError("reset", "breaks the connection", "reset"),
  connectorError("not-a-feed", "serves a page instead of a catalog", NOT_A_FEED),
  {
    id: "syncs-error-refused",
    title: "a source that refuses the connection fails the sync with 422 within 20 s",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const sourceId = await catalog.addSource(await catalog.hub.refusingUrl());
        await assertConnectorError(catalog, sourceId, []);
      }),
  },
  {
    id: "syncs-error-then-success",
    title: "a failed sync emits no sync.completed, and the next sync succeeds",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api, hub } = catalog;
        const { feed, sourceId } = await source(catalog, plainRows(2));
        dataOf(await api.sync(sourceId));
        const receiver = hub.receiver();
        await api.register(receiver.url, ["sync.completed"]);
        feed.serve(404);
        assert.equal((await api.sync(sourceId)).status, 422);
        const [failed] = await api.getSyncs();
        feed.serve(csv(plainRows(3)));
        const { run_id: runId } = dataOf(await api.sync(sourceId)) as Synced;
        const run = (await api.getSyncs()).find(({ run_id: id }) => id === runId);
        await receiver.waitFor("sync.completed", ({ body }) => body.created_at >= (run?.started_at ?? ""));
        const early = receiver.deliveries.filter(({ body }) => body.created_at < (run?.started_at ?? ""));
        assert.equal(failed?.status, "failed");
        assert.deepEqual(early, [], "the failed sync has no event");
        assertFilesHave(await fetchFiles((await api.getFeeds()).feeds), plainRows(3));
      }),
  },
];

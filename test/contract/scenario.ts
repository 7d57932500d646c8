/**
 * A catalog with one source and one receiver: changes what the source serves, syncs, and checks everything that must
 * follow.
 */
import assert from "node:assert/strict";
import { dataOf } from "./api.ts";
import type { Run, Synced } from "./api.ts";
import { acceptedRows, FORMATS } from "./catalogs.ts";
import type { Format, Row } from "./catalogs.ts";
import { assertFileHas, assertFilesHave, fetchFiles } from "./feed-files.ts";
import { assertDelivery } from "./hub.ts";
import type { Delivery } from "./hub.ts";
import type { Catalog } from "./set-up.ts";
import { assertKeys, assertLastRender, assertRun, assertStats, assertUuid } from "./shapes.ts";

export const EVENTS = ["sync.completed", "feeds.rendered", "audit.completed"] as const;

/** A sync may remove any number of items of a source that has fewer items than this; otherwise at most half of them. */
const COLLAPSE_FROM = 25;

export type Scenario = {
  /** The source serves these rows, is synced on demand, and everything that follows from the sync is checked. */
  readonly syncTo: (rows: readonly Row[]) => Promise<void>;
};

export async function openScenario(
  catalog: Catalog,
  format: Format,
  first: readonly Row[],
): Promise<Scenario> {
  const { api, hub } = catalog;
  const receiver = hub.receiver();
  const { secret } = await api.register(receiver.url, EVENTS);
  const feed = hub.feed(FORMATS[format](first));
  const sourceId = await catalog.addSource(feed.url);
  let stored: readonly Row[] = [];

  const runOf = async (runId: unknown): Promise<Run> => {
    const run = (await api.getSyncs()).find(({ run_id: id }) => id === runId);
    assert.ok(run, "GET /syncs lists the run");
    return run;
  };
  const assertEvents = async (run: Run): Promise<void> => {
    for (const event of EVENTS) {
      const follows = ({ body }: Delivery) =>
        body.event === event &&
        body.created_at >= run.started_at &&
        (event !== "sync.completed" ||
          [undefined, run.run_id].includes(body.data["run_id"] as string | undefined));
      assertDelivery(await receiver.waitFor(`${event} of the sync`, follows), secret);
    }
  };
  const assertSynced = async (rows: readonly Row[], synced: Synced): Promise<void> => {
    const { run_id: runId, stats } = synced;
    const accepted = acceptedRows(rows);
    stored = accepted;
    const run = await runOf(runId);
    const { feeds, last_render: render } = await api.getFeeds();
    const files = await fetchFiles(feeds);
    assertEach([
      () => assertKeys(synced, ["run_id", "stats"], "the answer of a sync"),
      () => assertUuid(runId, "run_id"),
      () => assertStats(stats, "the answer"),
      () => assert.equal(stats.seen, rows.length, "seen"),
      () => assert.equal(stats.rejected, rows.length - accepted.length, "rejected"),
      () => assertRun(run),
      () => assert.deepEqual([run.status, run.source_id], ["succeeded", sourceId], "the run"),
      () => assert.deepEqual(run.stats, stats, "the run has the stats of the answer"),
      () => assertLastRender(render),
      () =>
        assert.ok((render?.finished_at ?? "") >= run.started_at, "the feeds were rendered after the sync"),
      () => assert.equal(render?.stats.items, accepted.length, "last_render.stats.items"),
      ...files.entries().map(
        ([file, text]) =>
          () =>
            assertFileHas(file, text, accepted),
      ),
    ]);
    await assertEvents(run);
  };
  const isRefused = async (): Promise<void> => {
    const { feeds, last_render: render } = await api.getFeeds();
    if (render !== null) assertFilesHave(await fetchFiles(feeds), stored);
    const failed = (await api.getSyncs()).find(({ status }) => status === "failed");
    assert.ok(failed, "the run is listed as failed");
    assertRun(failed);
  };

  return {
    syncTo: async (rows) => {
      feed.serve(FORMATS[format](rows));
      const answer = await api.sync(sourceId);
      if (mustRefuse(stored, rows)) {
        assert.equal(answer.status, 422, answer.text.slice(0, 500));
        await isRefused();
        return;
      }
      await assertSynced(rows, dataOf(answer) as Synced);
    },
  };
}

/**
 * Rows without a single acceptable item, and the loss of more than half of a catalog, are failed syncs: data are
 * missing.
 */
function mustRefuse(stored: readonly Row[], rows: readonly Row[]): boolean {
  const accepted = new Set(acceptedRows(rows).map(({ id }) => id));
  if (rows.length > 0 && accepted.size === 0) return true;
  const removed = stored.filter(({ id }) => !accepted.has(id)).length;
  return stored.length >= COLLAPSE_FROM && removed > stored.length / 2;
}

/** Runs every assertion, so that a failure names everything that is wrong and not only what is wrong first. */
function assertEach(assertions: readonly (() => void)[]): void {
  const messages: string[] = [];
  for (const assertion of assertions) {
    try {
      assertion();
    } catch (error) {
      messages.push((error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "");
    }
  }
  assert.ok(messages.length === 0, messages.join("; "));
}

/** `GET /feeds`, `POST /feeds`, and the entries of the four files. */
import assert from "node:assert/strict";
import { dataOf } from "../api.ts";
import { FORMATS, plainRows } from "../catalogs.ts";
import type { Check } from "../check.ts";
import { assertFilesHave, fetchFiles, FILES } from "../feed-files.ts";
import type { Catalog } from "../set-up.ts";
import { assertKeys, assertLastRender } from "../shapes.ts";

const ENTRIES = Object.entries(FILES).map(([file, { type }]) => [file, type]);

async function syncedCatalog({ api, hub, addSource }: Catalog, size: number): Promise<string> {
  const sourceId = await addSource(hub.feed(FORMATS["full CSV"](plainRows(size))).url);
  dataOf(await api.sync(sourceId));
  return sourceId;
}

export const FEEDS: readonly Check[] = [
  {
    id: "feeds-entries",
    title:
      "GET /feeds lists the four files in their order, each with its content type and a URL that serves it",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        await syncedCatalog(catalog, 3);
        const data = await catalog.api.getFeeds();
        assertKeys(data, ["feeds", "last_render"], "the answer of GET /feeds");
        assert.deepEqual(
          data.feeds.map(({ file, content_type: type }) => [file, type]),
          ENTRIES,
        );
        for (const entry of data.feeds) {
          assertKeys(entry, ["file", "content_type", "url"], "a feed entry");
          const [before, after] = [`${catalog.baseUrl}/f/`, `/${entry.file}`];
          assert.ok(entry.url.startsWith(before) && entry.url.endsWith(after), entry.url);
          assert.match(entry.url.slice(before.length, -after.length), /^[^/]+\/[^/]+$/);
        }
        assertFilesHave(await fetchFiles(data.feeds), plainRows(3));
      }),
  },
  {
    id: "feeds-before-first-render",
    title: "GET /feeds lists the four entries before anything was rendered",
    run: async ({ withCatalog }) =>
      withCatalog(async ({ api }) => {
        const { feeds, last_render: render } = await api.getFeeds();
        assert.deepEqual(
          feeds.map(({ file, content_type: type }) => [file, type]),
          ENTRIES,
        );
        if (render !== null) assertLastRender(render);
      }),
  },
  {
    id: "feeds-stable-urls",
    title: "the URLs of the files stay the same through syncs and renders",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api } = catalog;
        const { feeds: first } = await api.getFeeds();
        const sourceId = await syncedCatalog(catalog, 2);
        dataOf(await api.renderFeeds());
        dataOf(await api.sync(sourceId));
        assert.deepEqual((await api.getFeeds()).feeds, first);
      }),
  },
  {
    id: "feeds-render",
    title: "POST /feeds renders at once: the next GET /feeds has a new render, and the files have every item",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api } = catalog;
        await syncedCatalog(catalog, 5);
        for (let time = 0; time < 3; time += 1) {
          const { last_render: before } = await api.getFeeds();
          const { status, text } = await api.renderFeeds();
          assert.equal(status, 200, text);
          const { feeds, last_render: render } = await api.getFeeds();
          assert.ok(render);
          assertLastRender(render);
          assert.notEqual(render.run_id, before?.run_id, "every render is a run of its own");
          assert.ok(render.started_at >= (before?.finished_at ?? ""), "the render is newer");
          assert.equal(render.stats.items, 5);
          assertFilesHave(await fetchFiles(feeds), plainRows(5));
        }
      }),
  },
  {
    id: "feeds-render-events",
    title: "every successful POST /feeds emits one feeds.rendered",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api, hub } = catalog;
        await syncedCatalog(catalog, 2);
        const receiver = hub.receiver();
        await api.register(receiver.url, ["feeds.rendered"]);
        const created = new Set<string>();
        for (let time = 1; time <= 3; time += 1) {
          dataOf(await api.renderFeeds());
          const { last_render: render } = await api.getFeeds();
          const { body } = await receiver.waitFor(
            `feeds.rendered number ${time}`,
            ({ body }) => body.created_at >= (render?.started_at ?? "") && !created.has(body.created_at),
          );
          created.add(body.created_at);
        }
        assert.equal(created.size, 3);
      }),
  },
];

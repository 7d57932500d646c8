/** Calls that arrive right after the set-up, at the same time, in quick succession, or in an unusual form. */
import assert from "node:assert/strict";
import { dataOf } from "../api.ts";
import { FORMATS, plainRows } from "../catalogs.ts";
import type { Check } from "../check.ts";
import { assertFilesHave, fetchFiles } from "../feed-files.ts";
import type { Answer } from "../http-client.ts";
import type { Catalog } from "../set-up.ts";

const addPlainSource = async ({ hub, addSource }: Catalog, size: number): Promise<string> =>
  addSource(hub.feed(FORMATS["minimal CSV"](plainRows(size))).url);

const times = <T>(count: number, make: () => T): readonly T[] => Array.from({ length: count }, make);

async function assertAll200(answers: readonly Promise<Answer>[]): Promise<void> {
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  assert.deepEqual(
    statuses,
    statuses.map(() => 200),
  );
}

async function assertServed({ api }: Catalog, size: number): Promise<void> {
  assertFilesHave(await fetchFiles((await api.getFeeds()).feeds), plainRows(size));
}

/** The content types that clients send with an empty body; `curl -d ''` sends the second. */
const EMPTY_BODY_TYPES = [
  "application/json",
  "application/x-www-form-urlencoded",
  "text/plain",
  "text/plain;charset=UTF-8",
  "application/octet-stream",
  undefined,
];

const UNKNOWN = { unknown_field: "ignored", another: { nested: [1, 2] } };

export const CALLS: readonly Check[] = [
  {
    id: "calls-first-sync",
    title: "a sync right after the source was added answers 200 and publishes the files",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        await assertAll200([catalog.api.sync(await addPlainSource(catalog, 4))]);
        await assertServed(catalog, 4);
      }),
  },
  {
    id: "calls-first-render",
    title: "POST /feeds of a catalog without items answers 200, and the files are empty",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        await assertAll200([catalog.api.renderFeeds()]);
        await assertServed(catalog, 0);
      }),
  },
  {
    id: "calls-parallel-syncs",
    title: "ten syncs of one source at the same time all answer 200",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const sourceId = await addPlainSource(catalog, 5);
        await assertAll200(times(10, async () => catalog.api.sync(sourceId)));
        await assertServed(catalog, 5);
        await assertAll200(times(10, async () => catalog.api.sync(sourceId)));
      }),
  },
  {
    id: "calls-quick-succession",
    title: "ten syncs and renders in quick succession all answer 200",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api } = catalog;
        const sourceId = await addPlainSource(catalog, 3);
        for (let time = 0; time < 10; time += 1) {
          await assertAll200([api.sync(sourceId)]);
          await assertAll200([api.renderFeeds()]);
        }
        await assertServed(catalog, 3);
      }),
  },
  {
    id: "calls-parallel-renders",
    title: "syncs and renders at the same time all answer 200",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api } = catalog;
        const sourceId = await addPlainSource(catalog, 5);
        const renders = times(5, async () => api.renderFeeds());
        await assertAll200([...times(5, async () => api.sync(sourceId)), ...renders]);
        await assertServed(catalog, 5);
      }),
  },
  {
    id: "calls-trailing-slash",
    title: "an address with a slash at its end is the same address",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api, hub } = catalog;
        const sourceId = await addPlainSource(catalog, 2);
        for (const path of ["/feeds/", "/syncs/", "/webhooks/"]) dataOf(await api.call("GET", path));
        dataOf(await api.callJson("POST", "/syncs/", { source_id: sourceId }));
        dataOf(await api.call("POST", "/feeds/"));
        const body = { url: hub.receiver().url, events: ["sync.completed"] };
        const { id } = dataOf(await api.callJson("POST", "/webhooks/", body)) as { id: string };
        dataOf(await api.callJson("DELETE", "/webhooks/", { id }));
      }),
  },
  {
    id: "calls-empty-bodies",
    title: "calls without a body accept an empty body with any content type",
    run: async ({ withCatalog }) =>
      withCatalog(async ({ api }) => {
        for (const type of EMPTY_BODY_TYPES) {
          const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
          const { status, text } = await api.call("POST", "/feeds", { headers });
          assert.equal(status, 200, `POST /feeds with ${type}: ${text}`);
          for (const path of ["/feeds", "/syncs", "/webhooks"]) {
            assert.equal((await api.call("GET", path, { headers })).status, 200, `GET ${path} with ${type}`);
          }
        }
      }),
  },
  {
    id: "calls-unknown-fields",
    title: "unknown fields in a body are ignored",
    run: async ({ withCatalog }) =>
      withCatalog(async (catalog) => {
        const { api, hub } = catalog;
        const sourceId = await addPlainSource(catalog, 2);
        const calls = [
          ["POST", "/feeds", {}],
          ["POST", "/feeds", UNKNOWN],
          ["POST", "/syncs", { source_id: sourceId, ...UNKNOWN }],
          ["POST", "/webhooks", { url: hub.receiver().url, events: ["sync.completed"], ...UNKNOWN }],
        ] as const;
        for (const [method, path, body] of calls) {
          const { status, text } = await api.callJson(method, path, body);
          assert.ok(status === 200 || status === 201, `${method} ${path}: ${status} ${text}`);
        }
        const [webhook] = await api.getWebhooks();
        dataOf(await api.callJson("DELETE", "/webhooks", { id: webhook?.id, ...UNKNOWN }));
        assert.deepEqual(await api.getWebhooks(), []);
      }),
  },
];

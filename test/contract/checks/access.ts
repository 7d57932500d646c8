/** Keys, scopes, public feed URLs, and the version in the path. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { FORMATS, plainRows } from "../catalogs.ts";
import type { Check } from "../check.ts";
import { dataOf } from "../api.ts";
import { FILES } from "../feed-files.ts";
import { send } from "../http-client.ts";

const OPERATIONS = [
  ["GET", "/feeds"],
  ["POST", "/feeds"],
  ["GET", "/syncs"],
  ["POST", "/syncs"],
  ["GET", "/webhooks"],
  ["POST", "/webhooks"],
  ["DELETE", "/webhooks"],
] as const;

const bodies: Readonly<Record<string, object>> = {
  "POST /syncs": { source_id: randomUUID() },
  "POST /webhooks": { url: "https://receiver.example/hook", events: ["sync.completed"] },
  "DELETE /webhooks": { id: randomUUID() },
};

const json = { "content-type": "application/json" };

const bodyOf = (method: string, path: string): { body?: string; headers: Record<string, string> } => {
  const body = bodies[`${method} ${path}`];
  return body === undefined ? { headers: {} } : { body: JSON.stringify(body), headers: json };
};

export const ACCESS: readonly Check[] = [
  {
    id: "access-key",
    title:
      "every operation answers 401 without a key, with an unknown key, and with a scheme that is not Bearer",
    run: async ({ withCatalog }) =>
      withCatalog(async ({ baseUrl }) => {
        for (const [method, path] of OPERATIONS) {
          for (const authorization of [undefined, "Bearer unknown", "Basic dW5rbm93bjp1bmtub3du"]) {
            const { headers, ...call } = bodyOf(method, path);
            const { status } = await send(`${baseUrl}/api/v1${path}`, {
              method,
              ...call,
              headers: { ...headers, ...(authorization && { authorization }) },
            });
            assert.equal(status, 401, `${method} ${path} with ${authorization ?? "no key"}`);
          }
        }
      }),
  },
  {
    id: "access-read",
    title: "a key with the scope read may call every GET, and no POST and no DELETE",
    run: async ({ withCatalog }) =>
      withCatalog(async ({ withScope, api }) => {
        const reader = await withScope("read");
        for (const [method, path] of OPERATIONS) {
          const { status } = await reader.call(method, path, bodyOf(method, path));
          assert.equal(status, method === "GET" ? 200 : 403, `${method} ${path}`);
        }
        assert.deepEqual(await api.getWebhooks(), [], "a refused call changes nothing");
      }),
  },
  {
    id: "access-write",
    title: "a key with the scope write may call every POST and DELETE, and no GET",
    run: async ({ withCatalog }) =>
      withCatalog(async ({ withScope, hub, addSource }) => {
        const writer = await withScope("write");
        const sourceId = await addSource(hub.feed(FORMATS.JSON(plainRows(2))).url);
        dataOf(await writer.sync(sourceId));
        dataOf(await writer.renderFeeds());
        const { id } = await writer.register(hub.receiver().url, ["sync.completed"]);
        dataOf(await writer.callJson("DELETE", "/webhooks", { id }));
        for (const [method, path] of OPERATIONS) {
          if (method === "GET") assert.equal((await writer.call(method, path)).status, 403, path);
        }
      }),
  },
  {
    id: "access-public-feeds",
    title: "whoever has a feed URL can fetch the file without a key, and a wrong token gets 404",
    run: async ({ withCatalog }) =>
      withCatalog(async ({ api, hub, addSource }) => {
        dataOf(await api.sync(await addSource(hub.feed(FORMATS["full CSV"](plainRows(3))).url)));
        const { feeds } = await api.getFeeds();
        for (const { file, url } of feeds) {
          assert.equal((await send(url)).status, 200, `${file} without a header`);
          const [, token = ""] = /\/f\/[^/]+\/([^/]+)\//.exec(url) ?? [];
          const wrong = `${token.startsWith("A") ? "B" : "A"}${token.slice(1)}`;
          for (const other of [wrong, token.slice(0, -1), "x"]) {
            assert.equal((await send(url.replace(token, other))).status, 404, `${file} with a wrong token`);
          }
        }
        const tokens = feeds.map(({ url }) => url.split("/").at(-2) ?? "");
        for (const token of tokens) assert.ok(token.length >= 20, "a token cannot be guessed");
      }),
  },
  {
    id: "access-version",
    title: "the operations are below /api/v1 and nowhere else",
    run: async ({ withCatalog }) =>
      withCatalog(async ({ baseUrl, api }) => {
        assert.equal((await api.call("GET", "/feeds")).status, 200);
        for (const prefix of ["", "/api", "/api/v2"]) {
          const { status, headers } = await send(`${baseUrl}${prefix}/feeds`);
          const isJson = /^application\/json\b/.test(headers["content-type"] ?? "");
          assert.ok(status === 404 || !isJson, `${prefix}/feeds is no operation`);
        }
        assert.equal(Object.keys(FILES).length, (await api.getFeeds()).feeds.length);
      }),
  },
];

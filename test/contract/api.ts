/** The calls of the contract, made with one API key, and the shapes of their answers. */
import assert from "node:assert/strict";
import { send } from "./http-client.ts";
import type { Answer, Call } from "./http-client.ts";

export type FeedEntry = { readonly file: string; readonly content_type: string; readonly url: string };

export type LastRender = {
  readonly run_id: string;
  readonly status: string;
  readonly stats: { readonly items: number };
  readonly started_at: string;
  readonly finished_at: string;
};

export type Feeds = { readonly feeds: readonly FeedEntry[]; readonly last_render: LastRender | null };

/** `unchanged` is not in the contract. A service that counts unchanged items must count them correctly. */
export type Stats = {
  readonly seen: number;
  readonly upserted: number;
  readonly rejected: number;
  readonly warnings: number;
  readonly rejections: readonly unknown[];
  readonly unchanged?: number;
};

export type Synced = { readonly run_id: string; readonly stats: Stats };

export type Run = {
  readonly run_id: string;
  readonly source_id: string | null;
  readonly status: string;
  readonly stats: Stats;
  readonly started_at: string;
  readonly finished_at: string | null;
};

export type Webhook = { readonly id: string; readonly url: string; readonly events: readonly string[] };

export type Api = {
  readonly call: (method: string, path: string, call?: Call) => Promise<Answer>;
  readonly callJson: (method: string, path: string, body: unknown) => Promise<Answer>;
  readonly getFeeds: () => Promise<Feeds>;
  readonly renderFeeds: () => Promise<Answer>;
  readonly getSyncs: () => Promise<readonly Run[]>;
  readonly sync: (sourceId: string) => Promise<Answer>;
  readonly getWebhooks: () => Promise<readonly Webhook[]>;
  readonly register: (url: string, events: readonly string[]) => Promise<Webhook & { secret: string }>;
};

export function openApi(baseUrl: string, key: string): Api {
  const authorization = { authorization: `Bearer ${key}` };
  const call = async (method: string, path: string, { headers, body }: Call = {}) =>
    send(`${baseUrl}/api/v1${path}`, {
      method,
      headers: { ...authorization, ...headers },
      ...(body !== undefined && { body }),
    });
  const callJson = async (method: string, path: string, body: unknown) =>
    call(method, path, { headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return {
    call,
    callJson,
    getFeeds: async () => dataOf(await call("GET", "/feeds")) as Feeds,
    renderFeeds: async () => call("POST", "/feeds"),
    getSyncs: async () => listOf(dataOf(await call("GET", "/syncs"))) as readonly Run[],
    sync: async (sourceId) => callJson("POST", "/syncs", { source_id: sourceId }),
    getWebhooks: async () => listOf(dataOf(await call("GET", "/webhooks"))) as readonly Webhook[],
    register: async (url, events) =>
      dataOf(await callJson("POST", "/webhooks", { url, events })) as Webhook & { secret: string },
  };
}

/** The result in a successful answer. The contract wraps every result in an object with the single key `data`. */
export function dataOf({ status, text, headers }: Answer): unknown {
  assert.ok(status >= 200 && status < 300, `expected success, got ${status}: ${text.slice(0, 500)}`);
  assert.match(headers["content-type"] ?? "", /^application\/json\b/);
  const body = JSON.parse(text) as { data: unknown };
  assert.deepEqual(Object.keys(body), ["data"], "the answer has the single key `data`");
  return body.data;
}

/** The contract does not show how a list is wrapped: `data` is the list, or an object with one list in it. */
function listOf(data: unknown): readonly unknown[] {
  if (Array.isArray(data)) return data as unknown[];
  const lists = Object.values(data as object).filter((value) => Array.isArray(value));
  assert.equal(lists.length, 1, "`data` has one list");
  return lists[0] as unknown[];
}

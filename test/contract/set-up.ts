/**
 * What a check needs and the contract does not describe: catalogs, keys and sources. Only this file calls operations
 * of Shelfwire that are not in the contract; another service needs another version of this file.
 *
 * With an operator key, every check gets a catalog of its own and the checks run at the same time. With the key of one
 * catalog, which should be empty at first, the checks run one after the other, each deletes what it has added.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { dataOf, openApi } from "./api.ts";
import type { Api, Webhook } from "./api.ts";
import type { Row } from "./catalogs.ts";
import { send } from "./http-client.ts";
import type { Hub } from "./hub.ts";
import { createSemaphore } from "./semaphore.ts";

export type Catalog = {
  readonly baseUrl: string;
  /** May read and write. */
  readonly api: Api;
  /** The same catalog with a key that has one scope only. Throws `NotChecked` if the run has no such key. */
  readonly withScope: (scope: "read" | "write") => Promise<Api>;
  /** Adds a source that pulls a feed URL; resolves with its id. */
  readonly addSource: (url: string) => Promise<string>;
  /** Replaces the catalog's pushed items. */
  readonly push: (rows: readonly Row[]) => Promise<void>;
  /** How a source may get its items: the names of all kinds. */
  readonly sourceKinds: () => Promise<readonly string[]>;
  readonly hub: Hub;
};

/**
 * The run lacks something that a check needs. The message says what, as a sentence; the check is reported as skipped.
 */
export class NotChecked extends Error {
  override readonly name = "NotChecked";
}

export type Target = { readonly baseUrl: string; readonly key: string; readonly readOnlyKey?: string };

export type SetUp = {
  readonly withCatalog: (work: (catalog: Catalog) => Promise<void>) => Promise<void>;
};

export async function openSetUp(target: Target, hub: Hub): Promise<SetUp> {
  const { baseUrl, key } = target;
  const answer = await openApi(baseUrl, key).call("GET", "/catalogs");
  const isOperator =
    answer.status === 200 && (dataOf(answer) as { is_operator?: boolean }).is_operator === true;
  return isOperator ? ownCatalogs(target, hub) : oneCatalog(target, hub);
}

function ownCatalogs({ baseUrl, key }: Target, hub: Hub): SetUp {
  let count = 0;
  const post = async (path: string, body: object, catalog = "") =>
    send(`${baseUrl}/api/v1${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...(catalog !== "" && { "shelfwire-catalog": catalog }),
      },
      body: JSON.stringify(body),
    });
  const withCatalog: SetUp["withCatalog"] = async (work) => {
    count += 1;
    const name = `Contract ${process.pid} ${count}`;
    const { slug } = dataOf(await post("/catalogs", { name, settings: { currency: "USD" } })) as {
      slug: string;
    };
    const keyWith = async (scopes: readonly string[]): Promise<Api> => {
      const made = await post("/keys", { name: scopes.join(" "), scopes }, slug);
      return openApi(baseUrl, (dataOf(made) as { secret: string }).secret);
    };
    const api = await keyWith(["read", "write"]);
    const withScope = async (scope: string) => keyWith([scope]);
    await work({ ...common(baseUrl, api, hub), withScope });
  };
  return { withCatalog };
}

function oneCatalog({ baseUrl, key, readOnlyKey }: Target, hub: Hub): SetUp {
  const api = openApi(baseUrl, key);
  const withScope = async (scope: string): Promise<Api> => {
    if (scope === "read" && readOnlyKey !== undefined) return openApi(baseUrl, readOnlyKey);
    const needed = scope === "read" ? "CONTRACT_READ_KEY, or an operator key" : "an operator key";
    throw new NotChecked(`Not checked: a key with the scope ${scope} alone is needed. Set ${needed}.`);
  };
  const exclusive = createSemaphore(1);
  const withCatalog: SetUp["withCatalog"] = async (work) =>
    exclusive(async () => {
      const sources: string[] = [];
      const add = async (url: string): Promise<string> => {
        const id = await addSource(api, url);
        sources.push(id);
        return id;
      };
      try {
        await work({ ...common(baseUrl, api, hub), withScope, addSource: add });
      } finally {
        await removeAll(api, sources, await api.getWebhooks());
      }
    });
  return { withCatalog };
}

const common = (baseUrl: string, api: Api, hub: Hub): Omit<Catalog, "withScope"> => ({
  baseUrl,
  api,
  hub,
  addSource: async (url) => addSource(api, url),
  push: async (rows) => {
    dataOf(await api.callJson("PUT", "/catalog", rows));
  },
  sourceKinds: async () => {
    const { kinds } = dataOf(await api.call("GET", "/sources/kinds")) as { kinds: { kind: string }[] };
    return kinds.map(({ kind }) => kind);
  },
});

async function addSource(api: Api, url: string): Promise<string> {
  const answer = await api.callJson("POST", "/sources", { kind: "feed_url", settings: { url } });
  return (dataOf(answer) as { id: string }).id;
}

async function removeAll(api: Api, sources: readonly string[], webhooks: readonly Webhook[]): Promise<void> {
  for (const { id } of webhooks) dataOf(await api.callJson("DELETE", "/webhooks", { id }));
  for (const id of sources) dataOf(await api.callJson("DELETE", "/sources", { id, items: "remove" }));
  dataOf(await api.callJson("PUT", "/catalog?max_removed_ratio=1", []));
  for (let tries = 0; tries < 100; tries += 1) {
    dataOf(await api.renderFeeds());
    const { last_render: render } = await api.getFeeds();
    if (render?.stats.items === 0) return;
    await sleep(100);
  }
  assert.fail("The items of a removed source are still in the catalog.");
}

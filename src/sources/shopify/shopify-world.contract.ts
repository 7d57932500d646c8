/** A fake shop and a connector for one test, with the test's own limits and without waits. */
import { type FakeProduct } from "../../../test/fakes/shopify-data.ts";
import { type FakeShopify, shopifyShop } from "../../../test/fakes/shopify-shop.ts";
import { type HttpClient, httpClient } from "../../lib/outbound/http-client.ts";
import { BRIEF_RETRIES, readAll } from "../source.contract.ts";
import type { Connector, Probe, ReadContext, SourceEvent, SourceSettings } from "../source.ts";
import { SHOPIFY_LIMITS, type ShopifyLimits } from "./client.ts";
import { shopifyConnector } from "./shopify.ts";

/** Reads every shop by pages. */
export const BY_PAGES: ShopifyLimits = {
  ...SHOPIFY_LIMITS,
  retries: BRIEF_RETRIES,
  bulk: { ...SHOPIFY_LIMITS.bulk, fromProducts: Number.POSITIVE_INFINITY, pollWaitsMs: [0], maxPolls: 5 },
};

/** Reads every shop by a bulk operation, in files of a few kilobytes. */
export const BY_BULK: ShopifyLimits = {
  ...BY_PAGES,
  bulk: { ...BY_PAGES.bulk, fromProducts: 0, bucketBytes: 20_000 },
};

export type ShopifyWorld = {
  readonly shop: FakeShopify;
  readonly http: HttpClient;
  readonly connector: Connector;
  readonly read: (
    settings?: SourceSettings,
    changes?: Partial<Omit<ReadContext, "http" | "spoolDir">>,
  ) => Promise<SourceEvent[]>;
  readonly probe: (settings?: SourceSettings) => Promise<Probe>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export async function shopifyWorld(
  products: readonly FakeProduct[] = [],
  limits: ShopifyLimits = BY_PAGES,
): Promise<ShopifyWorld> {
  const shop = await shopifyShop(products);
  const http = httpClient({ allowPrivate: ["127.0.0.1/32"], userAgent: "test" });
  const connector = shopifyConnector(limits);
  const { signal } = new AbortController();
  return {
    shop,
    http,
    connector,
    read: (settings = {}, changes = {}) =>
      readAll({ connector, http }, { ...shop.settings, ...settings }, changes),
    probe: async (settings = {}) => {
      if (connector.probe === undefined) throw new Error("there is no probe");
      return connector.probe({ ...shop.settings, ...settings }, { http, signal });
    },
    async [Symbol.asyncDispose]() {
      await http.close();
      await shop[Symbol.asyncDispose]();
    },
  };
}

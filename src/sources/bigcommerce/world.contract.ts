/** A BigCommerce shop and a connector without waits, for one test. */
import { type BigCommerceShop, bigcommerceShop } from "../../../test/fakes/bigcommerce-shop.ts";
import type { Json } from "../../../test/fakes/bigcommerce-products.ts";
import { type HttpClient, httpClient } from "../../lib/outbound/http-client.ts";
import { BRIEF_RETRIES, readAll } from "../source.contract.ts";
import type { Connector, Probe, ReadContext, SourceEvent, SourceSettings } from "../source.ts";
import { bigcommerceConnector } from "./bigcommerce.ts";
import { BIGCOMMERCE_LIMITS, type BigCommerceLimits } from "./client.ts";

export type BigCommerceWorld = {
  readonly shop: BigCommerceShop;
  readonly http: HttpClient;
  readonly connector: Connector;
  /** How long each wait for a new quota would have been. */
  readonly pauses: number[];
  readonly read: (
    settings?: SourceSettings,
    changes?: Partial<Omit<ReadContext, "http" | "spoolDir">>,
  ) => Promise<SourceEvent[]>;
  readonly probe: (settings?: SourceSettings) => Promise<Probe>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export async function bigcommerceWorld(
  products: readonly Json[] = [],
  limits: Partial<BigCommerceLimits> = {},
): Promise<BigCommerceWorld> {
  const shop = await bigcommerceShop(products);
  const http = httpClient({ allowPrivate: ["127.0.0.1/32"], userAgent: "test" });
  const pauses: number[] = [];
  const connector = bigcommerceConnector({
    ...BIGCOMMERCE_LIMITS,
    retries: BRIEF_RETRIES,
    pause: (ms) => {
      pauses.push(ms);
      return Promise.resolve();
    },
    ...limits,
  });
  return {
    shop,
    http,
    connector,
    pauses,
    read: (settings = {}, changes = {}) =>
      readAll({ connector, http }, { ...shop.settings, ...settings }, changes),
    probe: async (settings = {}) => {
      const signal = new AbortController().signal;
      const probing = connector.probe?.({ ...shop.settings, ...settings }, { http, signal });
      return (await probing) ?? { facts: [], notes: [] };
    },
    async [Symbol.asyncDispose]() {
      await http.close();
      await shop[Symbol.asyncDispose]();
    },
  };
}

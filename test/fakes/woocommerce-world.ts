/** A shop, a client that reaches it, and a connector without waits, for one test. */
import { httpClient } from "../../src/lib/outbound/http-client.ts";
import { BRIEF_RETRIES, readAll } from "../../src/sources/source.contract.ts";
import type {
  Connector,
  ProbeResult,
  ReadPart,
  SourceEvent,
  SourceSettings,
} from "../../src/sources/source.ts";
import { WOO_LIMITS, type WooLimits } from "../../src/sources/woocommerce/client.ts";
import { wooCommerceConnector } from "../../src/sources/woocommerce/woocommerce.ts";
import { SHOP_URL } from "./woocommerce-rows.ts";
import { KEYS, type WooShop, wooShop } from "./woocommerce-shop.ts";

export const WITH_KEY: SourceSettings = {
  url: SHOP_URL,
  consumer_key: KEYS.key,
  consumer_secret: KEYS.secret,
};
export const WITHOUT_KEY: SourceSettings = { url: SHOP_URL };

export type WooWorld = AsyncDisposable & {
  readonly shop: WooShop;
  readonly connector: Connector;
  readonly read: (
    settings?: SourceSettings,
    extent?: "whole" | "sample",
    part?: ReadPart,
  ) => Promise<SourceEvent[]>;
  readonly probe: (settings?: SourceSettings) => Promise<ProbeResult>;
};

export async function wooWorld(limits: Partial<WooLimits> = {}): Promise<WooWorld> {
  const shop = await wooShop();
  const client = httpClient({ allowPrivate: ["127.0.0.1/32"], userAgent: "test" });
  const http = shop.overTls(client);
  const connector = wooCommerceConnector({ ...WOO_LIMITS, retries: BRIEF_RETRIES, ...limits });
  return {
    shop,
    connector,
    read: (settings = WITH_KEY, extent = "whole", part) =>
      readAll({ connector, http }, settings, { extent, part: part ?? null }),
    probe: async (settings = WITH_KEY) => {
      const probed = connector.probe?.(settings, { http, signal: new AbortController().signal });
      if (probed === undefined) throw new Error("the connector has no probe");
      return probed;
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await shop[Symbol.asyncDispose]();
    },
  };
}

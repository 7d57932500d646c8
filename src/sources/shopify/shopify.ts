/** A Shopify shop as a connector, through its Admin API. */
import { defineConnector } from "../kit/connector.ts";
import type { Connector } from "../source.ts";
import { SHOPIFY_LIMITS, type ShopifyLimits } from "./limits.ts";
import { probeShopify } from "./probe.ts";
import { readShopify } from "./read.ts";
import { checkShopify, SHOPIFY_FIELDS } from "./settings.ts";
import { openShop } from "./shop.ts";
import { shopDomain } from "./shop-domain.ts";

export function shopifyConnector(limits: ShopifyLimits): Connector {
  return defineConnector(
    {
      kind: "shopify",
      label: "Shopify",
      fields: SHOPIFY_FIELDS,
      check: checkShopify,
      destination: ({ shop = "", base_url }) => base_url ?? `https://${shopDomain(shop) ?? ""}`,
      open: openShop,
      probe: probeShopify,
      read: readShopify,
    },
    limits,
  );
}

export const shopify: Connector = shopifyConnector(SHOPIFY_LIMITS);
